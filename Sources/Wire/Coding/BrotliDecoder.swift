#if Brotli
private import CBrotli

/// An owner of one decoder of libbrotlidec (RFC 7932).
///
/// The library refuses windows above 16 MiB, which RFC 7932 does not have. It uses at most about
/// 17 MiB, and less for short bodies.
@safe struct BrotliDecoder: CodingLibrary, ~Copyable {
    private let state: OpaquePointer

    /// Creates a decoder, or returns nil if memory is exhausted.
    init?() {
        // SAFETY: without functions the library allocates with malloc.
        guard let state = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
        unsafe self.state = state
    }

    deinit {
        // SAFETY: init succeeded, so the state is live; nothing refers to it after this.
        unsafe BrotliDecoderDestroyInstance(state)
    }

    mutating func decode(
        _ input: Span<UInt8>,
        consumed: inout Int,
        into output: inout [UInt8],
        room: Int
    ) -> CodingOutcome {
        let state = unsafe state
        var result = BROTLI_DECODER_RESULT_ERROR
        var taken = 0
        output.append(addingCapacity: room) { target in
            // SAFETY: the library reads at most `rest` bytes of the borrowed input, and writes at
            // most `space` bytes into the free part of the borrowed output. It keeps no pointer.
            unsafe input.withUnsafeBufferPointer { source in
                unsafe target.withUnsafeMutableBufferPointer { free, count in
                    var rest = source.count
                    var next = source.baseAddress
                    let limit = min(room, free.count - count)
                    var space = limit
                    var end = unsafe free.baseAddress.map { unsafe $0 + count }
                    result = unsafe BrotliDecoderDecompressStream(
                        state,
                        &rest,
                        &next,
                        &space,
                        &end,
                        nil
                    )
                    taken = source.count - rest
                    count += limit - space
                }
            }
        }
        consumed += taken
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS: return .end
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
            return .more
        default:
            // SAFETY: the state is live until deinit.
            let code = unsafe BrotliDecoderGetErrorCode(state)
            let isMemory = CBROTLI_FIRST_ALLOCATION_ERROR...CBROTLI_LAST_ALLOCATION_ERROR ~= code
            return isMemory ? .outOfMemory : .corrupt
        }
    }
}
#endif

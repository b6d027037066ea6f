#if Zstd
private import CZstd

/// An owner of one decoder of libzstd (RFC 8878).
@safe struct ZstdDecoder: CodingLibrary, ~Copyable {
    private let context: OpaquePointer

    /// Creates a decoder, or returns nil if memory is exhausted.
    init?() {
        // SAFETY: the context is created here and freed once, by deinit or below.
        guard let context = unsafe ZSTD_createDCtx() else { return nil }
        let code = unsafe ZSTD_DCtx_setParameter(
            context,
            ZSTD_d_windowLogMax,
            ZstdFrameHeader.maxWindowLog
        )
        guard ZSTD_isError(code) == 0 else {
            unsafe _ = ZSTD_freeDCtx(context)
            return nil
        }
        unsafe self.context = context
    }

    deinit {
        // SAFETY: init succeeded, so the context is live; nothing refers to it after this.
        unsafe _ = ZSTD_freeDCtx(context)
    }

    /// Decodes as ``CodingLibrary`` describes.
    ///
    /// After the end of a frame, the next call begins another one.
    mutating func decode(
        _ input: Span<UInt8>,
        consumed: inout Int,
        into output: inout [UInt8],
        room: Int
    ) -> CodingOutcome {
        let context = unsafe context
        var code = 0
        var taken = 0
        output.append(addingCapacity: room) { target in
            // SAFETY: the library reads at most `size` bytes of the borrowed input, and writes at
            // most `limit` bytes into the free part of the borrowed output. It keeps no pointer.
            unsafe input.withUnsafeBufferPointer { source in
                unsafe target.withUnsafeMutableBufferPointer { free, count in
                    let limit = min(room, free.count - count)
                    var from = unsafe ZSTD_inBuffer(
                        src: UnsafeRawPointer(source.baseAddress),
                        size: source.count,
                        pos: 0
                    )
                    var into = unsafe ZSTD_outBuffer(
                        dst: free.baseAddress.map { unsafe UnsafeMutableRawPointer($0 + count) },
                        size: limit,
                        pos: 0
                    )
                    code = unsafe ZSTD_decompressStream(context, &into, &from)
                    taken = unsafe from.pos
                    count += unsafe into.pos
                }
            }
        }
        consumed += taken
        if ZSTD_isError(code) != 0 { return .corrupt }
        return code == 0 ? .end : .more
    }
}
#endif

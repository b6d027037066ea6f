private import CZlib

/// Owns one zlib stream that inflates (RFC 1950, 1951, 1952).
///
/// zlib keeps a pointer to its stream record, so that record has an address of its own, and this
/// type has no copies: it frees the record once.
@safe struct Inflater: ~Copyable {
    /// What the bytes look like.
    enum Format {
        case gzip
        case zlib
        case raw
    }

    /// Says how far one call got.
    enum Outcome {
        /// The input is used up or the output is full.
        case more
        /// The stream ended, its checksum included; bytes may be left.
        case end
        /// The bytes are no such stream.
        case corrupt
        case outOfMemory
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// Starts a stream; nil when there is no memory for it.
    init?(_ format: Format) {
        let windowBits: Int32 =
            switch format {
            case .gzip: 15 + 16
            case .zlib: 15
            case .raw: -15
            }
        // SAFETY: the record is allocated and initialised here and lives until deinit, or until the
        // failing branch below frees it.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        // SAFETY: the record is initialised, all zero, as zlib wants it; size and version are those
        // of the header that we were compiled with.
        guard unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
            unsafe stream.deinitialize(count: 1)
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        // SAFETY: init succeeded, so the stream is live; nothing refers to it after this.
        unsafe inflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Begins a new stream of the same format behind one that has ended.
    mutating func restart() {
        // SAFETY: the stream is live until deinit.
        unsafe inflateReset(stream)
    }

    /// Inflates from the front of `input` to the end of `output`.
    ///
    /// - Parameters:
    ///   - input: coded bytes; may be empty, to fetch what zlib still holds.
    ///   - consumed: grows by the bytes taken.
    ///   - output: grows by at most `room` bytes.
    ///   - room: greater than 0.
    /// - Returns: how far it got.
    mutating func inflate(
        _ input: Span<UInt8>,
        consumed: inout Int,
        into output: inout [UInt8],
        room: Int
    ) -> Outcome {
        var code = Z_OK
        let maxCount = Int(UInt32.max)
        let stream = unsafe stream
        var taken = 0
        output.append(addingCapacity: min(room, maxCount)) { target in
            // SAFETY: zlib reads at most avail_in bytes of the lent input, and writes at most
            // avail_out bytes into the free part of the lent output; both pointers are used inside
            // these closures alone and cleared afterwards.
            unsafe input.withUnsafeBufferPointer { source in
                unsafe target.withUnsafeMutableBufferPointer { free, count in
                    let space = min(room, free.count - count, maxCount)
                    let given = min(source.count, maxCount)
                    unsafe stream.pointee.next_in = UnsafeMutablePointer(
                        mutating: source.baseAddress
                    )
                    unsafe stream.pointee.avail_in = UInt32(truncatingIfNeeded: given)
                    unsafe stream.pointee.next_out = free.baseAddress.map { unsafe $0 + count }
                    unsafe stream.pointee.avail_out = UInt32(truncatingIfNeeded: space)
                    code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                    taken = unsafe given - Int(stream.pointee.avail_in)
                    count += unsafe space - Int(stream.pointee.avail_out)
                    unsafe stream.pointee.next_in = nil
                    unsafe stream.pointee.next_out = nil
                }
            }
        }
        consumed += taken
        switch code {
        case Z_OK, Z_BUF_ERROR: return .more
        case Z_STREAM_END: return .end
        case Z_MEM_ERROR: return .outOfMemory
        default: return .corrupt
        }
    }
}

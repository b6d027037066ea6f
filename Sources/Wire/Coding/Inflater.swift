private import CZlib

/// An owner of one zlib stream that inflates (RFC 1950, 1951, 1952).
///
/// zlib keeps a pointer to its stream record, so the record has a fixed address. This type is
/// noncopyable and frees the record once.
@safe struct Inflater: CodingLibrary, ~Copyable {
    /// The format of the coded bytes.
    enum Format {
        case gzip
        case zlib
        case raw
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// Starts a stream, or returns nil if memory is exhausted.
    init?(_ format: Format) {
        let windowBits: Int32 =
            switch format {
            case .gzip: 15 + 16
            case .zlib: 15
            case .raw: -15
            }
        // SAFETY: the record is allocated and initialized here and lives until deinit, or until the
        // failing branch below frees it.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        // SAFETY: the record is initialized with zeros, as zlib requires; size and version are
        // those of the header that this module was compiled with.
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

    /// Begins a new stream of the same format after one that has ended.
    mutating func restart() {
        // SAFETY: the stream is live until deinit.
        unsafe inflateReset(stream)
    }

    mutating func decode(
        _ input: Span<UInt8>,
        consumed: inout Int,
        into output: inout [UInt8],
        room: Int
    ) -> CodingOutcome {
        var code = Z_OK
        let maxCount = Int(UInt32.max)
        let stream = unsafe stream
        var taken = 0
        output.append(addingCapacity: min(room, maxCount)) { target in
            // SAFETY: zlib reads at most avail_in bytes of the borrowed input, and writes at most
            // avail_out bytes into the free part of the borrowed output; both pointers are used
            // only inside these closures and cleared afterwards.
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

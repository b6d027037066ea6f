private import CZlib

// To compress request bodies in another way, add an encoder beside this one, and a case to `HTTPRequest+Compression` of
// HTTPClient. The test is `RequestCompressionTests`.

/// An encoder of one gzip member (RFC 1952).
///
/// zlib keeps a pointer to its stream record, so the record has a fixed address. This type is
/// noncopyable and frees the record once. It uses about 256 KiB of memory.
@safe package struct Deflater: ~Copyable, @unchecked Sendable {
    // Sendable: the stream belongs to this value alone, and it cannot be copied.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Whether more input follows.
    package enum Continuation: Sendable {
        case more
        /// The input is the last one, and the member ends.
        case end
    }

    /// Starts a member with zlib's default level, or returns nil if memory is exhausted.
    package init?() {
        // SAFETY: the record is allocated and initialized here and lives until deinit, or until the
        // failing branch below frees it.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        // SAFETY: the record is initialized with zeros, as zlib requires; size and version are
        // those of the header that this module was compiled with.
        let code = unsafe deflateInit2_(
            stream,
            Z_DEFAULT_COMPRESSION,
            Z_DEFLATED,
            15 + 16,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            size
        )
        guard code == Z_OK else {
            unsafe stream.deinitialize(count: 1)
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        // SAFETY: init succeeded, so the stream is live; nothing refers to it after this.
        unsafe deflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Compresses all of `input` and appends what is complete; zlib keeps some of it for later.
    ///
    /// - Parameters:
    ///   - input: the bytes to compress; may be empty.
    ///   - output: grows by the complete part.
    ///   - continuation: whether more input follows. After `.end`, nothing may follow.
    package mutating func deflate(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        _ continuation: Continuation
    ) {
        var offset = 0
        let flush = continuation == .end ? Z_FINISH : Z_NO_FLUSH
        while true {
            let part = input.extracting(offset...)
            let (taken, isFull, hasEnded) = step(part, flush, into: &output)
            offset += taken
            // A member without output space left may have more; so may one that must end.
            if hasEnded || (!isFull && offset == input.count && continuation == .more) { return }
        }
    }

    private func step(
        _ input: Span<UInt8>,
        _ flush: Int32,
        into output: inout [UInt8]
    ) -> (taken: Int, isFull: Bool, hasEnded: Bool) {
        let stream = unsafe stream
        var code = Z_OK
        var taken = 0
        var isFull = false
        output.append(addingCapacity: Self.outputSize) { target in
            // SAFETY: zlib reads at most avail_in bytes of the borrowed input, and writes at most
            // avail_out bytes into the free part of the borrowed output; both pointers are used
            // only inside these closures and cleared afterwards.
            unsafe input.withUnsafeBufferPointer { source in
                unsafe target.withUnsafeMutableBufferPointer { free, count in
                    let space = min(Self.outputSize, free.count - count)
                    let given = min(source.count, Int(UInt32.max))
                    unsafe stream.pointee.next_in = UnsafeMutablePointer(
                        mutating: source.baseAddress
                    )
                    unsafe stream.pointee.avail_in = UInt32(truncatingIfNeeded: given)
                    unsafe stream.pointee.next_out = free.baseAddress.map { unsafe $0 + count }
                    unsafe stream.pointee.avail_out = UInt32(truncatingIfNeeded: space)
                    code = unsafe CZlib.deflate(stream, given == source.count ? flush : Z_NO_FLUSH)
                    taken = unsafe given - Int(stream.pointee.avail_in)
                    isFull = unsafe stream.pointee.avail_out == 0
                    count += unsafe space - Int(stream.pointee.avail_out)
                    unsafe stream.pointee.next_in = nil
                    unsafe stream.pointee.next_out = nil
                }
            }
        }
        // The only other codes are those of wrong use, such as input after the end.
        return (taken, isFull, code == Z_STREAM_END || (code != Z_OK && code != Z_BUF_ERROR))
    }

    /// Returns bytes as a gzip member, or nil if memory is exhausted.
    package static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        guard var deflater = Deflater() else { return nil }
        var output: [UInt8] = []
        deflater.deflate(bytes.span, into: &output, .end)
        return output
    }

    /// The space for one step.
    private static let outputSize = 16 * 1024
}

/// Wraps bytes in chunks (RFC 9112 §7.1).
///
/// Content need not be copied: write ``appendPrefix(of:to:)``, the bytes themselves, and
/// ``appendSuffix(to:)``.
public enum ChunkedEncoder {
    /// Appends the line that precedes a chunk.
    ///
    /// - Parameters:
    ///   - count: bytes of the chunk. For 0 nothing is appended, as an empty chunk would end the
    ///     body; then append no suffix either.
    ///   - output: grows by at most 18 bytes.
    public static func appendPrefix(of count: Int, to output: inout [UInt8]) {
        guard count > 0 else { return }
        Digits.appendHexadecimal(count, to: &output)
        output.append(Byte.carriageReturn)
        output.append(Byte.lineFeed)
    }

    /// Appends the line end that follows a chunk.
    public static func appendSuffix(to output: inout [UInt8]) {
        output.append(Byte.carriageReturn)
        output.append(Byte.lineFeed)
    }

    /// Appends one whole chunk; nothing when `bytes` is empty.
    public static func encode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        appendPrefix(of: bytes.count, to: &output)
        output.append(addingCapacity: bytes.count + 2) { target in
            HeadScanner.append(bytes, to: &target)
            HeadScanner.appendLineEnd(to: &target)
        }
    }

    /// Appends the last chunk and the trailer section.
    ///
    /// - Parameters:
    ///   - trailers: no fields about framing, routing, authentication, caching or the format of the
    ///     content, which come too late there (RFC 9110 §6.5.1).
    ///   - output: untouched when an error is thrown.
    /// - Throws: `.invalidFieldName`, `.invalidFieldValue`, `.fieldTooLong` or `.invalidTrailer`,
    ///   with the index of the field.
    public static func encodeEnd(
        trailers: HTTPHeaders = [:],
        into output: inout [UInt8]
    ) throws(WireError) {
        let storage = trailers.storage
        let fields = try storage?.encodedByteCount() ?? 0
        if let storage, let forbidden = TrailerRules.firstForbidden(in: storage) {
            throw .invalidTrailer(index: forbidden)
        }
        output.append(addingCapacity: fields + 5) { target in
            target.append(Byte.zero)
            HeadScanner.appendLineEnd(to: &target)
            storage?.encode(into: &target)
            HeadScanner.appendLineEnd(to: &target)
        }
    }
}

/// An encoder for chunks (RFC 9112 §7.1).
///
/// To avoid copying content, write the output of ``appendPrefix(of:to:)``, the content, and the
/// output of ``appendSuffix(to:)``.
public enum ChunkedEncoder {
    /// Appends the line that precedes a chunk.
    ///
    /// - Parameters:
    ///   - count: the size of the chunk in bytes. For 0 nothing is appended, because an empty chunk
    ///     would end the body; in that case do not append a suffix.
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

    /// Appends one complete chunk; nothing if `bytes` is empty.
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
    ///   - trailers: fields that do not affect framing, routing, authentication, caching or the
    ///     format of the content. In a trailer section, such fields come too late (RFC 9110
    ///     §6.5.1).
    ///   - output: unchanged if an error is thrown.
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

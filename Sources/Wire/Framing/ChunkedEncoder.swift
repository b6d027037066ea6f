/// Wraps octets in chunks (RFC 9112 §7.1).
///
/// Content need not be copied: write ``appendPrefix(of:to:)``, the octets themselves, and
/// ``appendSuffix(to:)``.
public enum ChunkedEncoder {
    /// Appends the line that precedes a chunk.
    ///
    /// - Parameters:
    ///   - count: octets of the chunk. For 0 nothing is appended, as an empty chunk would end the
    ///     body; then append no suffix either.
    ///   - output: grows by at most 18 octets.
    public static func appendPrefix(of count: Int, to output: inout [UInt8]) {
        guard count > 0 else { return }
        Digits.appendHexadecimal(UInt64(count), to: &output)
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
        output.append(addingCapacity: bytes.count) { target in
            for index in bytes.indices { target.append(bytes[index]) }
        }
        appendSuffix(to: &output)
    }

    /// Appends the last chunk and the trailer section.
    ///
    /// - Parameters:
    ///   - trailers: fields that RFC 9110 §6.5.1 allows there: none about framing or routing.
    ///   - output: untouched when an error is thrown.
    /// - Throws: `.invalidFieldName`, `.invalidFieldValue` or `.fieldTooLong`.
    public static func encodeEnd(
        trailers: HTTPHeaders = [:],
        into output: inout [UInt8]
    ) throws(WireError) {
        if let fault = trailers.storage?.firstFault() { throw fault }
        output.append(Byte.zero)
        appendSuffix(to: &output)
        trailers.storage?.encode(into: &output)
        appendSuffix(to: &output)
    }
}

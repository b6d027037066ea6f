/// Turns response heads into octets, for servers and tests (RFC 9112 §4).
public enum ResponseHeadEncoder {
    /// Appends start line, fields and the empty line; nothing is added or left out.
    ///
    /// - Parameters:
    ///   - head: every part of it is checked first.
    ///   - output: grows by the head; untouched when an error is thrown.
    /// - Throws: `.invalidStatus`, `.invalidReason`, `.invalidVersion`, `.invalidFieldName`,
    ///   `.invalidFieldValue` or `.fieldTooLong`, the last three with the index of the field.
    public static func encode(
        _ head: ResponseHead,
        into output: inout [UInt8]
    ) throws(WireError) {
        guard 100...999 ~= head.status.code else { throw .invalidStatus }
        guard head.version == .http11 || head.version == .http10 else { throw .invalidVersion }
        let reason = head.reason
        guard reason.utf8.allSatisfy(ByteClass.isFieldValue) else { throw .invalidReason }
        if let fault = head.headers.storage?.firstFault() { throw fault }
        output.append(contentsOf: (head.version == .http11 ? "HTTP/1.1 " : "HTTP/1.0 ").utf8)
        Digits.appendDecimal(UInt64(head.status.code), to: &output)
        output.append(Byte.space)
        output.append(contentsOf: reason.utf8)
        output.append(Byte.carriageReturn)
        output.append(Byte.lineFeed)
        head.headers.storage?.encode(into: &output)
        output.append(Byte.carriageReturn)
        output.append(Byte.lineFeed)
    }
}

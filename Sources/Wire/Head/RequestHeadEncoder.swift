/// Turns request heads into octets (RFC 9112 §3).
///
/// What is written is what was given: no field is added, and none is left out. What could change
/// where the message ends (CR, LF, NUL, a space in the target) is refused, so no value can smuggle
/// in a second request.
public enum RequestHeadEncoder {
    /// Appends start line, fields and the empty line.
    ///
    /// - Parameters:
    ///   - head: every part of it is checked first.
    ///   - output: grows by the head; untouched when an error is thrown.
    /// - Throws: `.invalidMethod`, `.invalidTarget`, `.invalidVersion`, `.invalidFieldName`,
    ///   `.invalidFieldValue` or `.fieldTooLong`, the last three with the index of the field.
    public static func encode(
        _ head: RequestHead,
        into output: inout [UInt8]
    ) throws(WireError) {
        guard head.method.isToken else { throw .invalidMethod }
        if let offset = head.target.faultOffset { throw .invalidTarget(offset: offset) }
        guard head.target.suits(head.method) else { throw .invalidTarget(offset: 0) }
        guard head.version == .http11 || head.version == .http10 else { throw .invalidVersion }
        if let fault = head.headers.storage?.firstFault() { throw fault }
        output.append(contentsOf: head.method.rawValue.utf8)
        output.append(Byte.space)
        output.append(contentsOf: head.target.text.utf8)
        output.append(
            contentsOf: (head.version == .http11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n").utf8
        )
        head.headers.storage?.encode(into: &output)
        output.append(Byte.carriageReturn)
        output.append(Byte.lineFeed)
    }
}

/// Says why a body is not text.
@nonexhaustive public enum TextFault: Sendable, Hashable {
    /// The charset of that name is not known here.
    case unknownCharset(String)
    /// The octets from that place on are no text in the charset; counted from 0.
    case malformed(charset: String, offset: Int)
}

extension TextFault: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .unknownCharset(let name):
            "the charset \"\(name)\" is not known: name the one to read it in, or read the octets"
        case .malformed(let charset, let offset):
            "the body is no text in \(charset) from octet \(offset) on"
        }
    }
}

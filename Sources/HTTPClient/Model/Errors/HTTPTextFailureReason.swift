/// Says why a body is not text.
@nonexhaustive public enum HTTPTextFailureReason: Sendable, Hashable {
    /// The charset of that name is not known here.
    case unknownCharset(String)
    /// The bytes from that place on are no text in the charset; counted from 0.
    case malformed(charset: String, offset: Int)
}

extension HTTPTextFailureReason: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .unknownCharset(let name):
            "the charset \"\(name)\" is not known: name the one to read it in, or read the bytes"
        case .malformed(let charset, let offset):
            "the body is no text in \(charset) from byte \(offset) on"
        }
    }
}

/// The reason why a body is not text.
@nonexhaustive public enum HTTPTextFailureReason: Sendable, Hashable {
    /// The client does not support the charset of this name.
    case unknownCharset(String)
    /// The bytes are not valid text in the charset, starting at `offset`, counted from 0.
    case malformed(charset: String, offset: Int)
}

extension HTTPTextFailureReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .unknownCharset(let name):
            "the charset \"\(name)\" is not supported: specify another charset, or use the bytes"
        case .malformed(let charset, let offset):
            "the body is not valid text in \(charset) from byte \(offset) on"
        }
    }
}

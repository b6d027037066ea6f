/// Names what a request is for, in one of the four forms of RFC 9112 §3.2.
///
/// Any text can be held; what may not be sent is refused when the request is written.
public enum RequestTarget: Hashable, Sendable, CustomStringConvertible {
    /// A path with its query, such as `/a?b=c`: the usual form (§3.2.1).
    case origin(String)
    /// A whole URI, for a request to a proxy (§3.2.2).
    case absolute(String)
    /// Host and port, for CONNECT alone (§3.2.3).
    case authority(String)
    /// The server as a whole, for OPTIONS alone (§3.2.4).
    case asterisk

    /// Spells the target as it stands on the wire.
    public var text: String {
        switch self {
        case .origin(let text), .absolute(let text), .authority(let text): text
        case .asterisk: "*"
        }
    }

    /// Spells the target as it stands on the wire.
    public var description: String { text }

    /// Finds the first octet that may not be sent; nil when the target is well formed.
    ///
    /// A fragment counts as such an octet: it is never sent (RFC 9110 §7.1).
    var faultOffset: Int? {
        let text = text
        let bytes = text.utf8.span
        guard !bytes.isEmpty else { return 0 }
        if case .origin = self, bytes[0] != Byte.slash { return 0 }
        for index in bytes.indices
        where !ByteClass.isVisible(bytes[index]) || bytes[index] == Byte.hash {
            return index
        }
        return nil
    }
}

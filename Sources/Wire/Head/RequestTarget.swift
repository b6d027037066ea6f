/// Names what a request is for, in one of the four forms of RFC 9112 §3.2.
///
/// Any text can be held; what may not be sent is refused when the request is written. A target that
/// was received stays bytes until its ``text`` is asked for.
public struct RequestTarget: Hashable, Sendable, CustomStringConvertible {
    /// Tells the four forms apart.
    public enum Form: Hashable, Sendable {
        /// A path with its query, such as `/a?b=c`: the usual form (§3.2.1).
        case origin
        /// A whole URI, for a request to a proxy (§3.2.2).
        case absolute
        /// Host and port, for CONNECT alone (§3.2.3).
        case authority
        /// The server as a whole, for OPTIONS alone (§3.2.4).
        case asterisk
    }

    /// The form it has.
    public let form: Form
    private let content: Content

    private enum Content: Sendable {
        case text(String)
        case received(FieldStorage, Range<Int>)
    }

    /// Takes over bytes of a received head.
    init(_ form: Form, _ range: Range<Int>, of storage: FieldStorage) {
        self.form = form
        content = .received(storage, range)
    }

    private init(_ form: Form, _ text: String) {
        self.form = form
        content = .text(text)
    }

    /// Makes a target of a path with its query (§3.2.1).
    public static func origin(_ text: String) -> RequestTarget { RequestTarget(.origin, text) }

    /// Makes a target of a whole URI (§3.2.2).
    public static func absolute(_ text: String) -> RequestTarget { RequestTarget(.absolute, text) }

    /// Makes a target of host and port (§3.2.3).
    public static func authority(_ text: String) -> RequestTarget {
        RequestTarget(.authority, text)
    }

    /// Stands for the server as a whole (§3.2.4).
    public static let asterisk = RequestTarget(.asterisk, "*")

    /// Spells the target as it stands on the wire; made on each access when it was received.
    public var text: String {
        switch content {
        case .text(let text): text
        case .received(let storage, let range): storage.text(range)
        }
    }

    /// Spells the target as it stands on the wire.
    public var description: String { text }

    /// Lends the bytes as they stand on the wire, without making text of them.
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        switch content {
        case .text(let text): try body(text.utf8.span)
        case .received(let storage, let range): try storage.withBytes(range, body)
        }
    }

    /// Compares form and bytes.
    public static func == (left: RequestTarget, right: RequestTarget) -> Bool {
        guard left.form == right.form else { return false }
        return left.withBytes { first in
            right.withBytes { second in
                guard first.count == second.count else { return false }
                for index in first.indices where first[index] != second[index] { return false }
                return true
            }
        }
    }

    /// Hashes form and bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(form)
        withBytes { bytes in
            for index in bytes.indices { hasher.combine(bytes[index]) }
        }
    }

    /// Finds the first byte that may not be sent; nil when the target is well formed.
    ///
    /// A fragment counts as such a byte: it is never sent (RFC 9110 §7.1).
    var invalidByteOffset: Int? {
        withBytes { bytes in
            guard !bytes.isEmpty else { return 0 }
            if form == .origin, bytes[0] != Byte.slash { return 0 }
            for index in bytes.indices
            where !ByteClass.isVisible(bytes[index]) || bytes[index] == Byte.hash {
                return index
            }
            return nil
        }
    }
}

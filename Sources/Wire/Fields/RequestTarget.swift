/// The target of a request, in one of the four forms of RFC 9112 §3.2.
///
/// The type accepts any text; the encoder refuses what may not be sent. A received target is kept as
/// bytes until its ``text`` is accessed.
public struct RequestTarget: Hashable, Sendable, CustomStringConvertible,
    CustomReflectable
{
    /// The form of a target.
    public enum Form: Hashable, Sendable {
        /// A path and query, such as `/a?b=c`; the usual form (§3.2.1).
        case origin
        /// A complete URI, for a request to a proxy (§3.2.2).
        case absolute
        /// A host and port, only for CONNECT (§3.2.3).
        case authority
        /// The server as a whole, only for OPTIONS (§3.2.4).
        case asterisk
    }

    /// The form of the target.
    public let form: Form
    private let content: Content

    private enum Content: Sendable {
        case text(String)
        case received(FieldStorage, Range<Int>)
    }

    /// Creates a target from bytes of a received head.
    init(_ form: Form, _ range: Range<Int>, of storage: FieldStorage) {
        self.form = form
        content = .received(storage, range)
    }

    private init(_ form: Form, _ text: String) {
        self.form = form
        content = .text(text)
    }

    /// Creates a target from a path and query (§3.2.1).
    public static func origin(_ text: String) -> RequestTarget { RequestTarget(.origin, text) }

    /// Creates a target from a complete URI (§3.2.2).
    public static func absolute(_ text: String) -> RequestTarget { RequestTarget(.absolute, text) }

    /// Creates a target from a host and port (§3.2.3).
    public static func authority(_ text: String) -> RequestTarget {
        RequestTarget(.authority, text)
    }

    /// The target for the server as a whole (§3.2.4).
    public static let asterisk = RequestTarget(.asterisk, "*")

    /// The target as on the wire; for a received target, each access creates the text.
    public var text: String {
        switch content {
        case .text(let text): text
        case .received(let storage, let range): storage.text(range)
        }
    }

    /// The target on one line, with `***` in place of the secrets of its query, such as tokens.
    public var description: String {
        let shown =
            form == .absolute
            ? SecretNames.common.redacted(try? URI(parsing: text), or: text)
            : SecretNames.common.redacted(target: text)
        return LogText.line(shown)
    }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }

    /// Calls a closure with the bytes of the target as on the wire, without creating text.
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

    /// The offset of the first byte that may not be sent; nil if the target is well formed.
    ///
    /// A "#" is such a byte, because a fragment is never sent (RFC 9110 §7.1).
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

extension RequestTarget {
    /// Returns whether a request with the given method may have a target of this form (RFC 9112 §3.2).
    ///
    /// A recipient would parse a target in the wrong form as another form, or refuse it.
    func isValid(for method: HTTPMethod) -> Bool {
        switch form {
        case .origin: method != .connect
        case .absolute: method != .connect && Self.hasSchemePrefix(text)
        case .authority: method == .connect && !text.utf8.contains(Byte.slash)
        case .asterisk: method == .options
        }
    }

    /// Returns whether the text begins with a scheme and "://".
    private static func hasSchemePrefix(_ text: String) -> Bool {
        guard let first = text.utf8.first, ByteClass.isAlpha(first),
            let colon = text.utf8.firstIndex(of: Byte.colon)
        else { return false }
        return text.utf8[colon...].starts(with: "://".utf8)
    }
}

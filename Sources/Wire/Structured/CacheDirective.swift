/// One element of a Cache-Control field (RFC 9111 §5.2).
public struct CacheDirective: Hashable, Sendable, CustomStringConvertible {
    /// The name, a token with its ASCII letters in lower case.
    public let name: String
    /// The argument without quotes, or nil if there is no "=".
    public let argument: String?

    /// Creates a directive, or returns nil if it cannot be written in a field.
    ///
    /// - Parameters:
    ///   - name: a token; it is converted to lower case.
    ///   - argument: any text without control characters, or nil for no argument.
    public init?(_ name: String, _ argument: String? = nil) {
        guard QuotedString.isToken(name), QuotedString.canRepresent(argument ?? "") else {
            return nil
        }
        self.init(parsed: name, argument)
    }

    /// Creates a directive with a number of seconds, or returns nil if the input is invalid.
    ///
    /// The name must be a token and the number must not be negative.
    public init?(_ name: String, seconds: Int) {
        guard seconds >= 0 else { return nil }
        self.init(name, "\(seconds)")
    }

    init(parsed name: String, _ argument: String?) {
        self.name = ByteClass.lowercase(name)
        self.argument = argument
    }

    /// Compares name and argument byte by byte.
    public static func == (left: CacheDirective, right: CacheDirective) -> Bool {
        guard left.name == right.name else { return false }
        return switch (left.argument, right.argument) {
        case (nil, nil): true
        case (let one?, let two?): one.utf8.elementsEqual(two.utf8)
        default: false
        }
    }

    /// Hashes the bytes of name and argument.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        for byte in (argument ?? "").utf8 { hasher.combine(byte) }
    }

    /// The directive.
    ///
    /// An argument that lists field names or is not a token is quoted.
    public var description: String {
        guard let argument else { return name }
        let isList = name == "no-cache" || name == "private"
        let text =
            isList ? QuotedString.quoted(argument) : QuotedString.quotedIfNeeded(argument)
        return "\(name)=\(text)"
    }
}

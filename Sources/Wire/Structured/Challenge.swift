/// Holds one way to authenticate that a server offers (RFC 9110 §11.3).
///
/// Authorization and Proxy-Authorization have the same grammar (§11.4).
public struct Challenge: Hashable, Sendable, CustomStringConvertible {
    /// Holds what follows the scheme.
    public enum Payload: Hashable, Sendable {
        /// One word, as in Bearer and Negotiate; usually base64.
        case token68(String)
        /// Parameters in their order; none for a bare scheme.
        case parameters([FieldParameter])
    }

    /// The scheme as spelled; ``isScheme(_:)`` compares it.
    public let scheme: String
    /// What follows the scheme.
    public let payload: Payload

    /// Creates a challenge with parameters; nil when the scheme is no token.
    public init?(scheme: String, parameters: [FieldParameter] = []) {
        guard QuotedString.isToken(scheme) else { return nil }
        self.init(parsed: scheme, .parameters(parameters))
    }

    /// Creates a challenge with one word; nil when the scheme is no token or the word no token68.
    public init?(scheme: String, token68: String) {
        guard QuotedString.isToken(scheme), var cursor = FieldCursor(token68),
            cursor.token68() != nil, cursor.isAtEnd
        else { return nil }
        self.init(parsed: scheme, .token68(token68))
    }

    /// Parses the text of exactly one challenge; nil for any other text.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), let list = try? Self.challenges(&cursor),
            list.count == 1
        else { return nil }
        self = list[0]
    }

    init(parsed scheme: String, _ payload: Payload) {
        self.scheme = scheme
        self.payload = payload
    }

    /// Parses the lines of WWW-Authenticate or Proxy-Authenticate.
    ///
    /// A line may hold several challenges: a parameter behind a comma belongs to the challenge
    /// before it, a word that is not followed by "=" begins another. A scheme without a space behind
    /// it has no parameters. A line counts up to its first fault: the challenges that are complete
    /// before it are returned, the one it is in is not.
    ///
    /// - Parameter lines: the value of each field line; joined with commas they mean the same.
    /// - Returns: all challenges in order.
    public static func list(_ lines: [String]) -> [Challenge] {
        var list: [Challenge] = []
        for line in lines {
            guard var cursor = FieldCursor(line) else { continue }
            do {
                list += try challenges(&cursor)
            } catch {
                list += error.before
            }
        }
        return list
    }

    /// Says whether the challenge is of that scheme; ASCII case does not matter.
    public func isScheme(_ name: String) -> Bool {
        ByteClass.equalsIgnoringCase(scheme.utf8.span, name.utf8.span)
    }

    /// Finds the value of the first parameter of that name; ASCII case does not matter.
    public subscript(parameter: String) -> String? {
        guard case .parameters(let parameters) = payload else { return nil }
        return parameters.first(ByteClass.lowercase(parameter))
    }

    /// The protection space (§11.5); nil when none is named.
    public var realm: String? { self["realm"] }

    /// Compares schemes without ASCII case, and payloads.
    public static func == (left: Challenge, right: Challenge) -> Bool {
        left.isScheme(right.scheme) && left.payload == right.payload
    }

    /// Hashes the scheme without ASCII case, and the payload.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ByteClass.lowercase(scheme))
        hasher.combine(payload)
    }

    /// Formats the challenge as it stands in a field.
    public var description: String {
        switch payload {
        case .token68(let word): "\(scheme) \(word)"
        case .parameters(let parameters):
            parameters.isEmpty
                ? scheme : "\(scheme) \(parameters.map(Self.format).joined(separator: ", "))"
        }
    }

    /// Quotes what old clients expect in quotes (§11.5, RFC 7616 §3.3).
    private static func format(_ parameter: FieldParameter) -> String {
        ["realm", "domain", "nonce", "opaque", "qop"].contains(parameter.name)
            ? "\(parameter.name)=\(QuotedString.quoted(parameter.value))" : "\(parameter)"
    }

    // MARK: - Grammar

    /// Carries what was complete before a fault.
    private struct ParseError: Error {
        let before: [Challenge]
    }

    private static func challenges(_ cursor: inout FieldCursor) throws(ParseError) -> [Challenge] {
        var list: [Challenge] = []
        // The scheme and the parameters of the challenge that may still grow.
        var open: (scheme: String, parameters: [FieldParameter])?
        while cursor.skipToElement() {
            let start = cursor.index
            if open != nil, let parameter = cursor.parameter(.aroundEquals) {
                guard cursor.isAtElementEnd() else { throw ParseError(before: list) }
                open?.parameters.append(parameter)
                continue
            }
            cursor.rewind(to: start)
            guard let scheme = cursor.token() else { throw ParseError(before: list + closed(open)) }
            let isSpaced = cursor.next.map(ByteClass.isSpace) == true
            let isBare = cursor.isAtElementEnd()
            // An "=" behind the word says that it is a broken parameter of the open challenge.
            guard cursor.next != Byte.equals else { throw ParseError(before: list) }
            list += closed(open)
            open = nil
            guard isSpaced else {
                guard isBare else { throw ParseError(before: list) }
                list.append(Challenge(parsed: scheme, .parameters([])))
                continue
            }
            guard !isBare else {
                open = (scheme, [])
                continue
            }
            let behindScheme = cursor.index
            if let word = cursor.token68(), cursor.isAtElementEnd() {
                list.append(Challenge(parsed: scheme, .token68(word)))
                continue
            }
            cursor.rewind(to: behindScheme)
            guard let parameter = cursor.parameter(.aroundEquals), cursor.isAtElementEnd() else {
                throw ParseError(before: list)
            }
            open = (scheme, [parameter])
        }
        return list + closed(open)
    }

    private static func closed(
        _ open: (scheme: String, parameters: [FieldParameter])?
    ) -> [Challenge] {
        open.map { [Challenge(parsed: $0.scheme, .parameters($0.parameters))] } ?? []
    }
}

extension FieldCursor {
    /// Reads a token68 (RFC 9110 §11.2); nil when none comes next.
    fileprivate mutating func token68() -> String? {
        let word = run { byte in
            switch byte {
            case UInt8(ascii: "-"), Byte.dot, UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "+"), Byte.slash:
                true
            default: ByteClass.isAlpha(byte) || ByteClass.isDigit(byte)
            }
        }
        return word.isEmpty ? nil : word + run { $0 == Byte.equals }
    }
}

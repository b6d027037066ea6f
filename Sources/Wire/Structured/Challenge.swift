/// An authentication challenge of a server (RFC 9110 §11.3).
///
/// Authorization and Proxy-Authorization have the same grammar (§11.4).
public struct Challenge: Hashable, Sendable, CustomStringConvertible {
    /// The part of a challenge after the scheme.
    public enum Payload: Hashable, Sendable {
        /// A single token68 value, as in Bearer and Negotiate; usually Base64.
        case token68(String)
        /// The parameters in field order; empty for a bare scheme.
        case parameters([FieldParameter])
    }

    /// The scheme as spelled by the sender.
    ///
    /// Use ``isScheme(_:)`` to compare it.
    public let scheme: String
    /// The part after the scheme.
    public let payload: Payload

    /// Creates a challenge with parameters, or returns nil if the scheme is not a token.
    public init?(scheme: String, parameters: [FieldParameter] = []) {
        guard QuotedString.isToken(scheme) else { return nil }
        self.init(parsed: scheme, .parameters(parameters))
    }

    /// Creates a challenge with a token68 value, or returns nil if either argument is malformed.
    public init?(scheme: String, token68: String) {
        guard QuotedString.isToken(scheme), var cursor = FieldCursor(token68),
            cursor.token68() != nil, cursor.isAtEnd
        else { return nil }
        self.init(parsed: scheme, .token68(token68))
    }

    /// Parses the text of exactly one challenge, or returns nil for any other text.
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
    /// A line may contain several challenges. A parameter after a comma belongs to the challenge
    /// before it; a word not followed by "=" begins another challenge. A scheme without a space
    /// after it has no parameters. Each line is parsed up to its first syntax error. The challenges
    /// that are complete before the error are returned; the one with the error is not.
    ///
    /// - Parameter lines: the value of each field line. Values joined with commas have the same
    ///   meaning.
    /// - Returns: all challenges in field order.
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

    /// Returns whether the challenge has that scheme, ignoring ASCII case.
    public func isScheme(_ name: String) -> Bool {
        ByteClass.equalsIgnoringCase(scheme.utf8.span, name.utf8.span)
    }

    /// Returns the value of the first parameter with that name, ignoring ASCII case.
    public subscript(parameter: String) -> String? {
        guard case .parameters(let parameters) = payload else { return nil }
        return parameters.first(ByteClass.lowercase(parameter))
    }

    /// The realm, which names the protection space (§11.5), or nil if there is none.
    public var realm: String? { self["realm"] }

    /// Compares schemes, ignoring ASCII case, and payloads.
    public static func == (left: Challenge, right: Challenge) -> Bool {
        left.isScheme(right.scheme) && left.payload == right.payload
    }

    /// Hashes the scheme, ignoring ASCII case, and the payload.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ByteClass.lowercase(scheme))
        hasher.combine(payload)
    }

    /// The challenge as written in a field.
    public var description: String {
        switch payload {
        case .token68(let word): "\(scheme) \(word)"
        case .parameters(let parameters):
            parameters.isEmpty
                ? scheme : "\(scheme) \(parameters.map(Self.format).joined(separator: ", "))"
        }
    }

    /// Quotes the parameters that old clients expect in quotes (§11.5, RFC 7616 §3.3).
    private static func format(_ parameter: FieldParameter) -> String {
        ["realm", "domain", "nonce", "opaque", "qop"].contains(parameter.name)
            ? "\(parameter.name)=\(QuotedString.quoted(parameter.value))" : "\(parameter)"
    }

    // MARK: - Grammar

    /// A syntax error, with the challenges that were complete before it.
    private struct ParseError: Error {
        let before: [Challenge]
    }

    private static func challenges(_ cursor: inout FieldCursor) throws(ParseError) -> [Challenge] {
        var list: [Challenge] = []
        // The scheme and the parameters of the challenge that can still gain parameters.
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
            // An "=" after the word means a malformed parameter of the open challenge.
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
    /// Reads a token68 (RFC 9110 §11.2), or returns nil if there is none.
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

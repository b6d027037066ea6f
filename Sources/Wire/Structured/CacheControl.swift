/// Holds the directives of Cache-Control, known and unknown (RFC 9111 §5.2).
///
/// When a directive is repeated, its first occurrence counts (§4.2.1).
///
/// ## Topics
/// ### Any directive
/// - ``contains(_:)``
/// - ``subscript(_:)``
/// - ``seconds(_:)``
/// - ``fields(_:)``
public struct CacheControl: Hashable, Sendable, CustomStringConvertible {
    /// All directives in their order.
    public var directives: [CacheDirective]

    /// Creates a value of those directives, in that order.
    public init(_ directives: [CacheDirective] = []) {
        self.directives = directives
    }

    /// Parses a field value; several lines are to be joined with commas first.
    ///
    /// What cannot be understood makes a cache more careful, not less: a name with a malformed
    /// argument, also one with whitespace around "=", is kept with an empty one, and an element
    /// without a name is passed over up to the next comma. Behind a quote that is never closed,
    /// commas separate and every argument in quotes counts as malformed. Nil for a control character
    /// alone.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        directives = []
        var hasOpenQuote = false
        while cursor.skipToElement() {
            guard let name = cursor.token() else {
                cursor.skipElement()
                continue
            }
            let argument = Self.argument(&cursor, &hasOpenQuote)
            directives.append(CacheDirective(parsed: name, argument))
        }
    }

    /// Reads what follows a name, up to a comma.
    ///
    /// No byte is read more than twice: a quote that is not closed is looked for once.
    private static func argument(
        _ cursor: inout FieldCursor,
        _ hasOpenQuote: inout Bool
    ) -> String? {
        let start = cursor.index
        guard !cursor.isAtElementEnd() else { return nil }
        var isSpaced = cursor.index > start
        var argument: String?
        if cursor.take(Byte.equals) {
            let equalsEnd = cursor.index
            cursor.skipSpaces()
            isSpaced = isSpaced || cursor.index > equalsEnd
            let isQuoted = cursor.next == Byte.quote
            if !isQuoted || !hasOpenQuote { argument = cursor.tokenOrQuotedString() }
            if isQuoted, argument == nil { hasOpenQuote = true }
        }
        // What stands in quotes is passed over as a whole, even if it is not believed.
        if cursor.isAtElementEnd(), let argument { return isSpaced ? "" : argument }
        cursor.skipElement()
        return ""
    }

    // MARK: - Any directive

    /// Says whether there is a directive of that name, with or without an argument.
    public func contains(_ name: String) -> Bool {
        self[name] != nil
    }

    /// Finds the first directive of that name; ASCII case does not matter.
    public subscript(name: String) -> CacheDirective? {
        let name = ByteClass.lowercase(name)
        return directives.first { $0.name == name }
    }

    /// Reads the argument of a directive as seconds (§1.2.2).
    ///
    /// - Parameter name: ASCII case does not matter.
    /// - Returns: nil without the directive; 0 when the argument is missing or no number; at most
    ///   2^31, which stands for "longer than you will live".
    public func seconds(_ name: String) -> Int? {
        guard let directive = self[name] else { return nil }
        return switch Digits.decimal(directive.argument ?? "", upTo: Self.maxSeconds) {
        case .value(let value): value
        case .tooLarge: Self.maxSeconds
        case .malformed: 0
        }
    }

    /// Lists the field names in the argument of `no-cache` or `private` (§5.2.2.4, §5.2.2.7).
    ///
    /// - Parameter name: ASCII case does not matter.
    /// - Returns: empty when the directive is missing or names no field, and so is about all.
    public func fields(_ name: String) -> [FieldName] {
        ListSyntax.elements(of: self[name]?.argument ?? "").map { FieldName($0) }
    }

    // MARK: - Known directives

    /// How long a response is fresh, or how old one may be that is wanted; in seconds.
    public var maxAge: Int? { seconds("max-age") }
    /// How long a response is fresh in a shared cache, in seconds (§5.2.2.10).
    public var sharedMaxAge: Int? { seconds("s-maxage") }
    /// How long a response must stay fresh to be wanted, in seconds (§5.2.1.3).
    public var minFresh: Int? { seconds("min-fresh") }
    /// How stale a response may be to be wanted, in seconds; 2^31 when any will do (§5.2.1.2).
    public var maxStale: Int? {
        guard let directive = self["max-stale"] else { return nil }
        return directive.argument == nil ? Self.maxSeconds : seconds("max-stale")
    }
    /// How long a stale response may be used while it is validated, in seconds (RFC 5861 §3).
    public var staleWhileRevalidate: Int? { seconds("stale-while-revalidate") }
    /// How long a stale response may be used when the origin fails, in seconds (RFC 5861 §4).
    public var staleIfError: Int? { seconds("stale-if-error") }
    /// Says whether nothing may be stored.
    public var isNoStore: Bool { contains("no-store") }
    /// Says whether what is stored must be validated; ``fields(_:)`` may narrow that.
    public var isNoCache: Bool { contains("no-cache") }
    /// Says whether the content must stay as it is.
    public var isNoTransform: Bool { contains("no-transform") }
    /// Says whether only a stored response is wanted.
    public var isOnlyIfCached: Bool { contains("only-if-cached") }
    /// Says whether shared caches may store the response even if it needs authentication.
    public var isPublic: Bool { contains("public") }
    /// Says whether shared caches must not store the response; ``fields(_:)`` may narrow that.
    public var isPrivate: Bool { contains("private") }
    /// Says whether a stale response must not be used without validation.
    public var isMustRevalidate: Bool { contains("must-revalidate") }
    /// Says whether that holds for shared caches.
    public var isProxyRevalidate: Bool { contains("proxy-revalidate") }
    /// Says whether only caches that know the status code may store the response.
    public var isMustUnderstand: Bool { contains("must-understand") }
    /// Says whether the response does not change while it is fresh (RFC 8246).
    public var isImmutable: Bool { contains("immutable") }

    /// Formats the field value.
    public var description: String { directives.map(\.description).joined(separator: ", ") }

    /// What RFC 9111 §1.2.2 takes for numbers too great to hold: 2^31 seconds, 68 years.
    private static let maxSeconds = 2_147_483_648
}

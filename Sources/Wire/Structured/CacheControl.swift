/// The directives of a Cache-Control field, known and unknown (RFC 9111 §5.2).
///
/// If a directive is repeated, the first occurrence is used (§4.2.1).
///
/// ## Topics
/// ### Any directive
/// - ``contains(_:)``
/// - ``subscript(_:)``
/// - ``seconds(_:)``
/// - ``fields(_:)``
public struct CacheControl: Hashable, Sendable, CustomStringConvertible {
    /// All directives, in field order.
    public var directives: [Directive]

    /// Creates a value with the directives in the given order.
    public init(_ directives: [Directive] = []) {
        self.directives = directives
    }

    /// Parses a field value.
    ///
    /// Join several field lines with commas first. Malformed input makes a cache more careful, not
    /// less. A name with a malformed argument, which includes whitespace around "=", is kept with
    /// an empty argument. An element without a name is skipped up to the next comma. After a quote
    /// that is never closed, every comma separates elements and every quoted argument counts as
    /// malformed. The result is nil only if the text contains a control character.
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
            directives.append(Directive(parsed: name, argument))
        }
    }

    /// Reads the rest of an element after its name, up to a comma.
    ///
    /// No byte is read more than twice, because the search for a missing closing quote runs only
    /// once.
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
        // A quoted string is skipped as a whole, even if its value is not used.
        if cursor.isAtElementEnd(), let argument { return isSpaced ? "" : argument }
        cursor.skipElement()
        return ""
    }

    // MARK: - Any directive

    /// Returns whether a directive with that name is present, with or without an argument.
    public func contains(_ name: String) -> Bool {
        self[name] != nil
    }

    /// Returns the first directive with that name, ignoring ASCII case.
    public subscript(name: String) -> Directive? {
        // Most messages have none.
        directives.isEmpty ? nil : first(ByteClass.lowercase(name))
    }

    // The known names are in lower case, so that they need not be converted.

    private func first(_ name: String) -> Directive? {
        directives.first { $0.name == name }
    }

    private func hasFirst(_ name: String) -> Bool { first(name) != nil }

    private func knownSeconds(_ name: String) -> Int? {
        first(name).map { Self.seconds(of: $0) }
    }

    /// Returns the argument of a directive as seconds (§1.2.2).
    ///
    /// - Parameter name: the name, in any ASCII case.
    /// - Returns: nil if the directive is absent, and 0 if its argument is missing or not a number.
    ///   The maximum is 2^31 seconds (68 years), which means unlimited.
    public func seconds(_ name: String) -> Int? {
        self[name].map { Self.seconds(of: $0) }
    }

    private static func seconds(of directive: Directive) -> Int {
        switch Digits.decimal(directive.argument ?? "", upTo: Self.maxSeconds) {
        case .value(let value): value
        case .tooLarge: maxSeconds
        case .malformed: 0
        }
    }

    /// Returns the field names in the argument of `no-cache` or `private` (§5.2.2.4, §5.2.2.7).
    ///
    /// - Parameter name: the name, in any ASCII case.
    /// - Returns: an empty list if the directive is absent, or names no field and so applies to the
    ///   whole response.
    public func fields(_ name: String) -> [FieldName] {
        ListSyntax.elements(of: self[name]?.argument ?? "").map { FieldName($0) }
    }

    // MARK: - Known directives

    /// The freshness lifetime of a response or, in a request, the maximum accepted age; in seconds.
    public var maxAge: Int? { knownSeconds("max-age") }
    /// The freshness lifetime of a response in a shared cache, in seconds (§5.2.2.10).
    public var sharedMaxAge: Int? { knownSeconds("s-maxage") }
    /// The minimum remaining freshness that the client accepts, in seconds (§5.2.1.3).
    public var minFresh: Int? { knownSeconds("min-fresh") }
    /// The maximum staleness that the client accepts, in seconds; 2^31 for any staleness
    /// (§5.2.1.2).
    public var maxStale: Int? {
        guard let directive = first("max-stale") else { return nil }
        return directive.argument == nil ? Self.maxSeconds : knownSeconds("max-stale")
    }
    /// The time a stale response may be used while it is being validated, in seconds (RFC 5861 §3).
    public var staleWhileRevalidate: Int? { knownSeconds("stale-while-revalidate") }
    /// The time a stale response may be used if the origin fails, in seconds (RFC 5861 §4).
    public var staleIfError: Int? { knownSeconds("stale-if-error") }
    /// Whether caches must not store anything.
    public var isNoStore: Bool { hasFirst("no-store") }
    /// Whether a stored response must be validated before use; ``fields(_:)`` may narrow this.
    public var isNoCache: Bool { hasFirst("no-cache") }
    /// Whether intermediaries must not transform the content.
    public var isNoTransform: Bool { hasFirst("no-transform") }
    /// Whether the client accepts only a stored response.
    public var isOnlyIfCached: Bool { hasFirst("only-if-cached") }
    /// Whether shared caches may store the response even if it requires authentication.
    public var isPublic: Bool { hasFirst("public") }
    /// Whether shared caches must not store the response; ``fields(_:)`` may narrow this.
    public var isPrivate: Bool { hasFirst("private") }
    /// Whether a stale response must not be used without validation.
    public var isMustRevalidate: Bool { hasFirst("must-revalidate") }
    /// Whether shared caches must not use a stale response without validation.
    public var isProxyRevalidate: Bool { hasFirst("proxy-revalidate") }
    /// Whether only caches that understand the status code may store the response.
    public var isMustUnderstand: Bool { hasFirst("must-understand") }
    /// Whether the response does not change while it is fresh (RFC 8246).
    public var isImmutable: Bool { hasFirst("immutable") }

    /// The field value.
    public var description: String { directives.map(\.description).joined(separator: ", ") }

    /// The limit for numbers that are too large (RFC 9111 §1.2.2): 2^31 seconds, 68 years.
    private static let maxSeconds = 2_147_483_648
}

extension CacheControl {
    /// One element of a Cache-Control field (RFC 9111 §5.2).
    public struct Directive: Hashable, Sendable, CustomStringConvertible {
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
        public static func == (left: Directive, right: Directive) -> Bool {
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
}

/// The directives of a request for the caches on its way (RFC 9111 §5.2.1).
extension CacheControl.Directive {
    /// Accepts only a response that is at most this many seconds old.
    public static func maxAge(seconds: Int) -> CacheControl.Directive {
        CacheControl.Directive(parsed: "max-age", "\(seconds)")
    }

    /// Accepts a response that has been stale for at most this many seconds; nil accepts any
    /// staleness.
    public static func maxStale(seconds: Int?) -> CacheControl.Directive {
        CacheControl.Directive(parsed: "max-stale", seconds.map { "\($0)" })
    }

    /// Accepts only a response that stays fresh for at least this many more seconds.
    public static func minFresh(seconds: Int) -> CacheControl.Directive {
        CacheControl.Directive(parsed: "min-fresh", "\(seconds)")
    }

    /// Accepts a stored response only after the origin has confirmed it.
    public static let noCache = CacheControl.Directive(parsed: "no-cache", nil)
    /// Forbids caches from storing the request or its response.
    public static let noStore = CacheControl.Directive(parsed: "no-store", nil)
    /// Forbids intermediaries from transforming the content.
    public static let noTransform = CacheControl.Directive(parsed: "no-transform", nil)
    /// Accepts only a stored response; without one, the cache answers 504 (Gateway Timeout).
    public static let onlyIfCached = CacheControl.Directive(parsed: "only-if-cached", nil)

    /// Whether the argument is a negative number of seconds, which no field can contain (§1.2.2).
    package var hasNegativeSeconds: Bool {
        ["max-age", "max-stale", "min-fresh"].contains(name)
            && argument?.utf8.first == UInt8(ascii: "-")
    }
}

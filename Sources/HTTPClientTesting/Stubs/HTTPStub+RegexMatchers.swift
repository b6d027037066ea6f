internal import HTTPClient
internal import SocketTransport
public import Wire

/// Matchers with regular expressions.
extension HTTPStub.Matcher {
    /// Matches requests whose URL contains a match of the expression.
    ///
    ///     .url(matching: /\/users\/\d+$/)
    ///
    /// - Parameter regex: the expression to find in the text of the absolute URL.
    /// - Returns: the matcher.
    public static func url<Output>(matching regex: sending Regex<Output>) -> Self {
        let regex = SharedRegex(regex)
        return Self("URL matching an expression") { request in
            regex.matches(in: request.url.text)
                ? .matched() : .mismatched("the URL does not match the expression")
        }
    }

    /// Matches requests with a header field of that name whose value contains a match of the expression.
    ///
    /// - Parameters:
    ///   - name: the name of the header field; one match in any of its lines is enough.
    ///   - regex: the expression to find in each value.
    /// - Returns: the matcher.
    public static func header<Output>(
        _ name: FieldName,
        matching regex: sending Regex<Output>
    ) -> Self {
        let regex = SharedRegex(regex)
        return Self("\(name.rawName) matching an expression") { request in
            request.headers.values(name).contains { regex.matches(in: $0) }
                ? .matched() : .mismatched("no \(name.rawName) matches the expression")
        }
    }

    /// Matches requests whose body, as text, contains a match of the expression.
    ///
    /// A body that is produced while it is sent is not available to matchers: neither this matcher
    /// nor its negation matches.
    ///
    /// - Parameter regex: the expression to find in the body as UTF-8 text, with U+FFFD for bytes
    ///   that are not UTF-8.
    /// - Returns: the matcher.
    public static func body<Output>(matching regex: sending Regex<Output>) -> Self {
        let regex = SharedRegex(regex)
        return Self("body matching an expression") { request in
            if let reason = request.pendingBody { return .unknown(reason) }
            return regex.matches(in: request.text)
                ? .matched() : .mismatched("the body does not match the expression")
        }
    }
}

/// A regular expression shared between threads, with a lock because `Regex` is not `Sendable`.
private final class SharedRegex: Sendable {
    private let regex: Locked<Regex<AnyRegexOutput>>

    init<Output>(_ regex: sending Regex<Output>) {
        self.regex = Locked(Regex<AnyRegexOutput>(regex))
    }

    /// Returns whether there is a match anywhere in the text.
    func matches(in text: String) -> Bool {
        regex.withLock { text.firstMatch(of: $0) != nil }
    }
}

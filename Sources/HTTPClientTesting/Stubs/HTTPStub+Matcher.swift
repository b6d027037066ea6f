internal import HTTPClient
internal import Wire

// To add a matcher, add it to `HTTPStub+MatcherKinds`, `HTTPStub+URLMatchers` or `HTTPStub+RegexMatchers`, and a line
// to the topics below. The test is a row of `HTTPStubTests`.

extension HTTPStub {
    /// A condition that selects requests.
    ///
    ///     .get("https://api.example.com/users?page=2")
    ///     .all(.method(.post), .url(prefix: "https://api.example.com/v1"), .json(["a": 1]))
    ///     .all(.get, .template("/users/{id}"))
    ///
    /// A string literal is ``url(_:query:)``.
    ///
    /// ## Topics
    /// ### URL
    /// - ``url(_:query:)``
    /// - ``url(prefix:)``
    /// - ``url(matching:)``
    /// - ``template(_:)``
    /// - ``host(_:)``
    /// - ``query(_:_:)``
    /// ### Method
    /// - ``method(_:)``
    /// - ``get(_:)``
    /// - ``post(_:)``
    /// ### Header fields and content
    /// - ``header(_:)``
    /// - ``header(_:_:)``
    /// - ``header(_:matching:)``
    /// - ``json(_:)-(HTTPJSON)``
    /// - ``json(_:)-(String)``
    /// - ``body(_:)-([UInt8])``
    /// - ``body(matching:)``
    /// ### Combining matchers
    /// - ``all(_:)``
    /// - ``any(_:)``
    /// - ``not(_:)``
    /// - ``when(_:_:)``
    public struct Matcher: Sendable, CustomStringConvertible {
        /// Whether the query of a URL is compared.
        public enum QueryMatching: Sendable, Hashable {
            /// Both queries must have the same items, in any order.
            case compared
            /// Any query matches.
            case ignored
        }

        /// The outcome of one condition for a request.
        enum Outcome {
            case matched([String: HTTPParameters.ParameterValue] = [:])
            /// The reason for a mismatch, as a message about the request.
            case mismatched(String)
            /// The reason why the outcome is not known yet. Then neither the condition nor its
            /// negation matches.
            case unknown(String)
        }

        indirect enum Kind: Sendable {
            case condition(@Sendable (Request) -> Outcome)
            case all([Matcher])
            case any([Matcher])
            case not(Matcher)
            /// The matcher was created from invalid input.
            case invalid(reason: String)
        }

        /// The result of evaluating a matcher for a request.
        struct MatchResult {
            /// The number of conditions that match; `total` is the number of all conditions.
            var matched = 0
            var total = 0
            /// Why the request does not match; nil if it matches.
            var failure: String?
            /// Why the result is not known yet; nil if it is known.
            var unknown: String?
            var variables: [String: HTTPParameters.ParameterValue] = [:]

            /// Returns whether this result is closer to a match than another.
            func isCloser(than other: MatchResult) -> Bool {
                matched * other.total > other.matched * total
            }
        }

        /// A short description of the requests that match.
        public let description: String
        let kind: Kind

        init(_ description: String, _ kind: Kind) {
            self.description = description
            self.kind = kind
        }

        init(_ description: String, _ condition: @escaping @Sendable (Request) -> Outcome) {
            self.init(description, .condition(condition))
        }

        init(all matchers: [Matcher]) {
            let words = matchers.map(\.description).joined(separator: " ")
            self.init(matchers.isEmpty ? "any request" : words, .all(matchers))
        }

        // MARK: - Evaluation

        /// Why the matcher is invalid; nil if it is valid.
        var invalidReason: String? {
            switch kind {
            case .condition: nil
            case .all(let matchers), .any(let matchers):
                matchers.lazy.compactMap(\.invalidReason).first
            case .not(let matcher): matcher.invalidReason
            case .invalid(let reason): reason
            }
        }

        /// Returns whether a request matches.
        func matches(_ request: Request) -> Bool { evaluate(request).failure == nil }

        /// Evaluates all conditions for a request, to find out how close to a match it is.
        func evaluate(_ request: Request) -> MatchResult {
            switch kind {
            case .condition(let condition):
                switch condition(request) {
                case .matched(let variables):
                    MatchResult(matched: 1, total: 1, variables: variables)
                case .mismatched(let reason): MatchResult(matched: 0, total: 1, failure: reason)
                case .unknown(let reason):
                    MatchResult(matched: 0, total: 1, failure: reason, unknown: reason)
                }
            case .invalid(let reason): MatchResult(matched: 0, total: 1, failure: reason)
            case .all(let matchers): Self.join(matchers.map { $0.evaluate(request) })
            case .any(let matchers): Self.nearest(matchers.map { $0.evaluate(request) })
            case .not(let matcher): Self.negated(matcher.evaluate(request), of: matcher)
            }
        }

        private static func negated(_ result: MatchResult, of matcher: Matcher) -> MatchResult {
            if let unknown = result.unknown {
                return MatchResult(matched: 0, total: 1, failure: unknown, unknown: unknown)
            }
            return result.failure == nil
                ? MatchResult(matched: 0, total: 1, failure: "it is \(matcher)")
                : MatchResult(matched: 1, total: 1)
        }

        private static func join(_ results: [MatchResult]) -> MatchResult {
            let failed = results.filter { $0.failure != nil }
            var whole = MatchResult()
            if failed.allSatisfy({ $0.unknown != nil }) { whole.unknown = failed.first?.unknown }
            for part in results {
                whole.matched += part.matched
                whole.total += part.total
                whole.failure = whole.failure ?? part.failure
                whole.variables.merge(part.variables) { first, _ in first }
            }
            return whole
        }

        private static func nearest(_ results: [MatchResult]) -> MatchResult {
            if let match = results.first(where: { $0.failure == nil }) { return match }
            guard var best = results.first else {
                return MatchResult(
                    matched: 0,
                    total: 1,
                    failure: "the list of matchers is empty"
                )
            }
            for result in results.dropFirst() where result.isCloser(than: best) {
                best = result
            }
            best.unknown = results.lazy.compactMap(\.unknown).first
            return best
        }
    }
}

extension HTTPStub.Matcher: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a matcher for a URL, as ``url(_:query:)``.
    public init(stringLiteral url: String) {
        self = .url(url)
    }
}

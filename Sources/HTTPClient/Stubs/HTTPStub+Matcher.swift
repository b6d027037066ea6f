internal import Wire

extension HTTPStub {
    /// Says which requests are meant.
    ///
    ///     .get("https://api.example.com/users?page=2")
    ///     .all(.method(.post), .url(prefix: "https://api.example.com/v1"), .json(["a": 1]))
    ///     .all(.get, .template("/users/{id}"))
    ///
    /// A text literal is ``url(_:query:)``. The product `HTTPClientTesting` adds matchers that take regular
    /// expressions, so that programs which use none do not link the regular expression engine.
    ///
    /// ## Topics
    /// ### URL
    /// - ``url(_:query:)``
    /// - ``url(prefix:)``
    /// - ``template(_:)``
    /// - ``host(_:)``
    /// - ``query(_:_:)``
    /// ### Method
    /// - ``method(_:)``
    /// - ``get(_:)``
    /// - ``post(_:)``
    /// ### Fields and content
    /// - ``header(_:)``
    /// - ``header(_:_:)``
    /// - ``json(_:)-(HTTPJSON)``
    /// - ``json(_:)-(String)``
    /// - ``body(_:)-([UInt8])``
    /// ### Together
    /// - ``all(_:)``
    /// - ``any(_:)``
    /// - ``not(_:)``
    /// - ``when(_:_:)``
    public struct Matcher: Sendable, CustomStringConvertible {
        /// Whether the query of a URL matters.
        public enum QueryUse: Sendable, Hashable {
            /// Both have the same items, in any order.
            case compared
            /// Any query will do.
            case ignored
        }

        /// What one condition says of a request.
        package enum Verdict {
            case met([String: HTTPParameterValue] = [:])
            /// Why not, as a sentence about the request.
            case unmet(String)
            /// Why nobody can say yet; neither the condition nor its contrary is met.
            case unknown(String)
        }

        indirect enum Kind: Sendable {
            case condition(@Sendable (Request) -> Verdict)
            case all([Matcher])
            case any([Matcher])
            case not(Matcher)
            /// What it was made of is no such thing.
            case faulty(reason: String)
        }

        /// What came of looking at a request.
        struct Finding {
            /// Conditions that are met, and how many there are.
            var met = 0
            var total = 0
            /// Why it does not match; nil when it does.
            var failure: String?
            /// Why nobody knows yet whether it matches; nil when that is known.
            var unknown: String?
            var variables: [String: HTTPParameterValue] = [:]

            /// Whether it was closer to a match.
            func isNearer(than other: Finding) -> Bool { met * other.total > other.met * total }
        }

        /// What it looks for, in a few words.
        public let description: String
        let kind: Kind

        init(_ description: String, _ kind: Kind) {
            self.description = description
            self.kind = kind
        }

        package init(_ description: String, _ condition: @escaping @Sendable (Request) -> Verdict) {
            self.init(description, .condition(condition))
        }

        init(all matchers: [Matcher]) {
            let words = matchers.map(\.description).joined(separator: " ")
            self.init(matchers.isEmpty ? "any request" : words, .all(matchers))
        }

        // MARK: - Looking

        /// What is wrong with it; nil when nothing is.
        var fault: String? {
            switch kind {
            case .condition: nil
            case .all(let matchers), .any(let matchers): matchers.lazy.compactMap(\.fault).first
            case .not(let matcher): matcher.fault
            case .faulty(let reason): reason
            }
        }

        /// Whether a request is meant.
        func matches(_ request: Request) -> Bool { look(at: request).failure == nil }

        /// Looks at a request; every condition does, so that it is known how far from a match it is.
        func look(at request: Request) -> Finding {
            switch kind {
            case .condition(let condition):
                switch condition(request) {
                case .met(let variables): Finding(met: 1, total: 1, variables: variables)
                case .unmet(let reason): Finding(met: 0, total: 1, failure: reason)
                case .unknown(let reason):
                    Finding(met: 0, total: 1, failure: reason, unknown: reason)
                }
            case .faulty(let reason): Finding(met: 0, total: 1, failure: reason)
            case .all(let matchers): Self.join(matchers.map { $0.look(at: request) })
            case .any(let matchers): Self.nearest(matchers.map { $0.look(at: request) })
            case .not(let matcher): Self.contrary(matcher.look(at: request), of: matcher)
            }
        }

        private static func contrary(_ finding: Finding, of matcher: Matcher) -> Finding {
            if let unknown = finding.unknown {
                return Finding(met: 0, total: 1, failure: unknown, unknown: unknown)
            }
            return finding.failure == nil
                ? Finding(met: 0, total: 1, failure: "it is \(matcher)")
                : Finding(met: 1, total: 1)
        }

        private static func join(_ findings: [Finding]) -> Finding {
            let failed = findings.filter { $0.failure != nil }
            var whole = Finding()
            if failed.allSatisfy({ $0.unknown != nil }) { whole.unknown = failed.first?.unknown }
            for part in findings {
                whole.met += part.met
                whole.total += part.total
                whole.failure = whole.failure ?? part.failure
                whole.variables.merge(part.variables) { first, _ in first }
            }
            return whole
        }

        private static func nearest(_ findings: [Finding]) -> Finding {
            if let match = findings.first(where: { $0.failure == nil }) { return match }
            guard var best = findings.first else {
                return Finding(met: 0, total: 1, failure: "nothing was said that would match")
            }
            for finding in findings.dropFirst() where finding.isNearer(than: best) {
                best = finding
            }
            best.unknown = findings.lazy.compactMap(\.unknown).first
            return best
        }
    }
}

extension HTTPStub.Matcher: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes a matcher of a URL, as ``url(_:query:)``.
    public init(stringLiteral url: String) {
        self = .url(url)
    }
}

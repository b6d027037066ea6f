package import Wire

/// The freshness lifetime and the age of a response (RFC 9111 §4.2).
///
/// All numbers are seconds. Each is at most 2^31, which means unlimited (§1.2.2), and none is negative.
package struct CacheFreshness: Sendable, Hashable {
    /// The origin of a freshness lifetime.
    package enum Source: Sendable, Hashable {
        case maxAge
        case expires
        case heuristic
        /// Neither the response nor a heuristic gives a lifetime; it is 0.
        case unknown
    }

    /// The time from the creation of the response until it is stale.
    package let lifetime: Int
    /// The origin of ``lifetime``.
    package let source: Source
    /// The age at the time the response was received: the corrected initial age of §4.2.3.
    let initialAge: Int
    /// The creation time: Date, or the time of receipt if Date is missing or malformed.
    package let date: HTTPDate
    private let responseTime: HTTPDate

    /// Calculates lifetime and age.
    ///
    /// - Parameters:
    ///   - head: the head of the response.
    ///   - directives: the directives of the response.
    ///   - requestTime: the time the request was sent.
    ///   - responseTime: the time the response was received.
    package init(
        _ head: ResponseHead,
        _ directives: ResponseDirectives,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) {
        let headers = head.headers
        date = headers[.date].flatMap { HTTPDate(anyCase: $0, now: responseTime) } ?? responseTime
        self.responseTime = responseTime
        let apparentAge = max(0, date.interval(to: responseTime))
        // The clock may have been set back while the client waited.
        let delay = max(0, requestTime.interval(to: responseTime))
        let correctedAge = Self.age(in: headers) + delay
        initialAge = min(max(apparentAge, correctedAge), Self.unlimited)
        (lifetime, source) = Self.lifetime(
            headers,
            directives,
            allowsHeuristic: directives.isPublic
                || CacheRules.isHeuristicallyCacheable(head.status),
            date: date,
            responseTime: responseTime
        )
    }

    /// Returns the age at a time (§4.2.3); the last known age if the clock was set back.
    package func age(at now: HTTPDate) -> Int {
        min(initialAge + max(0, responseTime.interval(to: now)), Self.unlimited)
    }

    /// Returns whether the response is from the future, because the clock was set back after its receipt.
    ///
    /// Its age is unknown then, so it is stale.
    func isFromFuture(at now: HTTPDate) -> Bool {
        now < responseTime
    }

    /// Returns whether the response is fresh (§4.2): the lifetime is greater than the age.
    package func isFresh(at now: HTTPDate) -> Bool {
        !isFromFuture(at: now) && lifetime > age(at: now)
    }

    /// Returns the time for which the response stays fresh; negative for the time since it became stale.
    package func secondsFresh(at now: HTTPDate) -> Int {
        lifetime - age(at: now)
    }

    /// Returns the time for which the response stays fresh; 0 if it is stale.
    package func remaining(at now: HTTPDate) -> Int {
        isFromFuture(at: now) ? 0 : max(0, lifetime - age(at: now))
    }

    /// Returns the time since the response became stale; unlimited if the response is from the future.
    package func staleness(at now: HTTPDate) -> Int {
        isFromFuture(at: now) ? Self.unlimited : max(0, age(at: now) - lifetime)
    }

    /// The number that means unlimited: 2^31.
    package static let unlimited = 2_147_483_648

    /// The longest lifetime that is guessed: a day.
    private static let maxHeuristic = 86_400

    /// Returns the lifetime and its source (§4.2.1).
    ///
    /// Of several Expires lines, the first is used. A malformed one, such as `0`, is in the past (§5.3). The heuristic
    /// is a tenth of the time since Last-Modified, and at most a day (§4.2.2). A Date in the future does not extend it.
    private static func lifetime(
        _ headers: HTTPHeaders,
        _ directives: ResponseDirectives,
        allowsHeuristic: Bool,
        date: HTTPDate,
        responseTime: HTTPDate
    ) -> (Int, Source) {
        if let maxAge = directives.maxAge { return (maxAge, .maxAge) }
        if let text = headers[.expires] {
            guard let expires = HTTPDate(anyCase: text, now: responseTime) else {
                return (0, .expires)
            }
            return (min(max(0, date.interval(to: expires)), unlimited), .expires)
        }
        guard allowsHeuristic, let changed = headers.date(of: .lastModified, now: responseTime)
        else { return (0, .unknown) }
        let unchanged = max(0, changed.interval(to: min(date, responseTime)))
        return (min(unchanged / 10, maxHeuristic), .heuristic)
    }

    /// Returns the value of Age; 0 if it is missing or malformed (§5.1).
    ///
    /// Of several lines or list members, the first is used.
    private static func age(in headers: HTTPHeaders) -> Int {
        guard let first = headers[.age].flatMap({ ListSyntax.elements(of: $0).first }) else {
            return 0
        }
        return switch Digits.decimal(first, upTo: unlimited) {
        case .value(let value): value
        case .tooLarge: unlimited
        case .malformed: 0
        }
    }
}

extension HTTPHeaders {
    /// Returns a date in any case; nil if it is missing or malformed, or if there are several different ones.
    fileprivate func date(of name: FieldName, now: HTTPDate) -> HTTPDate? {
        let values = values(name)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return HTTPDate(anyCase: first, now: now)
    }
}

extension HTTPDate {
    /// Returns the seconds from this date to another; negative if the other is earlier.
    ///
    /// It cannot overflow, because a date is in the years 0 to 9999.
    func interval(to other: HTTPDate) -> Int {
        other.secondsSince1970 - secondsSince1970
    }
}

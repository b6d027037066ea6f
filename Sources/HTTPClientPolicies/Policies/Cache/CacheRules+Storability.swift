package import Wire

extension CacheRules {
    /// The reason why a response is not stored.
    ///
    /// The raw value can be the parameter `detail` of a Cache-Status field (RFC 9211 §2.8).
    package enum Refusal: String, Sendable, Hashable, CaseIterable {
        /// The method is not GET; the response to a HEAD only updates stored ones.
        case method
        /// The mode is `noStore`, or the request has its own conditions.
        case mode
        /// The request has content, which the key of the cache does not contain.
        case requestContent = "request-content"
        case requestNoStore = "request-no-store"
        case responseNoStore = "response-no-store"
        /// The status is not final.
        case interim
        /// A 304 updates stored responses and is none itself.
        case notModified = "not-modified"
        /// The status answers this request only, or its definition forbids storing.
        case status
        /// `must-understand` is present, and the cache does not know the status.
        case statusNotUnderstood = "status-not-understood"
        /// Nothing permits storing a response with this status.
        case noPermission = "no-permission"
        /// Vary contains `*` or is malformed.
        case vary
        /// A 206 that cannot be combined: not one range of a known length, or no strong validator.
        case partial
        /// The response has neither freshness nor a validator, so it could never be used.
        case neverUsable = "never-usable"
    }

    /// Decides whether a response may be stored (RFC 9111 §3).
    ///
    /// The cache is private: responses with `private`, and those to requests with Authorization, are stored. A 206 is
    /// stored if it is one range of a representation with a known length and a strong validator (§3.3, §3.4).
    ///
    /// - Parameters:
    ///   - response: the head of the response as received.
    ///   - request: the head of the request as sent by the caller, without the conditions that the cache added.
    ///   - mode: the mode of the call.
    ///   - now: the time the response was received.
    /// - Returns: nil if the response may be stored; otherwise the reason.
    package static func refusal(
        of response: ResponseHead,
        to request: RequestHead,
        mode: HTTPRequest.CacheMode = .default,
        at now: HTTPDate
    ) -> Refusal? {
        guard request.method == .get else { return .method }
        if mode.applied(to: request.headers) == .noStore { return .mode }
        if hasContent(request) { return .requestContent }
        if RequestDirectives(request.headers).isNoStore { return .requestNoStore }
        return refusal(of: response, toStorable: request, at: now)
    }

    /// Decides whether the response to a request may be stored, if nothing of the request forbids that.
    static func refusal(
        of response: ResponseHead,
        toStorable request: RequestHead,
        at now: HTTPDate
    ) -> Refusal? {
        let directives = ResponseDirectives(response.headers)
        return refusal(of: response.status, directives)
            ?? refusal(of: response, directives, to: request, at: now)
    }

    private static func refusal(
        of status: HTTPStatus,
        _ directives: ResponseDirectives
    ) -> Refusal? {
        if status.kind == .informational { return .interim }
        if status == .notModified { return .notModified }
        if unstorable.contains(status.code) { return .status }
        if directives.isMustUnderstand {
            return isUnderstood(status) ? nil : .statusNotUnderstood
        }
        return directives.isNoStore ? .responseNoStore : nil
    }

    private static func refusal(
        of response: ResponseHead,
        _ directives: ResponseDirectives,
        to request: RequestHead,
        at now: HTTPDate
    ) -> Refusal? {
        let isPermitted =
            directives.isPublic || directives.isPrivate || directives.maxAge != nil
            || response.headers.contains(.expires) || isHeuristicallyCacheable(response.status)
        guard isPermitted else { return .noPermission }
        if CacheVariant(response.headers, selectedBy: request.headers) == nil { return .vary }
        let validators = CacheValidators(response.headers)
        if response.status == .partialContent {
            guard CacheRanges.part(in: response.headers) != nil, validators.isStrong else {
                return .partial
            }
        }
        guard validators.isEmpty else { return nil }
        let canBeUsed =
            directives.staleWhileRevalidate > 0 || directives.staleIfError > 0
            || hasLifetime(response, directives, at: now)
        return canBeUsed && !directives.isNoCache ? nil : .neverUsable
    }

    private static func hasLifetime(
        _ response: ResponseHead,
        _ directives: ResponseDirectives,
        at now: HTTPDate
    ) -> Bool {
        // Most responses that are not stored have none of these, and their dates are not parsed.
        guard
            directives.maxAge != nil || response.headers.contains(.expires)
                || response.headers.contains(.lastModified)
        else { return false }
        let freshness = CacheFreshness(response, directives, requestTime: now, responseTime: now)
        return freshness.lifetime > 0
    }

    /// Returns whether a status is cacheable without an explicit lifetime (RFC 9110 §15.1).
    static func isHeuristicallyCacheable(_ status: HTTPStatus) -> Bool {
        heuristic.contains(status.code)
    }

    /// Returns whether the cache knows the meaning of a status: it is one of RFC 9110 §15.
    static func isUnderstood(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }

    private static let heuristic: Set = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// The statuses that are never stored.
    ///
    /// RFC 6585 forbids storing 428, 429, 431 and 511. The others depend on credentials, conditions, ranges or the
    /// connection of one request, and would answer requests without them.
    private static let unstorable: Set = [401, 407, 412, 416, 417, 421, 425, 428, 429, 431, 511]
}

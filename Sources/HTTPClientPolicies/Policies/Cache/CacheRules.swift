package import Wire

// To change what the cache stores or when it answers, change this folder: `CacheRules+Storability` decides on storing,
// `CacheRules` on reuse, `CacheFreshness` on ages, `CacheUpdate` on 304 and HEAD, and `CacheRanges` on ranges.
// `HTTPCache+Responses` adds refusals that need the store, and `CallDriver+Cache` those of a request that its URL does
// not identify. The tests are `StorabilityTests`, `CacheFreshnessTests`, `CacheDecisionTests`, `CacheSelectionTests`,
// `StaleIfErrorTests`, `CacheUpdateTests` and `CacheRangesTests`.

/// The rules of a private cache (RFC 9111, RFC 5861).
///
/// Pure. The order of use: ``decision(on:mode:among:at:)`` before a request, then ``refusal(of:to:mode:at:)`` for its
/// response, or ``CacheUpdate`` for a 304 and the response to a HEAD. ``CacheInvalidation`` is for methods that are not
/// safe.
package enum CacheRules {
    /// Decides whether a stored response answers a request (RFC 9111 §4).
    ///
    /// `must-revalidate` and `no-cache` of a response apply in every mode: such a response is never used stale or
    /// without validation. `forceCache` and `onlyIfCached` override the directives of the request, except `no-store`.
    ///
    /// - Parameters:
    ///   - request: the head of the request.
    ///   - mode: the mode of the call.
    ///   - stored: the responses that are stored for GET requests with the target URI of the request, in the order in
    ///     which they were stored.
    ///   - now: the current time.
    /// - Returns: the decision; its indices are those of `stored`.
    package static func decision(
        on request: RequestHead,
        mode: HTTPRequest.CacheMode,
        among stored: [StoredResponse],
        at now: HTTPDate
    ) -> CacheDecision {
        let headers = request.headers
        let directives = RequestDirectives(headers)
        let mode = mode.applied(to: headers)
        let isOnlyCached = mode == .onlyIfCached || directives.isOnlyIfCached
        if let reason = bypass(request, directives, mode) {
            return isOnlyCached ? .unavailable(reason) : .fetch(reason)
        }
        switch selection(for: request, among: stored) {
        case .failure(let reason): return isOnlyCached ? .unavailable(reason) : .fetch(reason)
        case .success(let (index, content)):
            let response = stored[index]
            let reuse = CacheReuse(
                index: index,
                age: response.freshness.age(at: now),
                withheldFields: response.directives.noCacheFields,
                content: content
            )
            switch use(of: response, directives, mode, at: now) {
            case .fresh: return .fresh(reuse)
            case .stale(let reason): return .stale(reuse, reason)
            case .validate(let reason):
                if isOnlyCached { return .unavailable(.notUsable(reason)) }
                let conditions = response.validators.conditions
                guard !conditions.isEmpty else { return .fetch(.notUsable(reason)) }
                return .revalidate(
                    CacheRevalidation(index: index, conditions: conditions, reason: reason)
                )
            }
        }
    }

    /// Returns the reason not to look for a stored response; nil if the cache may answer.
    private static func bypass(
        _ request: RequestHead,
        _ directives: RequestDirectives,
        _ mode: HTTPRequest.CacheMode
    ) -> CacheFetchReason? {
        guard request.method == .get || request.method == .head else { return .method }
        if mode == .noStore || mode == .reload { return .mode }
        if directives.isNoStore { return .requestNoStore }
        return hasContent(request) ? .requestContent : nil
    }

    /// Returns whether a request has content.
    ///
    /// HTTP gives no meaning to the content of a GET, but some servers do, so the URI does not identify the response.
    static func hasContent(_ request: RequestHead) -> Bool {
        request.headers.contains(.transferEncoding)
            || request.headers.contains(.contentLength)
                && request.headers.values(.contentLength).contains { $0 != "0" }
    }

    /// Returns the most recent response that matches a request and has the requested bytes (§4.1).
    ///
    /// Times have whole seconds. Of two responses of one second, the one that was stored later is used.
    private static func selection(
        for request: RequestHead,
        among stored: [StoredResponse]
    ) -> Result<(Int, CacheRanges.Answer), CacheFetchReason> {
        guard !stored.isEmpty else { return .failure(.notStored) }
        var reason = CacheFetchReason.varyMiss
        var best: (index: Int, content: CacheRanges.Answer)?
        for index in stored.indices where stored[index].variant.matches(request.headers) {
            reason = .partial
            let answer = CacheRanges.answer(to: request, from: stored[index])
            guard answer != .forward else { continue }
            if let best, stored[best.index].isNewer(than: stored[index]) { continue }
            best = (index, answer)
        }
        guard let best else { return .failure(reason) }
        return .success((best.index, best.content))
    }

    private enum Use {
        case fresh
        case stale(CacheStaleReason)
        case validate(CacheRevalidationReason)
    }

    private static func use(
        of response: StoredResponse,
        _ request: RequestDirectives,
        _ mode: HTTPRequest.CacheMode,
        at now: HTTPDate
    ) -> Use {
        let freshness = response.freshness
        let isFresh = freshness.isFresh(at: now)
        let mayBeStale = !response.directives.isMustRevalidate
        if response.directives.isNoCache { return .validate(.responseNoCache) }
        if mode == .noCache { return .validate(.mode) }
        if mode == .forceCache || mode == .onlyIfCached {
            if isFresh { return .fresh }
            return mayBeStale ? .stale(.mode) : .validate(.stale)
        }
        if request.isNoCache { return .validate(.requestNoCache) }
        if let maxAge = request.maxAge, freshness.age(at: now) > maxAge {
            return .validate(.requestMaxAge)
        }
        if isFresh {
            let remains = freshness.remaining(at: now) >= request.minFresh
            return remains ? .fresh : .validate(.requestMinFresh)
        }
        guard mayBeStale, request.minFresh == 0 else { return .validate(.stale) }
        return staleUse(of: response, request, staleness: freshness.staleness(at: now))
    }

    /// Decides on a stale response.
    ///
    /// A request with `max-stale` sets the limit itself. One with `max-age` alone accepts no stale response (§5.2.1.1).
    private static func staleUse(
        of response: StoredResponse,
        _ request: RequestDirectives,
        staleness: Int
    ) -> Use {
        let background = response.directives.staleWhileRevalidate
        if let maxStale = request.maxStale {
            let isAccepted = maxStale == CacheFreshness.unlimited || staleness <= maxStale
            return isAccepted ? .stale(.requestMaxStale) : .validate(.stale)
        }
        guard request.maxAge == nil, background > 0, staleness <= background else {
            return .validate(.stale)
        }
        return .stale(.whileRevalidating)
    }

    // MARK: - Failures

    /// The failure of a request to the origin.
    package enum OriginFailure: Sendable, Hashable {
        /// No response was received.
        case noResponse
        /// A response with this status was received.
        case status(HTTPStatus)
    }

    /// Decides whether a stored response is used in place of a failure (RFC 5861 §4).
    ///
    /// Either the request or the response must have `stale-if-error`, and the response must not have been stale for
    /// longer. A response with `must-revalidate` or `no-cache` is not used, and none if the request or the mode demands
    /// validation.
    ///
    /// - Parameters:
    ///   - failure: an error, or a response with the status 500, 502, 503 or 504; other statuses are no failures.
    ///   - request: the head of the request.
    ///   - mode: the mode of the call.
    ///   - stored: the responses that are stored for GET requests with the target URI of the request.
    ///   - now: the current time.
    /// - Returns: the stored response that the failed request was to validate or replace; nil if the failure goes to the
    ///   caller.
    package static func reuse(
        after failure: OriginFailure,
        of request: RequestHead,
        mode: HTTPRequest.CacheMode,
        among stored: [StoredResponse],
        at now: HTTPDate
    ) -> CacheReuse? {
        if case .status(let status) = failure, ![500, 502, 503, 504].contains(status.code) {
            return nil
        }
        let directives = RequestDirectives(request.headers)
        let mode = mode.applied(to: request.headers)
        guard bypass(request, directives, mode) == nil, mode != .noCache, !directives.isNoCache,
            case .success(let (index, content)) = selection(for: request, among: stored)
        else { return nil }
        let response = stored[index]
        guard !response.directives.isNoCache, !response.directives.isMustRevalidate else {
            return nil
        }
        let window = max(directives.staleIfError, response.directives.staleIfError)
        let staleness = response.freshness.staleness(at: now)
        guard window > 0, staleness <= window else { return nil }
        return CacheReuse(
            index: index,
            age: response.freshness.age(at: now),
            withheldFields: response.directives.noCacheFields,
            content: content
        )
    }
}

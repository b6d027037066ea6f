internal import SocketTransport
internal import Wire

// These functions answer from a cache in memory, and store responses in it, without a driver, which would double the
// cost. `CallDriver+Cache` does the rest: revalidation, stale responses, methods other than GET and HEAD, and bodies
// with a content coding.
extension ClientCore {
    /// What the cache says about a request.
    enum CacheAnswer {
        case stored(HTTPResponse)
        /// The request is sent with this attempt, and the response may be stored (``recorded(_:in:)``).
        case notStored(FirstAttempt)
        /// A driver has to look at the request.
        case unknown
    }

    /// Sends a request that nothing but the cache and the cookie jar sees, and collects the response.
    func send(
        _ request: HTTPRequest,
        through cache: HTTPCache
    ) async throws(HTTPError) -> HTTPResponse {
        let first: FirstAttempt
        switch cacheAnswer(to: request, from: cache) {
        case .stored(let response): return response
        case .unknown: return try await driver(request).run()
        case .notStored(let attempt): first = attempt
        }
        let result = await collect(first.attempt, on: engine)
        switch result {
        case .success:
            if isFinal(first), let response = recorded(first, in: cache) { return response }
        case .failure(let error):
            if isFinal(error, of: first) { throw error }
        }
        return try await driver(request, after: first).run(
            after: FirstResult(first, result.map { nil })
        )
    }

    /// Returns what the cache says about a request.
    func cacheAnswer(to request: HTTPRequest, from cache: HTTPCache) -> CacheAnswer {
        guard request.optionsBox?.settings.hasPolicies != true,
            var plan = cachePlan(of: request)
        else { return .unknown }
        let now = HTTPDate(secondsSince1970: policies.shared.clock.secondsSince1970())
        let lookup = cache.lookup(plan.head, plan.url, request.cacheMode, at: now)
        switch lookup.decision {
        case .fresh(let reuse):
            return storedResponse(lookup, reuse, cache).map { .stored($0) } ?? .unknown
        case .fetch(.notStored), .fetch(.varyMiss):
            guard lookup.request.method == .get, policies.dialer == nil, !cache.coalesces else {
                return .unknown
            }
            policies.depositRetries(policies.retries.budget)
            // The cache stores a body as received.
            plan.decompression = .off
            return .notStored(FirstAttempt(RequestAttempt(plan), after: lookup))
        case .fetch, .stale, .revalidate, .unavailable: return .unknown
        }
    }

    /// Returns the plan of a request that the cache may answer; nil if a driver has to look at it.
    private func cachePlan(of request: HTTPRequest) -> Plan? {
        do throws(HTTPError) {
            guard policies.seesRequests else {
                let plan = try plan(request)
                return plan.isIdentifiedByURL(request, configuration.settings.headers) ? plan : nil
            }
            var sent = request
            try settle(&sent)
            addCookies(to: &sent)
            let plan = try plan(sent)
            return plan.isIdentifiedByURL(sent, configuration.settings.headers) ? plan : nil
        } catch {
            // The driver reports the error.
            return nil
        }
    }

    /// Returns a fresh response; nil if its content is gone, or must be decoded.
    private func storedResponse(
        _ lookup: HTTPCache.Lookup,
        _ reuse: CacheReuse,
        _ cache: HTTPCache
    ) -> HTTPResponse? {
        let entry = lookup.entries[reuse.index]
        let (head, range) = entry.answer(lookup.request.method, reuse)
        guard !mustDecode(head), range.count <= configuration.settings.collectLimit,
            case .memory(let content)? = cache.content(of: entry)
        else { return nil }
        var response = HTTPResponse(
            head: head,
            body: range.count == content.count ? content : Array(content[range]),
            url: lookup.url,
            request: lookup.request,
            coders: configuration.settings.coders
        )
        response.cacheStatus = .init(
            .hit,
            secondsFresh: entry.response.freshness.secondsFresh(at: lookup.time)
        )
        return response
    }

    /// Returns the response of a first attempt after it was stored; nil if its body must be decoded.
    func recorded(_ first: FirstAttempt, in cache: HTTPCache) -> HTTPResponse? {
        guard let lookup = first.lookup, let head = first.attempt.received.head, !mustDecode(head)
        else { return nil }
        var response = response(to: first)
        let now = HTTPDate(secondsSince1970: policies.shared.clock.secondsSince1970())
        var refusal: String?
        switch cache.record(head, to: lookup, at: now) {
        case .success(let recording):
            if !response.body.isEmpty { recording.append(response.body) }
            recording.commit()
        case .failure(let reason): refusal = reason.reason
        }
        response.cacheStatus = .init(.miss, lookup.forwardParameter, refusal: refusal)
        return response
    }

    private func mustDecode(_ head: ResponseHead) -> Bool {
        configuration.settings.decompression == .on && head.headers.contains(.contentEncoding)
    }
}

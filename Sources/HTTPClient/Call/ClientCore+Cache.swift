internal import SocketTransport
internal import Wire

// These functions answer from a cache, and store responses in it, without a driver, which would double the cost.
// `CallDriver+Cache` does the rest: revalidation, stale responses, methods other than GET and HEAD, and bodies
// with a content coding.
extension ClientCore {
    /// How a call begins that waits for no policy but the cache.
    enum Beginning {
        case stored(HTTPResponse)
        /// The request is sent with this attempt, and the response may be stored (``recorded(_:after:)``).
        case attempt(FirstAttempt)
        /// A driver has to look at the request.
        case driven
    }

    /// Sends a request whose call waits for no policy but a cache in memory, and collects the response.
    func send(
        _ request: HTTPRequest,
        through cache: HTTPCache
    ) async throws(HTTPError) -> HTTPResponse {
        let first: FirstAttempt
        switch beginning(of: request, from: cache) {
        case .stored(let response): return response
        case .attempt(let attempt): first = attempt
        case .driven: return try await driver(request).run()
        }
        let result = await collect(first.attempt, on: engine)
        if let response = try finalResponse(of: first, result) { return response }
        return try await driver(request, after: first).run(
            after: FirstResult(first, result.map { nil })
        )
    }

    /// Sends a request as ``send(_:through:)`` does, with a cache that may wait for a disk.
    ///
    /// One function for both would cost each call with a cache in memory 150 to 460 instructions.
    func send(
        _ request: HTTPRequest,
        throughDisk cache: HTTPCache
    ) async throws(HTTPError) -> HTTPResponse {
        let first: FirstAttempt
        switch await usingStore(of: cache, engine.files, { beginning(of: request, from: cache) }) {
        case .stored(let response): return response
        case .attempt(let attempt): first = attempt
        case .driven: return try await driver(request).run()
        }
        let result = await collect(first.attempt, on: engine)
        let response = await usingStore(of: cache, engine.files) {
            do throws(HTTPError) {
                return Result<HTTPResponse?, HTTPError>
                    .success(try finalResponse(of: first, result))
            } catch {
                return .failure(error)
            }
        }
        if let response = try response.get() { return response }
        return try await driver(request, after: first).run(
            after: FirstResult(first, result.map { nil })
        )
    }

    /// Decides how a call begins.
    func beginning(of request: HTTPRequest, from cache: HTTPCache) -> Beginning {
        guard request.optionsBox?.settings.hasPolicies != true,
            let plan = cachePlan(of: request)
        else { return .driven }
        let now = HTTPDate(secondsSince1970: policies.shared.clock.secondsSince1970())
        let lookup = cache.lookup(plan.head, plan.url, cacheMode(of: request), at: now)
        switch lookup.decision {
        case .fresh(let reuse):
            return storedResponse(lookup, reuse, cache).map { .stored($0) } ?? .driven
        case .fetch(.notStored), .fetch(.varyMiss):
            // The driver adds what tells other caches of the mode.
            guard lookup.request.method == .get, policies.dialer == nil, !cache.coalesces,
                lookup.mode != .noCache
            else { return .driven }
            policies.depositRetries(policies.retries.budget)
            return .attempt(FirstAttempt(RequestAttempt(plan), after: lookup))
        case .fetch, .stale, .revalidate, .unavailable: return .driven
        }
    }

    /// Returns the plan of a request that the cache may answer; nil if a driver has to look at it.
    private func cachePlan(of request: HTTPRequest) -> Plan? {
        do throws(HTTPError) {
            guard policies.seesRequests else {
                return try cachePlan(prepared: request)
            }
            var sent = request
            try settle(&sent)
            addCookies(to: &sent)
            return try cachePlan(prepared: sent)
        } catch {
            // The driver reports the error.
            return nil
        }
    }

    @inline(__always) private func cachePlan(
        prepared request: HTTPRequest
    ) throws(HTTPError) -> Plan? {
        // The cache stores a body as received.
        let plan = try planKeepingCoding(request)
        return plan.isIdentifiedByURL(request, configuration.settings) ? plan : nil
    }

    /// Returns a fresh response that ends the call.
    ///
    /// - Returns: nil if the content is gone or must be decoded, or if a driver has to look at the response, because
    ///   another request may follow from it.
    private func storedResponse(
        _ lookup: HTTPCache.Lookup,
        _ reuse: CacheReuse,
        _ cache: HTTPCache
    ) -> HTTPResponse? {
        let entry = lookup.entries[reuse.index]
        let (head, range) = entry.answer(lookup.request.method, reuse)
        // A longer content would be read and verified here, and again by the driver.
        guard entry.length <= CacheFile.maxBytesInMemory || !cache.store.mayBlock,
            policies.isFinal(head.status, isForwarded: true), policies.accepts(head.status),
            !mustDecode(head), range.count <= configuration.settings.collectLimit,
            case .memory(let content)? = cache.content(of: entry)
        else { return nil }
        policies.depositRetries(policies.retries.budget)
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

    /// Returns the response of a first attempt after it was stored; nil if a driver has to decode its body.
    func recorded(_ first: FirstAttempt, after lookup: HTTPCache.Lookup) -> HTTPResponse? {
        guard let cache = policies.soleCache, let head = first.attempt.received.head,
            !mustDecode(head)
        else { return nil }
        var response = response(to: first)
        let now = HTTPDate(secondsSince1970: policies.shared.clock.secondsSince1970())
        var refusal: String?
        guard CacheRecording.mayStore(response.trailers) else {
            response.cacheStatus = .init(.miss, lookup.forwardParameter, refusal: "trailer")
            return response
        }
        switch cache.record(head, to: lookup, at: now) {
        case .success(let recording):
            if !response.body.isEmpty { recording.append(response.body) }
            recording.commit(response.trailers)
            if !recording.isStored { refusal = "store" }
        case .failure(let reason): refusal = reason.reason
        }
        response.cacheStatus = .init(.miss, lookup.forwardParameter, refusal: refusal)
        return response
    }

    /// Returns the way in which a request uses the cache: its own, or that of the client.
    func cacheMode(of request: HTTPRequest) -> HTTPRequest.CacheMode {
        request.optionsBox?.settings.cacheMode ?? configuration.settings.cacheMode
    }

    private func mustDecode(_ head: ResponseHead) -> Bool {
        configuration.settings.decompression == .on && head.headers.contains(.contentEncoding)
    }
}

/// Calls the store of a cache, on a thread for files if it may wait for a disk.
func usingStore<Value: Sendable>(
    of cache: HTTPCache,
    _ threads: FileThreads,
    _ work: @Sendable () -> Value
) async -> Value {
    guard cache.store.mayBlock else { return work() }
    let result: Result<Value, HTTPError> = await onFileThread(threads) { .success(work()) }
    // If no thread can be started, the disk must block this one.
    guard case .success(let value) = result else { return work() }
    return value
}

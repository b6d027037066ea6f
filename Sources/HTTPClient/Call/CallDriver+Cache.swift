internal import SocketTransport
internal import Wire

// The cache answers or stores one exchange: within an attempt, so that interceptors, validators, redirects and credentials
// see a stored response as they see a received one.
extension CallDriver {
    /// Answers an exchange from the cache, or sends its request and stores the response.
    func exchanged(
        _ exchange: inout CallState.Exchange,
        through cache: HTTPCache
    ) async -> CallState.Outcome {
        if exchange.refused != nil {
            // A proxy has asked for credentials; the question to the cache stays the same.
            guard let lookup = exchange.lookup else { return await sent(&exchange) }
            return await sent(&exchange, after: lookup, cache)
        }
        exchange.lookup = nil
        let check = integrityCheck(of: exchange.request, isCached: true)
        let plan: Plan
        do throws(HTTPError) {
            plan = try core.planned(completed(exchange, check), by: transfer.planning)
        } catch {
            // Sending reports the same error to the observers.
            return await sent(&exchange)
        }
        // A method that is not safe invalidates what is stored for its URL in any case.
        guard
            !exchange.request.method.isSafe
                || plan.isIdentifiedByURL(exchange.request, core.configuration.settings)
        else { return await sent(&exchange) }
        let mode = core.cacheMode(of: exchange.request)
        // The bytes that a file lacks are not stored: each part would copy those that are stored already.
        if plan.continuesFile(of: exchange.request), mode != .onlyIfCached {
            return await sent(&exchange)
        }
        // Both in one step, because each waits for a thread for files.
        let (first, content) = await onDisk(cache) { [now] in
            let lookup = cache.lookup(plan.head, plan.url, mode, at: now())
            return (lookup, lookup.answer.flatMap { cache.content(of: $0) })
        }
        let lookup = await collapsed(first, cache)
        let opened = lookup === first ? content : nil
        switch lookup.decision {
        case .fresh(let reuse):
            let hasWaited = lookup !== first
            let status = HTTPResponse.CacheStatus(
                hasWaited ? .collapsed : .hit,
                hasWaited ? first.forwardParameter : nil,
                secondsFresh: remaining(lookup)
            )
            if let hit = await hit(lookup, reuse, cache, check, status, opened: opened) {
                return hit
            }
        case .stale(let reuse, let reason):
            let status = HTTPResponse.CacheStatus(
                .staleHit,
                reason.text,
                secondsFresh: remaining(lookup)
            )
            if let hit = await hit(lookup, reuse, cache, check, status, opened: opened) {
                if reason == .whileRevalidating { revalidate(exchange.request, lookup, cache) }
                return hit
            }
        case .unavailable(let reason):
            return unavailable(lookup, reason)
        case .revalidate, .fetch:
            return await sent(&exchange, after: lookup, cache)
        }
        // The content of the stored response is gone.
        return await sent(&exchange, after: lookup.fetching(because: .notStored), cache)
    }

    /// Waits for an equal request that is in progress, if the cache coalesces requests.
    ///
    /// - Returns: the lookup after the wait, or with the flight for which other requests wait.
    private func collapsed(
        _ lookup: HTTPCache.Lookup,
        _ cache: HTTPCache
    ) async -> HTTPCache.Lookup {
        guard cache.coalesces, lookup.mayWait else { return lookup }
        let key = CacheFlights.Key(lookup.uri, lookup.request.headers)
        switch cache.flights.join(key) {
        case .leads(let flight): return lookup.leading(flight)
        case .waits(let waiter):
            let limit = Deadline.now().advanced(by: cache.flights.maxWait)
            let timeout = LoopTimeout(on: transfer.engine.loop, at: limit) { waiter.finish(()) }
            await waiter.value(ifCancelled: ())
            timeout.cancel()
            cache.flights.leave(key, waiter)
            return await onDisk(cache) { [now] in
                cache.lookup(lookup.request, lookup.url, lookup.mode, at: now())
            }
        }
    }

    /// Sends the request of an exchange that the cache does not answer.
    private func sent(
        _ exchange: inout CallState.Exchange,
        after lookup: HTTPCache.Lookup,
        _ cache: HTTPCache
    ) async -> CallState.Outcome {
        let outcome = await validated(&exchange, after: lookup, cache)
        // The body of a streamed response is stored later; the flight ends with its recording.
        if case .success(let response) = outcome, response.isStreamed { return outcome }
        lookup.flight?.end()
        return outcome
    }

    private func validated(
        _ exchange: inout CallState.Exchange,
        after lookup: HTTPCache.Lookup,
        _ cache: HTTPCache
    ) async -> CallState.Outcome {
        exchange.lookup = lookup
        let outcome = await sent(&exchange)
        if lookup.request.method == .head, case .success(let response) = outcome {
            await onDisk(cache) { [now] in cache.applyHead(response.head, lookup, at: now()) }
        }
        let check = integrityCheck(of: exchange.request, isCached: true)
        guard case .revalidate(let revalidation) = lookup.decision else {
            return await replaced(outcome, lookup, cache, check)
        }
        if let answer = await answered(outcome, revalidation, lookup, cache, check) {
            return answer
        }
        // The 304 identifies no stored response, or its content is gone.
        exchange.refused = nil
        return await validated(&exchange, after: lookup.fetching(because: .notStored), cache)
    }

    /// Returns the recording of a response, and what the cache reports about it.
    ///
    /// The head alone invalidates stored responses, also if the body is cut short.
    func recording(
        of attempt: RequestAttempt,
        to lookup: HTTPCache.Lookup
    ) -> (recording: CacheRecording?, status: HTTPResponse.CacheStatus)? {
        guard let cache = policies.cache, let head = attempt.received.head else { return nil }
        if head.status != .notModified { cache.invalidate(after: head, lookup, at: now()) }
        let reason = lookup.forwardParameter
        let outcome: HTTPResponse.CacheStatus.Outcome =
            lookup.isBypassed ? .bypassed : .miss
        // Otherwise the failure would take the place of the stored response that is used instead of it.
        guard lookup.reuse(after: .status(head.status), at: now()) == nil else {
            lookup.flight?.end()
            return (nil, .init(outcome, reason, refusal: "stale-if-error"))
        }
        switch cache.record(head, to: lookup, at: now()) {
        case .success(let recording): return (recording, .init(outcome, reason))
        case .failure(let refusal):
            // After a 304, the others wait until the stored response is confirmed.
            if head.status != .notModified { lookup.flight?.end() }
            return (nil, .init(outcome, reason, refusal: refusal.reason))
        }
    }

    /// Returns the outcome of a request with conditions; nil if it must be sent again without them.
    private func answered(
        _ outcome: CallState.Outcome,
        _ revalidation: CacheRevalidation,
        _ lookup: HTTPCache.Lookup,
        _ cache: HTTPCache,
        _ check: IntegrityCheck?
    ) async -> CallState.Outcome? {
        guard case .success(let response) = outcome, response.status == .notModified else {
            return await replaced(outcome, lookup, cache, check)
        }
        let entry = lookup.entries[revalidation.index]
        await dropBody(of: response)
        // The update can remove the entry, which answers this request nevertheless.
        let content = await onDisk(cache) { cache.content(of: entry) }
        guard let content else { return nil }
        let confirmed = await onDisk(cache) { [now] in
            cache.confirm(by: response.head, lookup, at: now())
        }
        lookup.flight?.end()
        guard let confirmed else { return nil }
        let reuse = CacheReuse(
            index: 0,
            age: confirmed.response.freshness.age(at: now()),
            withheldFields: [],
            content: CacheRanges.answer(to: lookup.request, from: confirmed.response)
        )
        guard reuse.content != .forward else { return nil }
        let status = HTTPResponse.CacheStatus(
            .revalidated,
            revalidation.reason.forwardParameter,
            originStatus: response.status,
            secondsFresh: confirmed.response.freshness.secondsFresh(at: now())
        )
        return await hit(lookup.using(confirmed), reuse, cache, check, status, opened: content)
    }

    /// Returns a stale response in place of a failure, if `stale-if-error` permits it; otherwise the same outcome.
    private func replaced(
        _ outcome: CallState.Outcome,
        _ lookup: HTTPCache.Lookup,
        _ cache: HTTPCache,
        _ check: IntegrityCheck?
    ) async -> CallState.Outcome {
        let failure: CacheRules.OriginFailure
        var originStatus: HTTPStatus?
        switch outcome {
        case .success(let response):
            failure = .status(response.status)
            originStatus = response.status
        case .failure(let error):
            guard error.mayBeReplacedByStale else { return outcome }
            failure = .noResponse
        }
        guard let reuse = lookup.reuse(after: failure, at: now()) else { return outcome }
        let status = HTTPResponse.CacheStatus(
            .staleHit,
            "stale-if-error",
            originStatus: originStatus,
            secondsFresh: lookup.entries[reuse.index].response.freshness.secondsFresh(at: now())
        )
        guard let hit = await hit(lookup, reuse, cache, check, status) else { return outcome }
        if case .success(let response) = outcome { await dropBody(of: response) }
        return hit
    }

    // MARK: - Stored responses

    /// Returns a stored response, with content that is open already; nil if the content cannot be used.
    private func hit(
        _ lookup: HTTPCache.Lookup,
        _ reuse: CacheReuse,
        _ cache: HTTPCache,
        _ check: IntegrityCheck?,
        _ status: HTTPResponse.CacheStatus,
        opened: CacheContent? = nil
    ) async -> CallState.Outcome? {
        let entry = lookup.entries[reuse.index]
        var content = opened
        if content == nil { content = await onDisk(cache) { cache.content(of: entry) } }
        guard let content else { return nil }
        let (head, range) = entry.answer(lookup.request.method, reuse)
        let body = CachedBody(content, range)
        var response = HTTPResponse(
            head: head,
            body: [],
            url: lookup.url,
            request: lookup.request,
            metrics: shared.withLock { $0.state.metrics } ?? HTTPMetrics(),
            coders: core.configuration.settings.coders
        )
        response.cacheStatus = status
        let stages =
            check?.stages(for: head, lookup.request.method, core.configuration.limits) ?? []
        if transfer.isStreamed {
            response.isStreamed = true
            let remove: @Sendable () -> Void = {
                _ = cache.attempt { () throws(CacheStoreError) in try cache.store.remove(entry) }
            }
            // A small content is in memory, and removing its files may wait for the disk.
            let mayBlock = cache.store.mayBlock
            response.bodyStages = stages.map { make in
                { RemovingStage(make(), mayBlock: mayBlock, remove) }
            }
            response.storedBody = body
            return delivered(response)
        }
        let limit = min(max(core.configuration.settings.collectLimit, 0), .max - 1)
        do throws(HTTPError) {
            let collected =
                body.mayBlock
                ? await onDisk(cache) { body.collect(upTo: limit) } : body.collect(upTo: limit)
            response.body = try response.collected(
                try collected.get(),
                by: stages,
                upTo: limit,
                until: shared.withLock { $0.state.deadline }
            )
            return delivered(response)
        } catch {
            guard !error.kind.isAboutContent, !error.kind.isAboutStoredFile else {
                // The origin may have the content that the caller expects, and that was damaged or removed meanwhile.
                _ = await onDisk(cache) {
                    cache.attempt { () throws(CacheStoreError) in try cache.store.remove(entry) }
                }
                return nil
            }
            let outcome = CallState.Outcome.failure(error)
            shared.withLock { $0.state.record(outcome) }
            notify(.failed(error))
            return outcome
        }
    }

    private func unavailable(
        _ lookup: HTTPCache.Lookup,
        _ reason: CacheFetchReason
    ) -> CallState.Outcome {
        var response = HTTPResponse(
            head: ResponseHead(status: .gatewayTimeout, headers: [.contentLength: "0"]),
            body: [],
            url: lookup.url,
            request: lookup.request,
            metrics: shared.withLock { $0.state.metrics } ?? HTTPMetrics(),
            coders: core.configuration.settings.coders
        )
        response.cacheStatus = .init(.unavailable, reason.forwardParameter)
        return delivered(response)
    }

    /// Records a response that was not received now, and notifies the observers.
    ///
    /// Its cookies are not stored again: the jar may have newer ones.
    private func delivered(_ response: HTTPResponse) -> CallState.Outcome {
        var response = response
        response.serial = shared.withLock { $0.state.nextSerial() }
        let outcome = CallState.Outcome.success(response)
        shared.withLock { $0.state.record(outcome) }
        notify(.received(response))
        return outcome
    }

    /// Discards the streamed body of a response that another one replaces.
    private func dropBody(of response: HTTPResponse) async {
        await bufferRemainder(response)
        shared.withLock { $0.bodies[response.serial] = nil }
    }

    // MARK: - Revalidation in the background

    /// Validates a stale response that was just used (RFC 5861 §3).
    ///
    /// One request for a URI runs at a time, and it obeys the limits of the client. Its failure leaves the stored
    /// response as it is.
    private func revalidate(
        _ request: HTTPRequest,
        _ lookup: HTTPCache.Lookup,
        _ cache: HTTPCache
    ) {
        guard cache.beginRevalidation(of: lookup.uri) else { return }
        var configuration = core.configuration
        configuration.settings.validators = []
        configuration.settings.transformers = []
        configuration.settings.interceptors = []
        configuration.settings.observers = []
        configuration.settings.retries = HTTPRetryOptions(maxRetries: 0)
        configuration.settings.cache = .cache(cache)
        let authentication = request.authentication
        var request = request.withoutPolicies
        request.authentication = authentication
        request.cacheMode = .noCache
        let background = ClientCore(configuration, sharing: core)
        Task { [request] in
            defer { cache.endRevalidation(of: lookup.uri) }
            do throws(HTTPError) {
                let response = try await background.stream(request)
                guard response.cacheStatus?.refusal == nil else { return }
                var body = response.body.makeAsyncIterator()
                var count = 0
                // A longer body is not stored.
                while count <= cache.store.maxEntryBytes, let bytes = try await body.next() {
                    count += bytes.count
                }
            } catch {
                cache.recordFailure("revalidating \(lookup.url.publicText): \(error)")
            }
        }
    }

    // MARK: - Times and threads

    /// Records the result of an attempt, and begins to store its response; see ``settle(_:_:_:_:)``.
    func settled(
        _ attempt: RequestAttempt,
        _ result: Result<StreamingBody?, HTTPError>,
        _ check: IntegrityCheck?,
        _ lookup: HTTPCache.Lookup?
    ) async -> CallState.Outcome {
        guard let lookup, let cache = policies.cache else { return settle(attempt, result, check) }
        return await onDisk(cache) { self.settle(attempt, result, check, lookup) }
    }

    private func now() -> HTTPDate {
        HTTPDate(secondsSince1970: policies.shared.clock.secondsSince1970())
    }

    private func remaining(_ lookup: HTTPCache.Lookup) -> Int? {
        lookup.entry?.response.freshness.secondsFresh(at: lookup.time)
    }

    /// Calls the store, on a thread for files if it may wait for a disk.
    private func onDisk<Value: Sendable>(
        _ cache: HTTPCache,
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await usingStore(of: cache, transfer.engine.files, work)
    }
}

extension Plan {
    /// Whether a download has added a range, for bytes that belong to those of its file.
    func continuesFile(of request: HTTPRequest) -> Bool {
        head.headers.contains(.range) && !request.headers.contains(.range)
    }

    /// Returns whether the URL alone says what the request is for, so that it can be the key of a response.
    ///
    /// - Parameters:
    ///   - request: the request of the plan.
    ///   - settings: the settings of the client.
    /// - Returns: false for a request with another Host or target, whose response could be stored for others, and for one
    ///   that connects in another way than the client, such as with another certificate.
    func isIdentifiedByURL(_ request: HTTPRequest, _ settings: HTTPClientSettings) -> Bool {
        if let own = request.optionsBox?.settings {
            guard own.rawTarget == nil, own.headModifier == nil,
                own.settledSecurity.map({ $0.security == settings.security }) ?? true,
                own.connectOptions.map({ $0 == settings.connectOptions }) ?? true
            else { return false }
        }
        // Without a Host field of the caller, the planner takes the authority of the URL.
        guard request.headers.contains(.host) || settings.headers.contains(.host) else {
            return true
        }
        return head.headers.values(.host) == [url.origin?.authority]
    }
}

extension HTTPCache.Lookup {
    /// Adds the conditions of a revalidation, and what tells other caches about the mode.
    func addFields(to request: inout HTTPRequest) {
        for field in mode.requestFields {
            let name = FieldName(field.name)
            if !request.headers.contains(name) { request.headers.append(name, field.value) }
        }
        guard case .revalidate(let revalidation) = decision else { return }
        request.headers.merge(revalidation.conditions)
    }

    /// The value of `fwd` in Cache-Status for a request that was sent.
    var forwardParameter: String {
        switch decision {
        case .fetch(let reason), .unavailable(let reason): reason.forwardParameter
        case .revalidate(let revalidation): revalidation.reason.forwardParameter
        case .fresh, .stale: "miss"
        }
    }

    /// Whether no stored response could have answered.
    var isBypassed: Bool {
        switch decision {
        case .fetch(.method), .fetch(.mode), .fetch(.requestNoStore), .fetch(.requestContent): true
        default: false
        }
    }

    /// Returns the lookup for a request that is sent without conditions.
    func fetching(because reason: CacheFetchReason) -> HTTPCache.Lookup {
        HTTPCache.Lookup(
            request,
            url,
            uri: uri,
            mode,
            entries,
            .fetch(reason),
            time,
            number,
            flight
        )
    }

    /// Returns the lookup of a request that others wait for.
    func leading(_ flight: CacheFlight) -> HTTPCache.Lookup {
        HTTPCache.Lookup(request, url, uri: uri, mode, entries, decision, time, number, flight)
    }

    /// Whether the response to an equal request may answer this one.
    var mayWait: Bool {
        guard request.method == .get, mode == .default else { return false }
        switch decision {
        case .fetch(.notStored), .fetch(.varyMiss), .fetch(.partial), .fetch(.notUsable(.stale)),
            .revalidate:
            return true
        case .fetch, .fresh, .stale, .unavailable: return false
        }
    }

    /// Returns the stored response that takes the place of a failure; nil if the failure goes to the caller.
    func reuse(after failure: CacheRules.OriginFailure, at now: HTTPDate) -> CacheReuse? {
        switch decision {
        case .revalidate, .fetch(.notUsable): break
        case .fresh, .stale, .fetch, .unavailable: return nil
        }
        let stored = entries.map(\.response)
        return CacheRules.reuse(after: failure, of: request, mode: mode, among: stored, at: now)
    }

    /// Returns the lookup with one entry.
    func using(_ entry: CacheEntry) -> HTTPCache.Lookup {
        HTTPCache.Lookup(request, url, uri: uri, mode, [entry], decision, time, number, flight)
    }
}

extension CacheStaleReason {
    /// The permission in words.
    fileprivate var text: String {
        switch self {
        case .mode: "mode"
        case .requestMaxStale: "max-stale"
        case .whileRevalidating: "stale-while-revalidate"
        }
    }
}

extension HTTPError.Kind {
    /// Whether the stored content cannot be read.
    fileprivate var isAboutStoredFile: Bool {
        if case .fileFailed = self { true } else { false }
    }
}

extension HTTPError {
    /// Whether a stale response may take the place of this error: the origin could not be asked.
    fileprivate var mayBeReplacedByStale: Bool {
        switch kind {
        case .cancelled, .invalidRequest, .timedOut(.total): false
        default: true
        }
    }
}

extension CachedBody {
    /// Returns the whole content; it may wait for a disk.
    fileprivate func collect(upTo limit: Int) -> Result<[UInt8], HTTPError> {
        var collected: [UInt8] = []
        do throws(HTTPError) {
            while true {
                let piece = try next()
                if piece.isEmpty { return .success(collected) }
                // The first piece of a short content is the stored array itself.
                if collected.isEmpty { collected = piece } else { collected += piece }
                guard collected.count <= limit else {
                    return .failure(HTTPError(.bodyTooLarge(limit: limit), phase: .body))
                }
            }
        } catch {
            return .failure(error)
        }
    }
}

extension HTTPResponse {
    /// Returns the body after the stages.
    fileprivate func collected(
        _ content: [UInt8],
        by stages: [BodyStageFactory],
        upTo limit: Int,
        until deadline: Deadline
    ) throws(HTTPError) -> [UInt8] {
        guard !stages.isEmpty else { return content }
        var output = content
        do throws(BodyStageError) {
            try BodyPipeline(stages)
                .apply(to: &output, HTTPHeaders(), upTo: limit, until: deadline)
            return output
        } catch {
            throw self.error(error.kind)
        }
    }
}

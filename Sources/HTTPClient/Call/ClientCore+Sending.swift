internal import SocketTransport
internal import Wire

// The ways to run a call. Each makes the first attempt without a driver if no policy must wait before it,
// because each further async function adds a frame to every request.
extension ClientCore {
    /// Returns the response that ends the call after its first attempt; nil if a driver has to go on.
    ///
    /// - Throws: the error of the attempt, if the call ends with it.
    @inline(__always) func finalResponse(
        of first: FirstAttempt,
        _ result: Result<Void, HTTPError>
    ) throws(HTTPError) -> HTTPResponse? {
        switch result {
        case .success:
            guard isFinal(first) else { return nil }
            guard let lookup = first.lookup else { return response(to: first) }
            return recorded(first, after: lookup)
        case .failure(let error):
            if isFinal(error, of: first) { throw error }
            return nil
        }
    }

    /// Sends a request and collects the response.
    @inline(__always) func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        guard queue == nil, let first = try firstAttempt(request) else {
            if queue == nil, let cache = policies.soleCache {
                return cache.store.mayBlock
                    ? try await send(request, throughDisk: cache)
                    : try await send(request, through: cache)
            }
            return try await driver(request).run()
        }
        let result = await collect(first.attempt, on: engine)
        if let response = try finalResponse(of: first, result) { return response }
        return try await driver(request, after: first).run(
            after: FirstResult(first, result.map { nil })
        )
    }

    /// Sends a request and returns when the head of its response has arrived.
    func stream(_ request: HTTPRequest) async throws(HTTPError) -> HTTPStreamedResponse {
        let transfer = Transfer(isStreamed: true, on: engine)
        // Only a driver retries for validators and notifies observers of the end of the body.
        guard queue == nil, policies.path == .direct, let first = try firstAttempt(request)
        else { return try await CallDriver(request, self, transfer).runStreamed() }
        let opened: FirstResult
        switch await open(first.attempt, on: engine) {
        case .success(let body):
            if policies.isFinal(
                body.head.status,
                isForwarded: first.attempt.forwarded != nil
            ) {
                let url = first.attempt.plan.url
                if let jar = policies.cookies { jar.store(body.head.headers, from: url) }
                return HTTPStreamedResponse(url: url, source: body)
            }
            opened = FirstResult(first, .success(body))
        case .failure(let error):
            if isFinal(error, of: first) { throw error }
            opened = FirstResult(first, .failure(error))
        }
        return try await CallDriver(request, self, transfer, after: first)
            .runStreamed(after: opened)
    }

    func driver(
        _ request: HTTPRequest,
        after first: FirstAttempt? = nil
    ) throws(HTTPError) -> CallDriver {
        try CallDriver(request, self, Transfer(isStreamed: false, on: engine), after: first)
    }

    /// Returns a driver that answers a proxy's challenge to a request that no policy applies to.
    ///
    /// It notifies the observers.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - first: the attempt that the proxy has refused.
    ///   - isStreamed: whether the body is delivered as it arrives.
    /// - Returns: a driver that continues after the attempt.
    /// - Throws: `.invalidRequest`, if the URL is not absolute.
    func driver(
        _ request: HTTPRequest,
        refused first: FirstAttempt,
        isStreamed: Bool
    ) throws(HTTPError) -> CallDriver {
        var bare = configuration.withoutPolicies
        bare.settings.observers = configuration.settings.observers
        let core = ClientCore(bare, sharing: self)
        let transfer = Transfer(isStreamed: isStreamed, on: engine)
        return try CallDriver(request.withoutPolicies, core, transfer, after: first)
    }

    // MARK: - Blocking calls

    /// Sends a request and collects the response, on a loop that the calling thread drives.
    func sendBlocking(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        try checkMayBlock(request)
        var first = queue == nil ? try firstAttempt(request) : nil
        if first == nil, queue == nil, let cache = policies.soleCache {
            switch beginning(of: request, from: cache) {
            case .stored(let response): return response
            case .attempt(let attempt): first = attempt
            case .driven: break
            }
        }
        let engine = takeBlockingEngine()
        defer { putBlockingEngine(engine) }
        let transfer = Transfer(isStreamed: false, on: engine)
        guard let first else {
            let driver = try CallDriver(request, self, transfer)
            return try engine.loop.drive(naming: (request.method, request.publicURL)) {
                await driver.result()
            }
        }
        let attempt = first.attempt
        do throws(TransportError) {
            try engine.loop.driveToCompletion { attempt.result = await engine.collected(attempt) }
        } catch {
            attempt.result = .failure(attempt.error(error))
        }
        let result = attempt.result
        if let response = try finalResponse(of: first, result) { return response }
        let driver = try CallDriver(request, self, transfer, after: first)
        return try engine.loop.drive(naming: (request.method, request.publicURL)) {
            await driver.result(after: FirstResult(first, result.map { nil }))
        }
    }

    // MARK: - Started calls

    /// Sends the request of an endpoint, records its events, and parses the response.
    @concurrent func run<Value>(
        _ endpoint: HTTPEndpoint<Value>,
        _ record: CallRecord<Value>
    ) async -> Result<Value, HTTPError> {
        do throws(HTTPError) {
            let transfer = Transfer(
                isStreamed: false,
                on: engine,
                observer: RecordedAttempts(record, policies)
            )
            let response = try await CallDriver(endpoint.sentRequest, self, transfer).run()
            await record.endSampling()
            record.notify(.response(response))
            return .success(try endpoint.parser.parse(response))
        } catch {
            return .failure(error)
        }
    }

    /// Sends a request, records its events, and returns when the head of its response has arrived.
    @concurrent func stream(
        _ request: HTTPRequest,
        _ record: CallRecord<HTTPStreamedResponse>
    ) async -> Result<HTTPStreamedResponse, HTTPError> {
        do throws(HTTPError) {
            let transfer = Transfer(
                isStreamed: true,
                on: engine,
                observer: RecordedAttempts(record, nil)
            )
            let response = try await CallDriver(request, self, transfer).runStreamed()
            // From here on, the reader of the body owns the attempt.
            await record.endSampling()
            record.notify(.head(response.head))
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    // MARK: - Requests

    /// Makes the URL of a request absolute, adds the client's items to its query, and encodes its body.
    func settle(_ request: inout HTTPRequest) throws(HTTPError) {
        request.target = .uri(try request.absoluteURL(below: configuration.settings.baseURL))
        request.add(missing: configuration.settings.query)
        request.encodeBody(with: configuration.settings.coders)
    }

    /// Adds the client's items to the query of a request that no driver settles.
    func completeQuery(of request: inout HTTPRequest) throws(HTTPError) {
        guard !configuration.settings.query.isEmpty else { return }
        try settle(&request)
    }

    /// Adds the cookies of the jar to a request.
    func addCookies(to request: inout HTTPRequest) {
        policies.addCookies(to: &request, configuration.settings.headers)
    }

    /// Returns the total deadline of a call.
    func totalDeadline(of request: HTTPRequest, from begin: Deadline = .now()) -> Deadline {
        totalTimeout(of: request).map { begin.advanced(by: $0) } ?? .never
    }

    /// Returns the total timeout of a call; nil if there is none.
    func totalTimeout(of request: HTTPRequest) -> Duration? {
        let common = configuration.settings.timeouts
        return (request.optionsBox?.settings.timeouts(of: common) ?? common).total
    }
}

extension CallDriver {
    /// Runs the call and returns its outcome.
    func result(
        after first: FirstResult? = nil
    ) async -> Result<HTTPResponse, HTTPError> {
        do throws(HTTPError) {
            return .success(try await run(after: first))
        } catch {
            return .failure(error)
        }
    }
}

import HTTPClient

/// A caller that makes requests one after the other and checks their outcomes.
struct LoadCaller: Sendable {
    let client: HTTPClient
    let origin: SoakOrigin
    let log: RunLog

    /// The result of a call.
    private enum CallResult {
        case response(HTTPResponse)
        /// A body read piece by piece; `isWhole` is false if it was dropped before its end.
        case streamed(HTTPStreamedResponse, [UInt8], isWhole: Bool)
        case failed(HTTPError)
    }

    /// Makes calls from a task until the log issues no more numbers.
    func callAll() async {
        while let number = log.nextNumber() {
            let scenario = Scenario(seed: origin.seed, number: number)
            judge(await call(scenario), scenario)
        }
    }

    /// Makes blocking calls from a thread.
    func callAllBlocking() {
        while let number = log.nextNumber() {
            let scenario = Scenario(seed: origin.seed, number: number)
            judge(callBlocking(scenario), scenario)
        }
    }

    /// Makes blocking calls from a thread that has its own client.
    ///
    /// After a call with a late fault, it waits until the fault has reached the client's socket. The
    /// next call to that port must then use another connection at once.
    func callAllExclusively() {
        var corrupted: Set<Int> = []
        var previous: [Int: String] = [:]
        while let number = log.nextNumber() {
            let scenario = Scenario(seed: origin.seed, number: number, isExclusive: true)
            let port = port(of: scenario)
            let result = callBlocking(scenario)
            judge(result, scenario)
            let metrics = metrics(of: result)
            let before = previous.updateValue("\(scenario)", forKey: port) ?? "nothing"
            if metrics.replays > 0 { reportViolation("sent twice, after \(before)", scenario) }
            if corrupted.remove(port) != nil, metrics.isReused {
                reportViolation(
                    "reused a connection after a fault, after \(before)",
                    scenario
                )
            }
            guard case .response = result, Fault.betweenCalls.contains(scenario.fault),
                let localPort = metrics.localPort
            else { continue }
            switch ClientSocket.waitForEvent(from: localPort, to: port) {
            case .happened:
                log.recordBetweenCalls(scenario.fault)
                corrupted.insert(port)
            case .closed: break
            case .missed: reportViolation("the fault did not reach the client", scenario)
            }
        }
    }

    private func callBlocking(_ scenario: Scenario) -> CallResult {
        defer { log.recordBlocking() }
        do throws(HTTPError) {
            return .response(try client.blocking.send(request(scenario)))
        } catch {
            return .failed(error)
        }
    }

    private func metrics(of result: CallResult) -> HTTPMetrics {
        switch result {
        case .response(let response): response.metrics
        case .streamed(let response, _, _): response.metrics
        case .failed(let error): error.metrics
        }
    }

    private func port(of scenario: Scenario) -> Int {
        origin.ports[scenario.number % origin.ports.count]
    }

    private func request(_ scenario: Scenario) -> HTTPRequest {
        let port = port(of: scenario)
        var request = HTTPRequest(
            "http://127.0.0.1:\(port)\(scenario.target)",
            method: HTTPMethod(rawValue: scenario.method.rawValue),
            headers: ["x-id": "\(scenario.number)"]
        )
        if scenario.requestLength > 0 { request.body = .bytes(scenario.requestContent.bytes) }
        var timeouts = client.configuration.timeouts
        let stall = Duration.milliseconds(Scenario.stallMilliseconds)
        switch scenario.fault {
        case .stall, .stallInHead: timeouts.responseHead = stall
        case .stallInBody: timeouts.readIdle = stall
        default: break
        }
        if case .total(let milliseconds) = scenario.cancellation {
            timeouts.total = .milliseconds(milliseconds)
        }
        request.timeouts = timeouts
        return request
    }

    private func call(_ scenario: Scenario) async -> CallResult {
        let request = request(scenario)
        guard case .cancels(let microseconds) = scenario.cancellation else {
            return await answer(request, scenario)
        }
        let task = Task { await answer(request, scenario) }
        try? await Task.sleep(for: .microseconds(microseconds))
        task.cancel()
        return await task.value
    }

    private func answer(_ request: HTTPRequest, _ scenario: Scenario) async -> CallResult {
        do throws(HTTPError) {
            let maxPieces: Int
            switch scenario.reading {
            case .collected: return .response(try await client.send(request))
            case .streamed: maxPieces = .max
            case .dropped(let pieces): maxPieces = pieces
            }
            let response = try await client.stream(request)
            var body: [UInt8] = []
            var iterator = response.body.makeAsyncIterator()
            var pieces = 0
            while pieces < maxPieces {
                guard let piece = try await iterator.next() else {
                    return .streamed(response, body, isWhole: true)
                }
                body += piece
                pieces += 1
            }
            return .streamed(response, body, isWhole: false)
        } catch {
            return .failed(error)
        }
    }

    // MARK: - Checking responses

    private func judge(_ result: CallResult, _ scenario: Scenario) {
        switch result {
        case .response(let response):
            check(
                response.head,
                response.body,
                interim: response.informational.count,
                trailers: response.trailers,
                isWhole: true,
                scenario
            )
            record(.success, scenario, response.metrics)
        case .streamed(let response, let body, let isWhole):
            check(
                response.head,
                body,
                interim: response.informational.count,
                trailers: isWhole ? response.trailers : nil,
                isWhole: isWhole,
                scenario
            )
            record(isWhole ? .success : .dropped, scenario, response.metrics)
        case .failed(let error):
            if !isExpected(Outcome(error), error, scenario) {
                reportViolation("\(error) in \(error.phase), \(error.metrics)", scenario)
            }
            record(Outcome(error), scenario, error.metrics)
        }
    }

    private func record(_ outcome: Outcome, _ scenario: Scenario, _ metrics: HTTPMetrics) {
        log.record(
            outcome,
            of: scenario,
            replays: metrics.replays,
            isReused: metrics.isReused
        )
    }

    private func check(
        _ head: ResponseHead,
        _ body: [UInt8],
        interim: Int,
        trailers: HTTPHeaders?,
        isWhole: Bool,
        _ scenario: Scenario
    ) {
        if isWhole, !scenario.fault.outcomes.contains(.success) {
            return reportViolation("unexpected response with status \(head.status.code)", scenario)
        }
        if head.headers["x-id"] != "\(scenario.number)" {
            return reportViolation(
                "got the response of request \(head.headers["x-id"] ?? "-")",
                scenario
            )
        }
        let none = Content(key: 0, length: 0)
        let expected = scenario.answersWithBody ? scenario.answerContent : none
        // A prefix is correct if the rest was not read.
        let isRight = isWhole ? expected.isAll(of: body) : expected.matches(body.span, at: 0)
        if !isRight {
            reportViolation("got \(body.count) body bytes of another message", scenario)
        }
        if head.status.code != scenario.status {
            reportViolation("got status \(head.status)", scenario)
        }
        if interim != (scenario.hasInterimAnswer ? 1 : 0) {
            reportViolation("got \(interim) interim responses", scenario)
        }
        let hasTrailer = scenario.answersWithBody && scenario.framing == .chunked
        if let trailers, trailers["x-end"] != (hasTrailer ? "\(scenario.number)" : nil) {
            reportViolation("got other trailers: \(trailers)", scenario)
        }
    }

    private func isExpected(_ outcome: Outcome, _ error: HTTPError, _ scenario: Scenario) -> Bool {
        if scenario.fault.outcomes.contains(outcome) { return true }
        // An exclusive caller has waited for the faults of earlier requests.
        if scenario.isExclusive { return false }
        switch (scenario.cancellation, outcome) {
        case (.cancels, .cancelled), (.total, .timedOut(.total)): return true
        default: break
        }
        // An earlier request's fault can hit the connection while this request is sent. If the origin
        // closed, only idempotent requests are retried; if it sent garbage, the response is malformed.
        guard error.metrics.isReused else { return false }
        switch outcome {
        case .lost, .truncated: return !scenario.isIdempotent && error.metrics.firstByte == nil
        case .malformed:
            let clientPort = error.metrics.localPort ?? 0
            return origin.hasCorrupted(port: port(of: scenario), clientPort: clientPort)
        default: return false
        }
    }

    private func reportViolation(_ text: String, _ scenario: Scenario) {
        let request = "\(scenario.method.rawValue) \(scenario.number) (\(scenario.fault))"
        log.reportViolation("\(request): \(text); \(scenario)")
    }
}

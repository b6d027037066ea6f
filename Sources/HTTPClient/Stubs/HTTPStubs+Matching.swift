internal import SocketTransport
internal import Wire

extension HTTPStubs {
    /// Returns the exchange that answers a request.
    ///
    /// - Parameters:
    ///   - plan: the plan of the request.
    ///   - request: the request, for a cassette that may send it.
    ///   - client: the client for sending it.
    /// - Returns: nil if the request is sent over the network.
    /// - Throws: `.stubFailed`.
    func exchange(
        for plan: Plan,
        _ request: HTTPRequest,
        _ client: ClientCore
    ) throws(HTTPError) -> StubbedExchange? {
        var stubRequest = HTTPStub.Request(plan)
        // Conditions are the caller's code, so they are called outside of the lock.
        let stubs = state.withLock { $0.stubs }
        if let fault = invalidStub(of: stubs) { throw error(fault, plan) }
        if ignored.contains(where: { $0.matches(stubRequest) }) {
            _ = record(Call(request: stubRequest, stub: nil, isPassedThrough: true))
            return nil
        }
        var nearest: (stub: HTTPStub, result: HTTPStub.Matcher.MatchResult)?
        for (number, stub) in stubs {
            let result = stub.matcher.evaluate(stubRequest)
            guard result.failure != nil else {
                stubRequest.variables = result.variables
                let script = StubbedExchange.Script.stub(number, stub.script)
                return StubbedExchange(stubRequest, stub.description, script, in: self)
            }
            if nearest.map({ result.isCloser(than: $0.result) }) ?? true {
                nearest = (stub, result)
            }
        }
        if let cassette {
            let answer = cassette.answer(to: request, of: client)
            return StubbedExchange(
                stubRequest,
                "cassette \(cassette.path)",
                .cassette(answer),
                in: self
            )
        }
        _ = record(
            Call(request: stubRequest, stub: nil, isPassedThrough: onUnmatched == .passThrough)
        )
        guard onUnmatched == .fail else { return nil }
        let closest = nearest.map { nearest in
            HTTPStubFailureReason.Nearest(
                stub: nearest.stub.description,
                reason: nearest.result.failure ?? ""
            )
        }
        throw error(.unmatched(nearest: closest), plan)
    }

    private func invalidStub(of stubs: [(number: Int, stub: HTTPStub)]) -> HTTPStubFailureReason? {
        for matcher in stubs.map(\.stub.matcher) + ignored {
            guard let reason = matcher.invalidReason else { continue }
            return .invalidStub(matcher.description, reason: reason)
        }
        return nil
    }

    /// Counts a use of a stub.
    ///
    /// - Returns: the number of uses before.
    func countUse(of number: Int) -> Int {
        state.withLock { state in
            defer { state.uses[number, default: 0] += 1 }
            return state.uses[number, default: 0]
        }
    }

    private func error(_ problem: HTTPStubFailureReason, _ plan: Plan) -> HTTPError {
        HTTPError(.stubFailed(problem), phase: .preparing)
            .naming(plan.head.method, plan.publicURL)
    }
}

extension [HTTPStub.Response] {
    /// Returns the response to request `number`, counted from 0; nil after the end.
    func response(_ number: Int, atEnd end: HTTPStub.SequenceEnd) -> Element? {
        if number < count { return self[number] }
        return switch end {
        case .fail: nil
        case .repeatLast: last
        case .startOver: isEmpty ? nil : self[number % count]
        }
    }
}

extension ClientCore {
    /// Returns the plan of a request that a stub may answer.
    func plan(
        _ request: HTTPRequest,
        by planning: ((HTTPRequest) throws(HTTPError) -> Plan)?
    ) throws(HTTPError) -> Plan {
        let plan = try planned(request, by: planning)
        guard let stubs = policies.stubs,
            let exchange = try stubs.exchange(for: plan, request, self)
        else { return plan }
        var stubbed = plan
        if plan.key.proxy != nil {
            var direct = request
            direct.proxy = .direct
            stubbed = try planned(direct, by: planning)
        }
        stubbed.stub = exchange
        // The request that the cassette sends has its own timeouts.
        if exchange.boundsItself {
            stubbed.timeouts.responseHead = .max
            stubbed.timeouts.throughput = nil
        }
        stubbed.keepsConnection = false
        return stubbed
    }

    private func planned(
        _ request: HTTPRequest,
        by planning: ((HTTPRequest) throws(HTTPError) -> Plan)?
    ) throws(HTTPError) -> Plan {
        guard let planning else { return try plan(request) }
        return try planning(request)
    }

    /// Throws if a request would bypass the stubs and unmatched requests must fail.
    func checkIsNotStubbed(_ request: HTTPRequest) throws(HTTPError) {
        guard let stubs = policies.stubs, stubs.onUnmatched == .fail else { return }
        throw HTTPError(.stubFailed(.needsNetwork), phase: .preparing)
            .naming(request.method, request.publicURL)
    }
}

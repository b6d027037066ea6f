internal import SocketTransport
internal import Wire

extension HTTPStubs {
    /// Finds who answers a request.
    ///
    /// - Parameters:
    ///   - plan: of the request.
    ///   - request: for a cassette, which may send it.
    ///   - client: sends it then.
    /// - Returns: nil when it goes to the network.
    /// - Throws: `.stubFailed`.
    func exchange(
        for plan: Plan,
        _ request: HTTPRequest,
        _ client: HTTPClient
    ) throws(HTTPError) -> StubbedExchange? {
        var asked = HTTPStub.Request(plan)
        // Conditions are the user's code: they are asked outside of the lock.
        let stubs = state.withLock { $0.stubs }
        if let fault = faultyStub(of: stubs) { throw error(fault, plan) }
        if ignored.contains(where: { $0.matches(asked) }) {
            _ = note(Call(request: asked, stub: nil, hasPassed: true))
            return nil
        }
        var nearest: (stub: HTTPStub, finding: HTTPStub.Matcher.Finding)?
        for (number, stub) in stubs {
            let finding = stub.matcher.look(at: asked)
            guard finding.failure != nil else {
                asked.variables = finding.variables
                let script = StubbedExchange.Script.stub(number, stub.script)
                return StubbedExchange(asked, stub.description, script, in: self)
            }
            if nearest.map({ finding.isNearer(than: $0.finding) }) ?? true {
                nearest = (stub, finding)
            }
        }
        if let cassette {
            let answer = cassette.answer(to: request, of: client)
            return StubbedExchange(asked, "cassette \(cassette.path)", .cassette(answer), in: self)
        }
        _ = note(Call(request: asked, stub: nil, hasPassed: unmatched == .passes))
        guard unmatched == .fails else { return nil }
        let closest = nearest.map { nearest in
            HTTPStubProblem.Nearest(
                stub: nearest.stub.description,
                reason: nearest.finding.failure ?? ""
            )
        }
        throw error(.unmatched(nearest: closest), plan)
    }

    private func faultyStub(of stubs: [(number: Int, stub: HTTPStub)]) -> HTTPStubProblem? {
        for matcher in stubs.map(\.stub.matcher) + ignored {
            guard let reason = matcher.fault else { continue }
            return .invalidStub(matcher.description, reason: reason)
        }
        return nil
    }

    /// Counts a use of a stub.
    ///
    /// - Returns: how many there were before.
    func takeUse(of number: Int) -> Int {
        state.withLock { state in
            defer { state.uses[number, default: 0] += 1 }
            return state.uses[number, default: 0]
        }
    }

    private func error(_ problem: HTTPStubProblem, _ plan: Plan) -> HTTPError {
        HTTPError(.stubFailed(problem), phase: .preparing)
            .naming(plan.head.method, plan.publicURL)
    }
}

extension [HTTPStub.Response] {
    /// The response to the request of that number, counted from 0; nil behind the end.
    func response(_ number: Int, atEnd end: HTTPStub.SequenceEnd) -> Element? {
        if number < count { return self[number] }
        return switch end {
        case .fails: nil
        case .repeatsLast: last
        case .startsOver: isEmpty ? nil : self[number % count]
        }
    }
}

extension HTTPClient {
    /// Makes the plan of a request that a stub may answer.
    func plan(
        _ request: HTTPRequest,
        by planning: (HTTPRequest) throws(HTTPError) -> Plan
    ) throws(HTTPError) -> Plan {
        let plan = try planning(request)
        guard let stubs = policies.stubs,
            let exchange = try stubs.exchange(for: plan, request, self)
        else { return plan }
        var stubbed = plan
        if plan.key.proxy != nil {
            var direct = request
            direct.proxy = .direct
            stubbed = try planning(direct)
        }
        stubbed.stub = exchange
        // The request that is recorded is bounded as it is.
        if exchange.boundsItself {
            stubbed.bounds.responseHead = .max
            stubbed.bounds.pace = nil
        }
        stubbed.keepsConnection = false
        return stubbed
    }

    /// Throws when a request would pass by the stubs, and none may.
    func checkIsNotStubbed(_ request: HTTPRequest) throws(HTTPError) {
        guard let stubs = policies.stubs, stubs.unmatched == .fails else { return }
        throw HTTPError(.stubFailed(.needsNetwork), phase: .preparing)
            .naming(request.method, request.publicURL)
    }
}

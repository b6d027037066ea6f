public import HTTPClient
internal import SocketTransport

extension HTTPStubs: HTTPDialer {
    /// Returns the stream of the first stub that matches, or of the cassette.
    ///
    /// - Throws: ``HTTPStubError``.
    public func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome {
        guard request.purpose == .exchange else {
            guard onUnmatched == .fail else { return .network }
            throw HTTPStubError(.needsNetwork)
        }
        guard let exchange = try exchange(for: request) else { return .network }
        let result = HTTPDialRequest.Outcome.stream(simulatesTLS: true) { stream in
            try await StubbedPeer(exchange, at: stream.end.value).serve()
        }
        return exchange.limitsOwnTime ? result.withOwnTimeouts() : result
    }

    /// Returns the exchange that answers a request; nil if the request is sent over the network.
    private func exchange(
        for dialRequest: HTTPDialRequest
    ) throws(HTTPStubError) -> StubbedExchange? {
        var request = HTTPStub.Request(dialRequest)
        // Conditions can be the caller's code, so they are called without the lock.
        let stubs = state.withLock { $0.stubs }
        if let reason = invalidStub(of: stubs) { throw HTTPStubError(reason) }
        if ignored.contains(where: { $0.matches(request) }) {
            _ = record(Call(request: request, stub: nil, isPassedThrough: true))
            return nil
        }
        var nearest: (stub: HTTPStub, result: HTTPStub.Matcher.MatchResult)?
        for (number, stub) in stubs {
            let result = stub.matcher.evaluate(request)
            guard result.failure != nil else {
                request.variables = result.variables
                let script = StubbedExchange.Script.stub(number, stub.script)
                return StubbedExchange(request, stub.description, script, in: self)
            }
            if nearest.map({ result.isCloser(than: $0.result) }) ?? true {
                nearest = (stub, result)
            }
        }
        if let recording {
            let answer = recording.answer(to: dialRequest)
            return StubbedExchange(
                request,
                "cassette \(recording.path)",
                .cassette(answer),
                in: self
            )
        }
        _ = record(
            Call(request: request, stub: nil, isPassedThrough: onUnmatched == .passThrough)
        )
        guard onUnmatched == .fail else { return nil }
        let closest = nearest.map { nearest in
            HTTPStubFailureReason.Nearest(
                stub: nearest.stub.description,
                reason: nearest.result.failure ?? ""
            )
        }
        throw HTTPStubError(.unmatched(nearest: closest))
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

extension HTTPClientSettings {
    /// The stubs that answer requests in place of the network.
    ///
    /// Default nil. They are the client's `HTTPClientSettings.dialer`; the value is nil if the
    /// dialer is another one.
    public var stubs: HTTPStubs? {
        get { dialer as? HTTPStubs }
        set { if newValue != nil || dialer is HTTPStubs { dialer = newValue } }
    }
}

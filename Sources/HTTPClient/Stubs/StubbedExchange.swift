internal import SocketTransport
internal import Wire

/// Leads one exchange that is played in place of the network.
final class StubbedExchange: Sendable {
    enum Script: Sendable {
        /// What the stub of that number says.
        case stub(Int, HTTPStub.Script)
        /// The closure sends a request of its own, with time-outs of its own.
        case cassette(HTTPStub.Answer)
    }

    struct State: Sendable {
        /// Where the request is in the log, once it has had its turn.
        var number: Int?
        /// Of a sequence.
        var response: HTTPStub.Response?
        var failure: StubError?
        /// Plays the other end.
        var playing: Task<Void, Never>?
    }

    /// As it was about to be sent.
    let request: HTTPStub.Request
    /// What answers, for errors.
    let name: String
    let script: Script
    private let stubs: HTTPStubs
    private let state = Locked(State())

    init(
        _ request: HTTPStub.Request,
        _ name: String,
        _ script: Script,
        in stubs: HTTPStubs
    ) {
        self.request = request
        self.name = name
        self.script = script
        self.stubs = stubs
    }

    /// Whether the time of the answer is bounded elsewhere.
    var boundsItself: Bool {
        if case .cassette = script { true } else { false }
    }

    /// The response of a sequence, which is known before the request has come.
    var response: HTTPStub.Response? { state.withLock { $0.response } }

    /// Takes its turn, when the request is about to be sent and waits for nothing more: notes it, and
    /// draws the next response of a sequence.
    ///
    /// - Returns: an error that is known before anything is sent, and when it is to be thrown.
    func enter() -> (failure: StubError, delay: Duration)? {
        let number = stubs.record(
            HTTPStubs.Call(request: request, stub: name, isPassedThrough: false)
        )
        state.withLock { $0.number = number }
        guard case .stub(let stub, let script) = script else { return nil }
        let use = stubs.countUse(of: stub)
        guard case .sequence(let responses, let end) = script else { return nil }
        guard let response = responses.response(use, atEnd: end) else {
            let problem = HTTPStubFailureReason.sequenceEnded(
                stub: name,
                responses: responses.count
            )
            return (StubError(.stubFailed(problem)), .zero)
        }
        state.withLock { $0.response = response }
        guard case .error(let kind) = response.content else { return nil }
        return (StubError(kind), response.delay)
    }

    /// How the call ends, when that was not a response.
    var failure: StubError? { state.withLock { $0.failure } }

    func fail(_ failure: StubError) {
        state.withLock { $0.failure = failure }
    }

    func begin(_ playing: Task<Void, Never>) {
        state.withLock { $0.playing = playing }
    }

    /// Waits until the other end has nothing more to do.
    func isOver() async {
        await state.withLock { $0.playing }?.value
    }

    /// Notes what arrived.
    func arrived(_ request: HTTPStub.Request) {
        guard let number = state.withLock({ $0.number }) else { return }
        stubs.record(request, at: number)
    }

    /// Makes the response; off the loop, for it may take its time.
    func answer(
        _ request: HTTPStub.Request
    ) async -> Result<HTTPStub.Response, StubError> {
        do {
            var response: HTTPStub.Response
            switch script {
            case .stub(_, .sequence):
                guard let drawn = self.response else { return .failure(problem("it had no turn")) }
                response = drawn
            case .stub(_, .closure(let make)), .cassette(let make):
                response = try await make(request)
            }
            if case .file(let path) = response.content {
                response.content = .bytes(try FileContents.read(path, limit: 64 << 20))
            }
            return .success(response)
        } catch let error as HTTPError {
            return .failure(
                StubError(error.kind, in: error.phase, underlying: error.underlying)
            )
        } catch {
            return .failure(problem("\(error)", underlying: error))
        }
    }

    /// What is wrong with the answer.
    func problem(_ reason: String, underlying: (any Error)? = nil) -> StubError {
        let problem = HTTPStubFailureReason.answerFailed(stub: name, reason: reason)
        return StubError(.stubFailed(problem), in: .responseHead, underlying: underlying)
    }
}

internal import SocketTransport
internal import Wire

/// One exchange that a stub answers in place of the network.
final class StubbedExchange: Sendable {
    enum Script: Sendable {
        /// The script of the stub with this number.
        case stub(Int, HTTPStub.Script)
        /// A closure that sends its own request, with its own timeouts.
        case cassette(HTTPStub.Answer)
    }

    struct State: Sendable {
        /// The number of the request in the log, once it is recorded.
        var number: Int?
        /// The response of a sequence.
        var response: HTTPStub.Response?
        var failure: StubError?
        /// The task that runs the other end.
        var playing: Task<Void, Never>?
    }

    /// The request as it was about to be sent.
    let request: HTTPStub.Request
    /// The name of the stub or cassette, for errors.
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

    /// Whether the closure has its own timeouts.
    var boundsItself: Bool {
        if case .cassette = script { true } else { false }
    }

    /// The response of a sequence, which is known before the request has arrived.
    var response: HTTPStub.Response? { state.withLock { $0.response } }

    /// Records the request when it is about to be sent, and takes the next response of a sequence.
    ///
    /// - Returns: an error that is known before anything is sent, and the delay before throwing it.
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

    /// The error of the call if it does not end with a response.
    var failure: StubError? { state.withLock { $0.failure } }

    func fail(_ failure: StubError) {
        state.withLock { $0.failure = failure }
    }

    func begin(_ playing: Task<Void, Never>) {
        state.withLock { $0.playing = playing }
    }

    /// Waits until the other end has finished.
    func isOver() async {
        await state.withLock { $0.playing }?.value
    }

    /// Records the request that has arrived.
    func arrived(_ request: HTTPStub.Request) {
        guard let number = state.withLock({ $0.number }) else { return }
        stubs.record(request, at: number)
    }

    /// Returns the response; call off the loop, because it may take long.
    func answer(
        _ request: HTTPStub.Request
    ) async -> Result<HTTPStub.Response, StubError> {
        do {
            var response: HTTPStub.Response
            switch script {
            case .stub(_, .sequence):
                guard let drawn = self.response else {
                    return .failure(problem("no response of its sequence was chosen"))
                }
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

    /// Returns the error for a faulty answer.
    func problem(_ reason: String, underlying: (any Error)? = nil) -> StubError {
        let problem = HTTPStubFailureReason.answerFailed(stub: name, reason: reason)
        return StubError(.stubFailed(problem), in: .responseHead, underlying: underlying)
    }
}

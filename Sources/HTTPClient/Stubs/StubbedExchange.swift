internal import SocketTransport
internal import Wire

/// Leads one exchange that is played in place of the network.
final class StubbedExchange: Sendable {
    enum Script: Sendable {
        case response(HTTPStub.Response)
        case closure(HTTPStub.Answer)
    }

    struct State: Sendable {
        var failure: StubbedFailure?
        /// Plays the other end.
        var playing: Task<Void, Never>?
    }

    /// As it was about to be sent.
    let request: HTTPStub.Request
    /// What answers, for errors.
    let name: String
    let script: Script
    private let stubs: HTTPStubs
    /// Where the request is in the log.
    private let number: Int
    private let state = Locked(State())

    init(
        _ request: HTTPStub.Request,
        _ name: String,
        _ script: Script,
        number: Int,
        in stubs: HTTPStubs
    ) {
        self.request = request
        self.name = name
        self.script = script
        self.number = number
        self.stubs = stubs
    }

    /// An error that is known before anything is sent, and when it is to be thrown.
    var refusal: (failure: StubbedFailure, delay: Duration)? {
        guard case .response(let response) = script, case .error(let kind) = response.content else {
            return nil
        }
        return (StubbedFailure(kind), response.delay)
    }

    /// How the call ends, when that was not a response.
    var failure: StubbedFailure? { state.withLock { $0.failure } }

    func fail(_ failure: StubbedFailure) {
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
        stubs.note(request, at: number)
    }

    /// Makes the response; off the loop, for it may take its time.
    func answer(
        _ request: HTTPStub.Request
    ) async -> Result<HTTPStub.Response, StubbedFailure> {
        do {
            var response: HTTPStub.Response
            switch script {
            case .response(let fixed): response = fixed
            case .closure(let make): response = try await make(request)
            }
            if case .file(let path) = response.content {
                response.content = .bytes(try WholeFile.read(path, limit: 64 << 20))
            }
            return .success(response)
        } catch let error as HTTPError {
            return .failure(
                StubbedFailure(error.kind, in: error.phase, underlying: error.underlying)
            )
        } catch {
            return .failure(problem("\(error)", underlying: error))
        }
    }

    /// What is wrong with the answer.
    func problem(_ reason: String, underlying: (any Error)? = nil) -> StubbedFailure {
        let problem = HTTPStubProblem.answerFailed(stub: name, reason: reason)
        return StubbedFailure(.stubFailed(problem), in: .responseHead, underlying: underlying)
    }
}

internal import HTTPClient
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

    /// Whether the closure of the script has its own timeouts.
    var limitsOwnTime: Bool {
        if case .cassette = script { true } else { false }
    }

    /// The response of a sequence, which is known before the request has arrived.
    var response: HTTPStub.Response? { state.withLock { $0.response } }

    /// Records the request when it is about to be sent, and takes the next response of a sequence.
    ///
    /// - Returns: an error that is known before anything is sent, and the delay before throwing it.
    func enter() -> (failure: any Error, delay: Duration)? {
        let number = stubs.record(
            HTTPStubs.Call(request: request, stub: name, isPassedThrough: false)
        )
        state.withLock { $0.number = number }
        guard case .stub(let stub, let script) = script else { return nil }
        let use = stubs.countUse(of: stub)
        guard case .sequence(let responses, let end) = script else { return nil }
        guard let response = responses.response(use, atEnd: end) else {
            let reason = HTTPStubFailureReason.sequenceEnded(
                stub: name,
                responses: responses.count
            )
            return (HTTPStubError(reason), .zero)
        }
        state.withLock { $0.response = response }
        return response.failure.map { ($0, response.delay) }
    }

    /// Records the request that has arrived.
    func arrived(_ request: HTTPStub.Request) {
        guard let number = state.withLock({ $0.number }) else { return }
        stubs.record(request, at: number)
    }

    /// Returns the response; call off the loop, because it may take long.
    func answer(_ request: HTTPStub.Request) async throws -> HTTPStub.Response {
        do {
            var response: HTTPStub.Response
            switch script {
            case .stub(_, .sequence):
                guard let drawn = self.response else {
                    throw error("no response of its sequence was chosen")
                }
                response = drawn
            case .stub(_, .closure(let make)), .cassette(let make):
                response = try await make(request)
            }
            if case .file(let path) = response.content {
                response.content = .bytes(try FileContents.read(path, limit: 64 << 20))
            }
            return response
        } catch {
            switch error {
            case is HTTPError, is HTTPDialRequest.DialError, is HTTPStubError: throw error
            default: throw self.error("\(error)", underlying: error)
            }
        }
    }

    /// Returns the error for a faulty answer.
    func error(_ reason: String, underlying: (any Error)? = nil) -> HTTPStubError {
        HTTPStubError(.answerFailed(stub: name, reason: reason), underlying: underlying)
    }
}

extension HTTPStub.Response {
    /// The error of a response that makes the call fail; otherwise nil.
    var failure: (any Error)? {
        switch content {
        case .error(let kind): HTTPDialRequest.DialError(kind)
        case .failure(let error): error
        default: nil
        }
    }
}

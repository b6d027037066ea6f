internal import HTTPClient
internal import SocketTransport
internal import Wire

/// The other end of a connection to a stub, which reads one request and answers it.
///
/// Loop-confined. It ends when the client closes its end, even while it waits.
final class StubbedPeer {
    private let exchange: StubbedExchange
    private let end: PeerEnd
    private var sentCount = 0

    init(_ exchange: StubbedExchange, at end: PeerEnd) {
        self.exchange = exchange
        self.end = end
    }

    /// Serves the request; returns when the connection is to be closed.
    ///
    /// - Throws: the error of the call; any error if the client has closed its end.
    nonisolated(nonsending) func serve() async throws {
        if let (failure, delay) = exchange.enter() {
            try await pause(delay)
            throw failure
        }
        let script: HTTPStub.Response.Script
        let speed: HTTPStub.Speed?
        do {
            let request = try await receive()
            exchange.arrived(request)
            let response = try await answer(request)
            if let failure = response.failure {
                try await pause(response.delay)
                throw failure
            }
            script = try response.script(for: request)
            speed = response.speed
        } catch let error as WireError {
            throw exchange.error(error.description)
        }
        try await play(script, at: speed)
    }

    // MARK: - Request

    private nonisolated(nonsending) func receive() async throws -> HTTPStub.Request {
        var server = ServerExchange(limits: Self.limits, strictness: .forensic)
        var input = InputBuffer(fields: 0)
        var body: [UInt8] = []
        while true {
            switch try server.receive(from: &input, appendingBodyTo: &body) {
            case .head:
                var interim: [UInt8] = []
                server.sendContinue(into: &interim)
                if !interim.isEmpty { _ = try await end.write(interim) }
            case .needMore, .body:
                let bytes = try await end.read(atMost: 64 << 10)
                guard !bytes.isEmpty else { throw TransportError.cancelled }
                input.append(bytes.span)
            case .end:
                var request = exchange.request
                request.body = body
                request.isBodyPending = false
                return request
            }
        }
    }

    private nonisolated(nonsending) func answer(
        _ request: HTTPStub.Request
    ) async throws -> HTTPStub.Response {
        if let response = exchange.response, !response.readsFile { return response }
        // Run the closure in another task, so that this one does not wait for it after the call has ended.
        let loop = end.loop
        let turn = Suspension<Result<HTTPStub.Response, any Error>>(on: loop, phase: .read)
        let bound = LoopBound(turn, on: loop)
        let asking = Task { [exchange] in
            let answer: Result<HTTPStub.Response, any Error>
            do {
                answer = .success(try await exchange.answer(request))
            } catch {
                answer = .failure(error)
            }
            loop.post { [answer] in bound.value.resume(returning: answer) }
        }
        defer { asking.cancel() }
        try end.scope.enter(turn)
        defer { end.scope.leave() }
        return try await turn.wait(until: .never).get()
    }

    // MARK: - Response

    private nonisolated(nonsending) func play(
        _ script: HTTPStub.Response.Script,
        at speed: HTTPStub.Speed?
    ) async throws {
        sentCount = 0
        var limiter = speed.map { RateLimiter($0) }
        for (index, run) in script.runs.enumerated() {
            if index > 0, let limit = script.limit, sentCount >= limit { break }
            try await pause(run.pause)
            if index == 0 || run.pause > .zero { limiter?.begin(at: .now()) }
            var rest = run.bytes[...]
            if let limit = script.limit { rest = rest.prefix(limit - sentCount) }
            while !rest.isEmpty {
                let slice = rest.prefix(limiter?.slice ?? .max)
                rest = rest.dropFirst(slice.count)
                let hasWaited = try await end.write(Array(slice))
                sentCount += slice.count
                guard limiter != nil else { continue }
                // Do not send faster to make up for time in which the client did not read.
                if hasWaited { limiter?.begin(at: .now()) }
                limiter?.sent(slice.count)
                if let due = limiter?.due { try await end.pause(until: due) }
            }
        }
        guard script.limit != nil else { return }
        switch script.truncation {
        case .close: break
        case .reset: end.reset()
        case .stall: try await end.pause(until: .never)
        }
    }

    private nonisolated(nonsending) func pause(_ duration: Duration) async throws {
        guard duration > .zero else { return }
        try await end.pause(until: Deadline.now().advanced(by: duration))
    }

    /// Limits far above the sizes that a client sends; the log keeps request bodies in memory.
    private static let limits = {
        var limits = WireLimits()
        limits.headBytes = 16 << 20
        limits.requestLineBytes = 2 << 20
        limits.fieldCount = 1 << 16
        limits.trailerBytes = 1 << 20
        limits.trailerCount = 1 << 12
        limits.requestBodyBytes = 64 << 20
        return limits
    }()
}

extension HTTPStub.Response {
    fileprivate var readsFile: Bool {
        if case .file = content { true } else { false }
    }
}

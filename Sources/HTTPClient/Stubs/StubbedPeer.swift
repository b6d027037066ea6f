internal import SocketTransport
internal import Wire

/// The other end of a connection to a stub, which reads one request and answers it.
///
/// Loop-confined. It ends when the client closes its end, even while it waits.
final class StubbedPeer {
    private let exchange: StubbedExchange
    private let loop: EventLoop
    private let near: SocketStream
    private let far: SocketStream
    private let scope = CancellationScope()
    private var input = StubbedInput()
    private var sentCount = 0

    init(_ exchange: StubbedExchange, near: SocketStream, far: SocketStream) {
        self.exchange = exchange
        self.near = near
        self.far = far
        loop = far.loop
    }

    /// Stops because the client has closed its end.
    func end() {
        scope.cancel()
    }

    nonisolated(nonsending) func serve() async {
        do throws(ExchangeError) {
            try enter(far)
            let request = try await receive()
            exchange.arrived(request)
            let response = try await answer(request)
            if case .error(let kind) = response.content {
                try await pause(response.delay)
                throw .stub(StubError(kind))
            }
            let script = try wire { () throws(WireError) in try response.script(for: request) }
            try await play(script, at: response.speed)
        } catch {
            switch error {
            case .stub(let failure): exchange.fail(failure)
            case .wire(let error): exchange.fail(exchange.problem(error.message))
            // The client is gone, so no call needs the error.
            default: break
            }
        }
        // If the loop has stopped, this is another thread and the sockets are already closed.
        if loop.isCurrent { far.close() }
    }

    // MARK: - Request

    private nonisolated(nonsending) func receive() async throws(ExchangeError) -> HTTPStub.Request {
        var heads = RequestHeadDecoder(limits: Self.limits)
        while true {
            let head: RequestHead?
            do {
                head = try input.takeHead(&heads)
            } catch {
                throw .wire(error)
            }
            if let head { return try await receiveBody(of: head) }
            try await fill()
        }
    }

    private nonisolated(nonsending) func receiveBody(
        of head: RequestHead
    ) async throws(ExchangeError) -> HTTPStub.Request {
        let framing = try wire { () throws(WireError) in
            try BodyFraming.ofRequest(version: head.version, headers: head.headers)
        }
        if framing != .noBody, head.headers.containsToken("100-continue", in: .expect) {
            try await write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        var decoder = BodyDecoder(framing)
        var body: [UInt8] = []
        while true {
            let event: BodyEvent
            do {
                event = try input.takeBody(&decoder, into: &body)
            } catch {
                throw .wire(error)
            }
            guard body.count <= Self.bodyMaximum else {
                throw .stub(exchange.problem("the body has more than \(Self.bodyMaximum) bytes"))
            }
            switch event {
            case .body: continue
            case .needMore: try await fill()
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
    ) async throws(ExchangeError) -> HTTPStub.Response {
        if let response = exchange.response, !response.readsFile { return response }
        // In another task, so that this one does not wait for a closure whose call has ended.
        let turn = Suspension<Result<HTTPStub.Response, StubError>>(on: loop, phase: .read)
        let bound = LoopBound(turn, on: loop)
        let asking = Task { [loop, exchange] in
            let answer = await exchange.answer(request)
            loop.post { bound.value.resume(returning: answer) }
        }
        defer { asking.cancel() }
        try enter(turn)
        let answer: Result<HTTPStub.Response, StubError>
        do {
            answer = try await turn.wait(until: .never)
        } catch {
            throw .transport(error)
        }
        try enter(far)
        do {
            return try answer.get()
        } catch {
            throw .stub(error)
        }
    }

    // MARK: - Response

    private nonisolated(nonsending) func play(
        _ script: HTTPStub.Response.Script,
        at speed: HTTPStub.Speed?
    ) async throws(ExchangeError) {
        sentCount = 0
        var pace = speed.map { StubbedPace($0) }
        for (index, run) in script.runs.enumerated() {
            if index > 0, let limit = script.limit, sentCount >= limit { break }
            try await pause(run.pause)
            if index == 0 || run.pause > .zero { pace?.begin(at: .now()) }
            var rest = run.bytes[...]
            if let limit = script.limit { rest = rest.prefix(limit - sentCount) }
            while !rest.isEmpty {
                let slice = rest.prefix(pace?.slice ?? .max)
                rest = rest.dropFirst(slice.count)
                let hasWaited = try await write(Array(slice))
                guard pace != nil else { continue }
                // Do not catch up on time that the client did not read.
                if hasWaited { pace?.begin(at: .now()) }
                pace?.sent(slice.count)
                if let due = pace?.due { try await pause(until: due) }
            }
        }
        guard script.limit != nil else { return }
        switch script.truncation {
        case .close: break
        case .reset: far.close(resetting: near)
        case .stall: try await pause(until: .never)
        }
    }

    /// Sends bytes.
    ///
    /// - Returns: whether it had to wait for the client to read.
    @discardableResult private nonisolated(nonsending) func write(
        _ bytes: [UInt8]
    ) async throws(ExchangeError) -> Bool {
        var sent = 0
        var hasWaited = false
        while sent < bytes.count {
            let taken: Int
            do {
                taken = try far.send(bytes.span.extracting(sent..<bytes.count))
            } catch {
                throw .transport(error)
            }
            sent += taken
            sentCount += taken
            if taken == 0 {
                hasWaited = true
                try await wait(for: .writable, until: .never)
            }
        }
        return hasWaited
    }

    private nonisolated(nonsending) func pause(_ duration: Duration) async throws(ExchangeError) {
        guard duration > .zero else { return }
        try await pause(until: Deadline.now().advanced(by: duration))
    }

    /// Waits, but ends early if the client closes its end.
    private nonisolated(nonsending) func pause(until end: Deadline) async throws(ExchangeError) {
        while .now() < end {
            do throws(TransportError) {
                try await far.wait(for: .readable, until: end)
            } catch .timedOut {
                return
            } catch {
                throw .transport(error)
            }
            try await fill(until: end)
        }
    }

    // MARK: - Input and output

    /// Waits for bytes and adds them to `input`; returns without an error at `end`.
    ///
    /// - Throws: `.transport(.cancelled)` at the end of stream.
    private nonisolated(nonsending) func fill(
        until end: Deadline = .never
    ) async throws(ExchangeError) {
        while true {
            let outcome: ReceiveOutcome
            do {
                outcome = try input.fill(from: far)
            } catch {
                throw .transport(error)
            }
            switch outcome {
            case .bytes: return
            case .wouldBlock:
                guard end == .never else { return }
                try await wait(for: .readable, until: end)
            case .end, .truncated: throw .transport(.cancelled)
            }
        }
    }

    private nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until end: Deadline
    ) async throws(ExchangeError) {
        do {
            try await far.wait(for: readiness, until: end)
        } catch {
            throw .transport(error)
        }
    }

    private func enter(_ wait: any CancellableWait) throws(ExchangeError) {
        do {
            try scope.enter(wait)
        } catch {
            throw .transport(error)
        }
    }

    private func wire<Value>(
        _ step: () throws(WireError) -> Value
    ) throws(ExchangeError) -> Value {
        do {
            return try step()
        } catch {
            throw .wire(error)
        }
    }

    /// Limits far above what the client sends.
    private static let limits = {
        var limits = WireLimits()
        limits.headBytes = 16 << 20
        limits.requestLineBytes = 2 << 20
        limits.fieldCount = 1 << 16
        limits.trailerBytes = 1 << 20
        limits.trailerCount = 1 << 12
        return limits
    }()

    /// The maximum size of a request body in bytes; it is kept in memory, also for the log.
    private static let bodyMaximum = 64 << 20
}

extension HTTPStub.Response {
    fileprivate var readsFile: Bool {
        if case .file = content { true } else { false }
    }
}

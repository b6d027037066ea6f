import Wire

/// Serves one client until one of the two has had enough.
struct EchoConnection {
    private let socket: Socket
    private var exchange: ServerExchange
    private var output: [UInt8] = []

    init(_ socket: Socket) {
        self.socket = socket
        var limits = WireLimits()
        limits.requestBodyBytes = 1 << 20
        exchange = ServerExchange(limits: limits)
    }

    mutating func serve() throws {
        defer { socket.close() }
        var input: [UInt8] = []
        do {
            while let request = try receive(&input) {
                try answer(request)
                guard exchange.next() == nil else { return }
            }
        } catch let error as WireError {
            try send(error.responseStatus ?? .badRequest, Array("\(error)\n".utf8))
        }
    }

    /// A request, once it has come to its end.
    private typealias Request = (head: RequestHead, framing: BodyFraming, body: [UInt8])

    /// Reads the next request; nil when the client closes instead of sending one.
    private mutating func receive(_ input: inout [UInt8]) throws -> Request? {
        var request: Request?
        while true {
            let step = try exchange.receive(input.span)
            switch step.event {
            case .head(let head, let framing): request = (head, framing, [])
            case .body(let range): request?.body += input[range]
            case .end, .needMore: break
            }
            // What stays is the beginning of the next request.
            input.removeFirst(step.consumed)
            if case .end = step.event { return request }
            guard case .needMore = step.event else { continue }
            exchange.sendContinue(into: &output)
            try flush()
            guard try socket.read(into: &input) else {
                try exchange.receiveEnd()
                return nil
            }
        }
    }

    private mutating func answer(_ request: Request) throws {
        switch request.head.method {
        case .get, .head:
            var text: [UInt8] = []
            try RequestHeadEncoder.encode(request.head, into: &text)
            try send(.ok, text)
        case .post where request.framing == .chunked:
            // As it came: in chunks.
            try exchange.respond(head(.ok), .streamed, into: &output)
            try exchange.sendBody(request.body.span, into: &output)
            try exchange.finish(into: &output)
            try flush()
        case .post: try send(.ok, request.body)
        default: try send(.methodNotAllowed, [])
        }
    }

    private mutating func send(_ status: HTTPStatus, _ body: [UInt8]) throws {
        try exchange.respond(head(status), body: body.span, into: &output)
        try flush()
    }

    private func head(_ status: HTTPStatus) -> ResponseHead {
        let date = Clock.now.description
        return ResponseHead(status: status, headers: [.date: date, .allow: "GET, HEAD, POST"])
    }

    private mutating func flush() throws {
        try socket.write(output)
        output.removeAll(keepingCapacity: true)
    }
}

// Answers GET with the head it received and POST with the body, over Wire and blocking sockets.
//
//     swift run EchoServer 8080
//     curl http://127.0.0.1:8080/ --data 'hello'
import Wire

try listen(port: CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 8080) { client in
    do { try serve(client) } catch { print("a connection was lost: \(error)") }
}

/// Serves one client, request after request, until one of the two has had enough.
func serve(_ client: Socket) throws {
    var limits = WireLimits()
    limits.requestBodyBytes = 1 << 20
    var exchange = ServerExchange(limits: limits)
    var input: [UInt8] = []
    do {
        while let request = try receive(from: client, &input, &exchange) {
            try client.write(answer(request, &exchange))
            guard exchange.next() == nil else { return }
        }
    } catch let error as WireError {
        var output: [UInt8] = []
        let head = head(error.responseStatus ?? .badRequest)
        try exchange.respond(head, body: "\(error)\n".utf8.span, into: &output)
        try client.write(output)
    }
}

/// A request, once it has come to its end.
typealias Request = (head: RequestHead, framing: BodyFraming, body: [UInt8])

/// Reads the next request; nil when the client closes instead of sending one.
func receive(
    from client: Socket,
    _ input: inout [UInt8],
    _ exchange: inout ServerExchange
) throws -> Request? {
    var request: Request?
    while true {
        let step = try exchange.receive(input.span)
        if case .body(let range) = step.event { request?.body += input[range] }
        // What stays is the beginning of the next request.
        input.removeFirst(step.consumed)
        switch step.event {
        case .head(let head, let framing): request = (head, framing, [])
        case .body: continue
        case .end: return request
        case .needMore:
            var goAhead: [UInt8] = []
            exchange.sendContinue(into: &goAhead)
            try client.write(goAhead)
            guard try client.read(into: &input) else {
                try exchange.receiveEnd()
                return nil
            }
        }
    }
}

/// Writes what the client gets: its head, or its body in the way it came.
func answer(_ request: Request, _ exchange: inout ServerExchange) throws -> [UInt8] {
    var (text, output): ([UInt8], [UInt8]) = ([], [])
    switch request.head.method {
    case .get, .head:
        try RequestHeadEncoder.encode(request.head, into: &text)
        try exchange.respond(head(.ok), body: text.span, into: &output)
    case .post where request.framing == .chunked:
        try exchange.respond(head(.ok), .streamed, into: &output)
        try exchange.sendBody(request.body.span, into: &output)
        try exchange.finish(into: &output)
    case .post:
        try exchange.respond(head(.ok), body: request.body.span, into: &output)
    default:
        try exchange.respond(head(.methodNotAllowed), .empty, into: &output)
    }
    return output
}

func head(_ status: HTTPStatus) -> ResponseHead {
    ResponseHead(status: status, headers: [.date: "\(now())", .allow: "GET, HEAD, POST"])
}

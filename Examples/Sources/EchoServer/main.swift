// Answers GET with the head it received and POST with the body, over Wire and blocking sockets.
//
//     swift run EchoServer 8080
//     curl http://127.0.0.1:8080/ --data 'hello'
import Wire

try listen(port: CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 8080) { client in
    var limits = WireLimits()
    limits.requestBodyBytes = 1 << 20
    var connection = EchoConnection(client: client, exchange: ServerExchange(limits: limits))
    do { try connection.serve() } catch { print("a connection was lost: \(error)") }
}

/// A request, with the part of its body received so far.
typealias Request = (head: RequestHead, framing: BodyFraming, body: [UInt8])

/// A connection to one client.
///
/// Output is written before the server waits for input, and at the end.
struct EchoConnection {
    let client: Socket
    var exchange: ServerExchange
    var output: [UInt8] = []

    /// Answers requests until either side closes, and sends an error response for an invalid request.
    mutating func serve() throws {
        do {
            try answerRequests()
        } catch let error as WireError {
            let head = head(error.responseStatus ?? .badRequest)
            try exchange.respond(head, body: "\(error)\n".utf8.span, into: &output)
        }
        try client.write(&output)
    }

    mutating func answerRequests() throws {
        var input: [UInt8] = []
        var request: Request?
        while true {
            let step = try exchange.receive(input.span)
            // The bytes after the end of a request are the start of the next one.
            defer { input.removeFirst(step.consumed) }
            switch step.event {
            case .head(let head, let framing): request = (head, framing, [])
            case .body(let range): request?.body += input[range]
            case .end:
                if let request { try answer(request) }
                guard exchange.startNextExchange() == nil else { return }
            case .needMore:
                exchange.sendContinue(into: &output)
                try client.write(&output)
                guard try client.read(into: &input) else {
                    return try exchange.receiveEndOfStream()
                }
            }
        }
    }

    /// Answers with the head of the request, or with its body in the same framing.
    mutating func answer(_ request: Request) throws {
        switch request.head.method {
        case .get, .head:
            var text: [UInt8] = []
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
    }
}

func head(_ status: HTTPStatus) -> ResponseHead {
    ResponseHead(status: status, headers: [.date: "\(now())", .allow: "GET, HEAD, POST"])
}

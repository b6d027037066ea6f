import Support
import Wire

/// The result of a server exchange that answers every request at its end, the same for every split.
struct ServerOutcome: Equatable {
    struct Request: Equatable {
        var line: String
        var headers: HTTPHeaders
        var framing: BodyFraming
        var body: [UInt8] = []
        /// The trailers; nil if the end was not reached.
        var trailers: HTTPHeaders?
    }

    var requests: [Request] = []
    var error: WireError?
    var closeReason: CloseReason?
    var protocolSwitch: ProtocolSwitch?
    /// All bytes that the server has sent.
    var sent: [UInt8] = []
    /// The bytes after the last request; nil if the server needs more bytes.
    var rest: [UInt8]?

    /// Decodes pieces of a client's bytes; the client closes after them.
    ///
    /// With `copiesBody`, the bytes are read through an `InputBuffer`, and bodies are copied.
    init(
        _ pieces: [[UInt8]],
        limits: WireLimits = .default,
        answer: ResponseHead = ResponseHead(status: .noContent),
        copiesBody: Bool = false
    ) {
        var exchange = ServerExchange(limits: limits)
        var outcome = ServerOutcome()
        do {
            outcome.rest = try ByteSplits.feed(pieces) { input in
                let step =
                    copiesBody
                    ? try outcome.copy(input, &exchange) : try exchange.receive(input)
                switch step.event {
                case .needMore:
                    return .init(consumed: step.consumed, next: .whenMore)
                case .head(let head, let framing):
                    outcome.requests.append(
                        Request(
                            line: "\(head.method) \(head.target) \(head.version)",
                            headers: head.headers,
                            framing: framing
                        )
                    )
                case .body(let range):
                    for index in range {
                        outcome.requests[outcome.requests.count - 1].body.append(input[index])
                    }
                case .end(let trailers):
                    outcome.requests[outcome.requests.count - 1].trailers = trailers
                    try exchange.respond(answer, .empty, into: &outcome.sent)
                    if exchange.startNextExchange() != nil {
                        return .init(consumed: step.consumed, next: .done)
                    }
                }
                return .init(consumed: step.consumed, next: .again)
            }
            if outcome.rest == nil { try exchange.receiveEndOfStream() }
        } catch {
            outcome.error = error as? WireError
        }
        outcome.closeReason = exchange.closeReason
        outcome.protocolSwitch = exchange.protocolSwitch
        self = outcome
    }

    private init() {}

    private mutating func copy(
        _ input: Span<UInt8>,
        _ exchange: inout ServerExchange
    ) throws(WireError) -> RequestStep {
        var buffer = InputBuffer(fields: 0)
        buffer.append(input)
        var body: [UInt8] = []
        defer { if !body.isEmpty { requests[requests.count - 1].body += body } }
        let event = try exchange.receive(from: &buffer, appendingBodyTo: &body)
        return RequestStep(consumed: input.count - buffer.count, event: event)
    }

    init(_ text: String, limits: WireLimits = .default) {
        self.init([Array(text.utf8)], limits: limits)
    }

    /// The bodies as text.
    var bodies: [String] { requests.map { String(decoding: $0.body, as: UTF8.self) } }

    /// The request line of each request.
    var lines: [String] { requests.map(\.line) }
}

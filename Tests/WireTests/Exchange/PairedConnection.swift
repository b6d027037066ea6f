import Support
import Wire

/// A client exchange and a server exchange on the ends of one connection, which passes bytes in small
/// pieces.
struct PairedConnection {
    private let piece: Int
    private var client: MessageExchange?
    private var server = ServerExchange()

    struct ExchangeOutcome {
        var request: RequestHead?
        var requestFraming: BodyFraming?
        var requestBody: [UInt8] = []
        var serverFraming: BodyFraming?
        var responseStatus: HTTPStatus?
        var clientFraming: BodyFraming?
        var responseBody: [UInt8] = []
        var trailers: HTTPHeaders?
        var hintCount = 0
        var clientReason: CloseReason?
        var serverReason: CloseReason?
        var clientProtocolSwitch: ProtocolSwitch?
        var serverProtocolSwitch: ProtocolSwitch?
    }

    /// A failure of the two sides to complete an exchange.
    enum PairError: Error {
        case refused(CloseReason)
        case requestNotComplete
        case responseNotComplete
        case continueMissing
    }

    init(piece: Int) {
        self.piece = piece
    }

    mutating func run(
        _ request: RequestHead,
        framing: BodyFraming,
        body: [UInt8],
        response: ResponseHead,
        content: ResponseContent,
        responseBody: [UInt8],
        trailers: HTTPHeaders,
        sendsEarlyHints: Bool
    ) throws -> ExchangeOutcome {
        var outcome = ExchangeOutcome()
        var client = self.client ?? MessageExchange(request: request)
        if self.client != nil, let reason = client.startNextExchange(request) {
            throw PairError.refused(reason)
        }
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        try RequestHeadEncoder.encode(request, into: &toServer)
        let isWaiting = client.requestBodyAction == .wait
        if isWaiting {
            _ = try serve(&toServer, &outcome)
            server.sendContinue(into: &toClient)
            try receive(&toClient, &client, &outcome)
            // For an empty body the client need not wait.
            if framing == .length(0) { client.proceedWithoutContinue() }
            guard client.requestBodyAction == .send else { throw PairError.continueMissing }
        }
        var encoder = BodyEncoder(framing)
        if !body.isEmpty {
            try encoder.begin(body.count, into: &toServer)
            toServer += body
            encoder.end(into: &toServer)
        }
        if framing != .noBody { try encoder.finish(into: &toServer) }
        client.requestSent()
        guard try serve(&toServer, &outcome), toServer.isEmpty else {
            throw PairError.requestNotComplete
        }
        if sendsEarlyHints {
            try server.sendInformational(ResponseHead(status: .earlyHints), into: &toClient)
        }
        let sent = try server.respond(response, content, into: &toClient)
        outcome.serverFraming = sent
        if sent != .noBody {
            for start in stride(from: 0, to: responseBody.count, by: 7) {
                let end = min(start + 7, responseBody.count)
                try server.sendBody(responseBody.span.extracting(start..<end), into: &toClient)
            }
            try server.finish(trailers: sent == .chunked ? trailers : [:], into: &toClient)
        }
        try receive(&toClient, &client, &outcome)
        if sent == .untilClose, case .end(let trailers) = try client.receiveEndOfStream() {
            outcome.trailers = trailers
        }
        guard outcome.trailers != nil, toClient.isEmpty else { throw PairError.responseNotComplete }
        outcome.clientReason = client.closeReason
        outcome.clientProtocolSwitch = client.protocolSwitch
        outcome.serverProtocolSwitch = server.protocolSwitch
        outcome.serverReason = server.startNextExchange()
        self.client = client
        return outcome
    }

    /// Passes sent bytes to the server; returns whether the request is complete.
    private mutating func serve(
        _ bytes: inout [UInt8],
        _ outcome: inout ExchangeOutcome
    ) throws -> Bool {
        var end = min(piece, bytes.count)
        while true {
            let step = try server.receive(bytes.span.extracting(0..<end))
            switch step.event {
            case .needMore:
                bytes.removeFirst(step.consumed)
                guard end - step.consumed < bytes.count else { return false }
                end = min(end - step.consumed + piece, bytes.count)
                continue
            case .head(let head, let framing):
                outcome.request = head
                outcome.requestFraming = framing
            case .body(let range):
                outcome.requestBody += bytes[range]
            case .end:
                bytes.removeFirst(step.consumed)
                return true
            }
            bytes.removeFirst(step.consumed)
            end -= step.consumed
        }
    }

    /// Passes sent bytes to the client, up to the end of the response or of the bytes.
    private func receive(
        _ bytes: inout [UInt8],
        _ client: inout MessageExchange,
        _ outcome: inout ExchangeOutcome
    ) throws {
        var end = min(piece, bytes.count)
        while true {
            let step = try client.receive(bytes.span.extracting(0..<end))
            switch step.event {
            case .needMore:
                bytes.removeFirst(step.consumed)
                guard end - step.consumed < bytes.count else { return }
                end = min(end - step.consumed + piece, bytes.count)
                continue
            case .informational(let head):
                if head.status == .earlyHints { outcome.hintCount += 1 }
            case .head(let head, let framing):
                outcome.responseStatus = head.status
                outcome.clientFraming = framing
            case .body(let range):
                outcome.responseBody += bytes[range]
            case .end(let trailers):
                outcome.trailers = trailers
                bytes.removeFirst(step.consumed)
                return
            }
            bytes.removeFirst(step.consumed)
            end -= step.consumed
        }
    }
}

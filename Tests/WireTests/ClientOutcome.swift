import Support
import Wire

/// The result of decoding a response, the same for every split: heads, joined body, end, error.
struct ClientOutcome: Equatable {
    var interim: [Int] = []
    var head: ResponseHead?
    var framing: BodyFraming?
    var body: [UInt8] = []
    var trailers: HTTPHeaders?
    var error: WireError?
    var closeReason: CloseReason?
    /// The bytes after the end of the response; nil if the end was not reached.
    var rest: [UInt8]?

    private init() {}

    /// Decodes pieces of a response; the peer closes after them.
    ///
    /// With `room`, the body is copied, at most that many bytes in one call.
    init(
        _ pieces: [[UInt8]],
        to method: HTTPMethod = .get,
        requestHeaders: HTTPHeaders = [:],
        limits: WireLimits = .default,
        copyingInto room: Int? = nil
    ) {
        let request = RequestHead(method: method, target: .origin("/"), headers: requestHeaders)
        var exchange = MessageExchange(request: request, limits: limits)
        exchange.requestSent()
        var outcome = ClientOutcome()
        do {
            outcome.rest = try ByteSplits.feed(pieces) { input in
                if let room, outcome.head != nil {
                    let batch = try Self.copy(input, room, &exchange, &outcome.body)
                    if case .end(let trailers) = batch.state { outcome.trailers = trailers }
                    return .init(batch)
                }
                let step = try exchange.receive(input)
                switch step.event {
                case .needMore:
                    return .init(consumed: step.consumed, next: .whenMore)
                case .informational(let head):
                    outcome.interim.append(Int(head.status.code))
                case .head(let head, let framing):
                    outcome.head = head
                    outcome.framing = framing
                case .body(let range):
                    for index in range { outcome.body.append(input[index]) }
                case .end(let trailers):
                    outcome.trailers = trailers
                    return .init(consumed: step.consumed, next: .done)
                }
                return .init(consumed: step.consumed, next: .again)
            }
            if outcome.rest == nil, case .end(let trailers) = try exchange.receiveEndOfStream() {
                outcome.trailers = trailers
            }
            outcome.closeReason = exchange.closeReason
        } catch {
            outcome.error = error as? WireError
        }
        self = outcome
    }

    private static func copy(
        _ input: Span<UInt8>,
        _ room: Int,
        _ exchange: inout MessageExchange,
        _ body: inout [UInt8]
    ) throws(WireError) -> BodyBatch {
        var batch = BodyBatch(consumed: 0, state: .needMore)
        try body.append(addingCapacity: room) { output throws(WireError) in
            batch = try exchange.receiveBody(input, into: &output)
        }
        return batch
    }

    init(_ text: String, to method: HTTPMethod = .get, limits: WireLimits = .default) {
        self.init([Array(text.utf8)], to: method, limits: limits)
    }
}

extension ByteSplits.Consumption {
    /// Creates the progress after a batch of body bytes.
    init(_ batch: BodyBatch) {
        switch batch.state {
        case .needMore: self.init(consumed: batch.consumed, next: .whenMore)
        case .outputFull: self.init(consumed: batch.consumed, next: .again)
        case .end: self.init(consumed: batch.consumed, next: .done)
        }
    }
}

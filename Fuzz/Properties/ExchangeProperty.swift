internal import Wire

/// Checks that a response gives the same events or the same error at each level, however it is split,
/// and whether its body is read in ranges or copied.
///
/// If the strict level accepts a response, the lenient level reads it the same way.
///
/// Input: method, size of pieces, then the bytes of the connection.
package func checkExchange(_ input: FuzzInput) {
    var input = input
    let method = input.pick([HTTPMethod.head, .connect, .get, .get])
    let size = input.byte() + 1
    let bytes = input.bytes
    var transcripts: [Transcript] = []
    for level in Strictness.allCases {
        let whole = Transcript(bytes, size: bytes.count, method: method, level)
        for size in [size, 1] {
            let cut = Transcript(bytes, size: size, method: method, level)
            precondition(whole == cut, "the split of the input changes the result")
            let copy = Transcript(bytes, size: size, method: method, level, room: bytes.count % 9)
            precondition(whole == copy, "copying the body matters")
        }
        transcripts.append(whole)
    }
    if transcripts[0].isComplete {
        precondition(
            transcripts[0] == transcripts[1],
            "lenient reads a valid message differently than strict"
        )
    }
}

/// The events of the client's side of an exchange.
private struct Transcript: Equatable {
    private(set) var isComplete = false
    private var lines: [String] = []

    /// Reads a response. With `room`, copies the body, at most about that many bytes in one call.
    init(
        _ bytes: [UInt8],
        size: Int,
        method: HTTPMethod,
        _ strictness: Strictness,
        room: Int? = nil
    ) {
        let request = RequestHead(method: method, target: .origin("/"))
        var exchange = MessageExchange(request: request, strictness: strictness)
        var (body, start, end): ([UInt8], Int, Int) = ([], 0, 0)
        var hasHead = false
        exchange.requestSent()
        do throws(WireError) {
            while true {
                let input = bytes.span.extracting(start..<end)
                let step =
                    if let room, hasHead {
                        try Self.copy(input, room + 1, &exchange, &body)
                    } else {
                        try exchange.receive(input)
                    }
                if case .head = step.event { hasHead = true }
                if case .body(let range) = step.event {
                    body += bytes[(start + range.lowerBound)..<(start + range.upperBound)]
                } else if step.event != .needMore {
                    lines.append("\(step.event)")
                }
                switch step.event {
                case .informational, .head: lines.append("\(exchange.headDiagnostics)")
                default: break
                }
                start += step.consumed
                if case .end = step.event { break }
                guard step.event == .needMore else { continue }
                if end == bytes.count { break }
                end = min(end + size, bytes.count)
            }
            let reason = String(describing: exchange.closeReason)
            lines.append("\(try exchange.receiveEndOfStream()) \(reason)")
            isComplete = true
        } catch {
            lines.append("\(error)")
        }
        let place = exchange.closeReason == .responseIncomplete ? 0 : start
        lines += ["\(body)", "\(exchange.bodyDiagnostics)", "\(place)"]
    }
    /// Copies a part of the body; returns it as a step without a range.
    private static func copy(
        _ input: Span<UInt8>,
        _ room: Int,
        _ exchange: inout MessageExchange,
        _ body: inout [UInt8]
    ) throws(WireError) -> ExchangeStep {
        var batch = BodyBatch(consumed: 0, state: .needMore)
        try body.append(addingCapacity: room) { output throws(WireError) in
            batch = try exchange.receiveBody(input, into: &output)
        }
        switch batch.state {
        case .needMore: return ExchangeStep(consumed: batch.consumed, event: .needMore)
        case .outputFull: return ExchangeStep(consumed: batch.consumed, event: .body(0..<0))
        case .end(let trailers):
            return ExchangeStep(consumed: batch.consumed, event: .end(trailers: trailers))
        }
    }
}

internal import Wire

/// Checks that a response gives the same events or the same error at each level, however it is split.
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

    init(_ bytes: [UInt8], size: Int, method: HTTPMethod, _ strictness: Strictness) {
        let request = RequestHead(method: method, target: .origin("/"))
        var exchange = MessageExchange(request: request, strictness: strictness)
        var (body, start, end): ([UInt8], Int, Int) = ([], 0, 0)
        exchange.requestSent()
        do throws(WireError) {
            while true {
                let step = try exchange.receive(bytes.span.extracting(start..<end))
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
}

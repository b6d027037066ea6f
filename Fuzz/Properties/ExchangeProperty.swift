internal import Wire

/// However a response is cut into pieces, it gives the same events or the same error.
///
/// Input: method, size of pieces, then the octets of the connection.
package func checkExchange(_ input: FuzzInput) {
    var input = input
    let method = input.pick([HTTPMethod.head, .connect, .get, .get])
    let size = input.octet() + 1
    let octets = input.octets
    let whole = clientTranscript(octets, size: octets.count, method: method)
    precondition(whole == clientTranscript(octets, size: size, method: method), "a cut matters")
    precondition(whole == clientTranscript(octets, size: 1, method: method), "a cut matters")
}

/// Tells what the client's side of an exchange makes of the octets of a server.
private func clientTranscript(_ octets: [UInt8], size: Int, method: HTTPMethod) -> [String] {
    var exchange = MessageExchange(request: RequestHead(method: method, target: .origin("/")))
    var (events, body, start, end): ([String], [UInt8], Int, Int) = ([], [], 0, 0)
    exchange.requestSent()
    do throws(WireError) {
        while true {
            let step = try exchange.receive(octets.span.extracting(start..<end))
            if case .body(let range) = step.event {
                body += octets[(start + range.lowerBound)..<(start + range.upperBound)]
            } else if step.event != .needMore {
                events.append("\(step.event)")
            }
            start += step.consumed
            if case .end = step.event { break }
            guard step.event == .needMore else { continue }
            if end == octets.count { break }
            end = min(end + size, octets.count)
        }
        events.append("\(try exchange.receiveEnd()) \(String(describing: exchange.closeReason))")
    } catch {
        events.append("\(error)")
    }
    return events + ["\(body)", "\(exchange.closeReason == .responseIncomplete ? 0 : start)"]
}

// However a response is cut into pieces, it gives the same events or the same error, and content
// decodes alike and within its bounds. Input: method and codings, size of pieces, then the bytes.
internal import Wire

private func transcript(_ bytes: [UInt8], size: Int, method: HTTPMethod) -> [String] {
    var exchange = MessageExchange(request: RequestHead(method: method, target: .origin("/")))
    var (events, body, start, end): ([String], [UInt8], Int, Int) = ([], [], 0, 0)
    exchange.requestSent()
    do throws(WireError) {
        while true {
            let step = try exchange.receive(bytes.span.extracting(start..<end))
            if case .body(let range) = step.event {
                body += bytes[(start + range.lowerBound)..<(start + range.upperBound)]
            } else if step.event != .needMore {
                events.append("\(step.event)")
            }
            start += step.consumed
            if case .end = step.event { break }
            guard step.event == .needMore else { continue }
            if end == bytes.count { break }
            end = min(end + size, bytes.count)
        }
        events.append("\(try exchange.receiveEnd()) \(String(describing: exchange.closeReason))")
    } catch {
        events.append("\(error)")
    }
    return events + ["\(body)", "\(exchange.closeReason == .responseIncomplete ? 0 : start)"]
}

private func decoded(_ bytes: [UInt8], size: Int, _ codings: [ContentCoding]) -> [UInt8]? {
    var limits = WireLimits()
    limits.decodedBytes = 64 * 1024
    guard var decoder = ContentDecoder(undoing: codings, limits: limits) else { return nil }
    var (output, start, before): ([UInt8], Int, Int) = ([], 0, 0)
    repeat {
        before = output.count
        let piece = bytes.span.extracting(start..<min(start + size, bytes.count))
        guard let count = try? decoder.decode(piece, into: &output, outputLimit: 700) else {
            return nil
        }
        precondition(output.count <= 64 * 1024 && output.count - before <= 700)
        start += count
    } while start < bytes.count || output.count - before == 700
    return (try? decoder.finish()) == nil ? nil : output
}

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>,
    _ count: Int
) -> CInt {
    guard count > 2 else { return 0 }
    let bytes = unsafe Array(UnsafeBufferPointer(start: start + 2, count: count - 2))
    let (choice, size) = unsafe (start[0], Int(start[1]) + 1)
    let method: HTTPMethod = [.head, .connect, .get, .get][Int(choice & 3)]
    let whole = transcript(bytes, size: bytes.count, method: method)
    precondition(whole == transcript(bytes, size: size, method: method))
    precondition(whole == transcript(bytes, size: 1, method: method))
    let codings: [ContentCoding] = [[.gzip], [.deflate], [.deflate, .gzip]][Int(choice >> 2) % 3]
    precondition(decoded(bytes, size: bytes.count, codings) == decoded(bytes, size: size, codings))
    return 0
}

internal import Wire

/// Checks that an encoded message decodes as the same message, and that a decoded one can be encoded.
///
/// Input: choices for a head, then lines separated by LF: method or reason, target, and fields. A
/// field's name ends at the first "=". The same bytes are also decoded as heads.
package func checkRoundTrip(_ input: FuzzInput) {
    checkWhatIsRead(input.bytes)
    var input = input
    let version = input.pick([HTTPVersion.http11, .http10])
    let status = HTTPStatus(input.byte() * 4 + input.byte() % 4)
    let form = input.byte()
    let lines = input.rest.split(separator: 0x0a, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    var headers = HTTPHeaders()
    for line in lines.dropFirst(2) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        headers.append(FieldName(String(parts[0])), parts.count > 1 ? String(parts[1]) : "")
    }
    let target = target(lines.count > 1 ? lines[1] : "/", form: form)
    let request = RequestHead(
        method: HTTPMethod(lines[0]),
        target: target,
        version: version,
        headers: headers
    )
    checkWritten(request)
    checkWritten(
        ResponseHead(version: version, status: status, reason: lines[0], headers: headers)
    )
    checkChunks(input.bytes, size: form + 1, trailers: headers)
}

/// Limits that allow everything the encoders can write for one input; the default is 64 trailer fields.
private let limits = {
    var limits = WireLimits()
    (limits.fieldCount, limits.trailerCount, limits.trailerBytes) = (65_536, 65_536, 65_536)
    return limits
}()

private func target(_ text: String, form: Int) -> RequestTarget {
    switch form % 4 {
    case 0: .absolute(text)
    case 1: .authority(text)
    case 2: .asterisk
    default: .origin(text)
    }
}

/// Checks that the encoders write every message that the decoders accept, with the same content.
private func checkWhatIsRead(_ bytes: [UInt8]) {
    if let head = request(bytes)?.head {
        precondition(isSame(head), "a decoded request is encoded differently")
    }
    if let head = response(bytes)?.head {
        precondition(isSame(head), "a decoded response is encoded differently")
    }
}

private func checkWritten(_ head: RequestHead) {
    var output: [UInt8] = [0x2e]
    guard (try? RequestHeadEncoder.encode(head, into: &output)) != nil else {
        precondition(output == [0x2e], "a rejected head left bytes in the output")
        return
    }
    precondition(isSame(head), "an encoded request is decoded differently")
}

private func checkWritten(_ head: ResponseHead) {
    var output: [UInt8] = [0x2e]
    guard (try? ResponseHeadEncoder.encode(head, into: &output)) != nil else {
        precondition(output == [0x2e], "a rejected head left bytes in the output")
        return
    }
    precondition(isSame(head), "an encoded response is decoded differently")
}

private func isSame(_ head: RequestHead) -> Bool {
    var output: [UInt8] = []
    guard (try? RequestHeadEncoder.encode(head, into: &output)) != nil else { return false }
    let again = request(output)
    return again?.head == head && again?.consumed == output.count
}

private func isSame(_ head: ResponseHead) -> Bool {
    var output: [UInt8] = []
    guard (try? ResponseHeadEncoder.encode(head, into: &output)) != nil else { return false }
    let again = response(output)
    return again?.head == head && again?.consumed == output.count
}

private func request(_ bytes: [UInt8]) -> RequestHeadDecoder.Step? {
    var decoder = RequestHeadDecoder(limits: limits)
    return try? decoder.decode(bytes.span)
}

private func response(_ bytes: [UInt8]) -> ResponseHeadDecoder.Step? {
    var decoder = ResponseHeadDecoder(limits: limits)
    return try? decoder.decode(bytes.span)
}

/// Checks that content in chunks is decoded again, with its trailers if they may be sent.
private func checkChunks(_ content: [UInt8], size: Int, trailers: HTTPHeaders) {
    var output: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: size) {
        let end = min(start + size, content.count)
        ChunkedEncoder.encode(content.span.extracting(start..<end), into: &output)
    }
    let sent = (try? ChunkedEncoder.encodeEnd(trailers: trailers, into: &output)) != nil
    if !sent { try! ChunkedEncoder.encodeEnd(into: &output) }
    var decoder = ChunkedDecoder(limits: limits)
    var (read, start): ([UInt8], Int) = ([], 0)
    while true {
        guard let step = try? decoder.decode(output.span.extracting(start..<output.count)) else {
            preconditionFailure("our own chunks are refused")
        }
        if case .body(let range) = step.event {
            read += output[(start + range.lowerBound)..<(start + range.upperBound)]
        }
        start += step.consumed
        precondition(step.event != .needMore, "the encoded chunks have no end")
        guard case .end(let received) = step.event else { continue }
        precondition(read == content && start == output.count)
        precondition(received == (sent ? trailers : [:]), "the trailers differ")
        return
    }
}

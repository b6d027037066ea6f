internal import Wire

/// Checks that a response head gives the same head or the same error, however it is split.
///
/// The head has exactly the parts that were in the input. Input: size of pieces, then the head and
/// the bytes after it.
package func checkResponseHead(_ input: FuzzInput) {
    let reading = checkHead(input) { bytes, size in
        var decoder = ResponseHeadDecoder()
        return DecodeResult(bytes, size: size) { (input) throws(WireError) in
            let step = try decoder.decode(input)
            return (step.consumed, step.head)
        }
    }
    guard let head = reading.head else { return }
    let bytes = reading.bytes
    precondition(head.rawBytes == bytes, "the raw bytes differ from the input")
    precondition(100...999 ~= head.status.code)
    precondition(bytes[9..<12].elementsEqual("\(head.status.code)".utf8))
    checkFields(head.headers, in: bytes)
    let framing = try? BodyFraming.ofResponse(
        to: .get,
        status: head.status,
        version: head.version,
        headers: head.headers
    )
    if framing == .chunked { precondition(head.headers.contains(.transferEncoding)) }
    if case .length(let length) = framing { precondition(length >= 0) }
}

/// Checks that a request head gives the same head or the same error, however it is split.
///
/// The head has exactly the parts that were in the input. Input: size of pieces, then the head and
/// the bytes after it.
package func checkRequestHead(_ input: FuzzInput) {
    let reading = checkHead(input) { bytes, size in
        var decoder = RequestHeadDecoder()
        return DecodeResult(bytes, size: size) { (input) throws(WireError) in
            let step = try decoder.decode(input)
            return (step.consumed, step.head)
        }
    }
    guard let head = reading.head else { return }
    let emptyLine: [UInt8] = reading.bytes.starts(with: [0x0d, 0x0a]) ? [0x0d, 0x0a] : []
    let minor =
        reading.bytes.dropFirst(
            emptyLine.count + head.method.rawValue.utf8.count + head.target.text.utf8.count + 9
        ).first.map { [$0] } ?? []
    let line = Array("\(head.method.rawValue) \(head.target.text) HTTP/1.".utf8) + minor + [0x0d]
    precondition(
        reading.bytes.starts(with: emptyLine + line),
        "the request line differs from the input"
    )
    checkFields(head.headers, in: reading.bytes)
    let framing = try? BodyFraming.ofRequest(version: head.version, headers: head.headers)
    precondition(framing != .untilClose, "a request is delimited by close")
    if head.headers.contains(.transferEncoding) {
        precondition(framing == nil || framing == .chunked, "Transfer-Encoding was ignored")
        precondition(
            framing == nil || !head.headers.contains(.contentLength),
            "a request with both framing fields was accepted"
        )
    }
}

/// The result of decoding.
private struct DecodeResult<Head: Equatable>: Equatable {
    var head: Head?
    var error: WireError?
    /// The bytes of the head.
    var bytes: [UInt8] = []

    init(
        _ bytes: [UInt8],
        size: Int,
        _ decode: (Span<UInt8>) throws(WireError) -> (consumed: Int, head: Head?)
    ) {
        var head: Head?
        do throws(WireError) {
            let consumed = try feed(bytes, size: size) { (input) throws(WireError) in
                let step = try decode(input)
                precondition(
                    (step.head == nil) == (step.consumed == 0),
                    "bytes were consumed without a head"
                )
                head = step.head
                return (step.consumed, step.head != nil)
            }
            self.bytes = Array(bytes.prefix(consumed))
        } catch {
            self.error = error
        }
        self.head = head
    }
}

private func checkHead<Head: Equatable>(
    _ input: FuzzInput,
    _ read: ([UInt8], Int) -> DecodeResult<Head>
) -> DecodeResult<Head> {
    var input = input
    let size = input.byte() + 1
    let bytes = input.bytes
    let whole = read(bytes, bytes.count)
    precondition(whole == read(bytes, size), "the split of the input changes the result")
    precondition(whole == read(bytes, 1), "the split of the input changes the result")
    guard whole.head != nil else { return whole }
    precondition(
        whole == read(whole.bytes, bytes.count),
        "the bytes after the head change the result"
    )
    precondition(whole.bytes.suffix(4) == [0x0d, 0x0a, 0x0d, 0x0a])
    let truncated = read(Array(whole.bytes.dropLast()), bytes.count)
    precondition(
        truncated.head == nil && truncated.error == nil,
        "a head without its last byte was decoded"
    )
    return whole
}

/// Checks that every field is a line of the head, has no control byte, and is found by its name.
private func checkFields(_ headers: HTTPHeaders, in bytes: [UInt8]) {
    var count = 0
    for field in headers {
        count += 1
        let name = FieldName(field.name)
        precondition(name.isToken && headers.contains(name))
        precondition(headers.values(name).contains(field.value), "a field is not found by its name")
        precondition(headers[name] == headers.values(name).first)
        let value = field.valueBytes
        precondition(
            value.allSatisfy { $0 == 9 || $0 >= 32 && $0 != 127 },
            "a field value contains a control byte"
        )
        precondition(value.first != 9 && value.first != 32 && value.last != 9 && value.last != 32)
    }
    // Every LF ends a line. All lines except the start line and the empty line are fields.
    let lines = bytes.count { $0 == 0x0a } - (bytes.first == 0x0d ? 3 : 2)
    precondition(count == lines, "the number of fields differs from that of the lines")
}

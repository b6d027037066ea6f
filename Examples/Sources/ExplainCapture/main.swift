// Explains what one side of an HTTP/1.1 connection sent: ExplainCapture [FILE].
// Without FILE the octets come from standard input. Every offset counts from the first of them.
import Wire

let capture = octets(in: CommandLine.arguments.dropFirst().first ?? "/dev/stdin")
var position = 0
do {
    while let head = try CapturedHead(capture, from: position) {
        explain(head, at: position)
        position += head.raw.octets.count
        guard case .framing(let framing) = head.framing.demanded else { break }
        try explainBody(framing, of: capture, from: &position)
    }
    if position < capture.count { print("\(position): nothing behind this can be told apart") }
} catch {
    print("\(position): what follows cannot be read: \(error)")
}

func explain(_ head: CapturedHead, at start: Int) {
    for line in head.raw.lines where line.kind != .empty {
        let text = head.raw.text(in: line.content).debugDescription
        print("\(start + line.range.lowerBound): \(line.kind) \(text)")
    }
    explain(head.diagnostics + head.framing.diagnostics, at: start)
    print("  rule \(head.framing.rule) of RFC 9112 §6.3 demands \(head.framing.demanded)")
    for reading in head.framing.readings where head.framing.isAmbiguous {
        print("  a recipient that reads \(reading.reader) finds \(reading.framing)")
    }
}

func explainBody(
    _ framing: BodyFraming,
    of capture: [UInt8],
    from position: inout Int
) throws(WireError) {
    let start = position
    var decoder = BodyDecoder(framing, strictness: .forensic)
    defer { explain(decoder.diagnostics, at: start) }
    while true {
        let step = try decoder.decode(capture.span.extracting(position...))
        if case .body(let range) = step.event {
            print("\(position + range.lowerBound): \(range.count) octets of body")
        }
        position += step.consumed
        if step.event == .needMore { return try decoder.finish() }
        guard case .end(let trailers) = step.event else { continue }
        return print("\(position): end of the message, \(trailers.count) trailers")
    }
}

func explain(_ diagnostics: [Diagnostic], at start: Int) {
    for note in diagnostics {
        print("  ! \(start + Int(note.offset)): \(note.code.text) (\(note.code.rule))")
    }
}

// Explains the bytes that one side of an HTTP/1.1 connection sent: ExplainCapture [FILE]. Without
// FILE the bytes are read from standard input. Every offset counts from the first byte.
import Wire
import WireForensics

var rest = readFile(CommandLine.arguments.dropFirst().first ?? "/dev/stdin")[...]
do {
    while let head = try CapturedHead(readingFrom: &rest) {
        explain(head)
        guard case .framing(let framing) = head.framing.expected else { break }
        try explainBody(framing, in: &rest)
    }
    if !rest.isEmpty { print("\(rest.startIndex): the rest cannot be split into messages") }
} catch {
    print("\(rest.startIndex): what follows cannot be read: \(error)")
}

func explain(_ head: CapturedHead) {
    for line in head.raw.lines where line.kind != .empty {
        print("\(head.start + line.range.lowerBound): \(line.kind) \(head.text(of: line))")
    }
    explain(head.diagnostics, from: head.start)
    print("  rule \(head.framing.rule) of RFC 9112 §6.3 demands \(head.framing.expected)")
    for interpretation in head.framing.interpretations where head.framing.isAmbiguous {
        print("  a recipient that reads \(interpretation.parser) finds \(interpretation.framing)")
    }
}

func explainBody(_ framing: BodyFraming, in rest: inout ArraySlice<UInt8>) throws {
    var body = CapturedBody(framing, from: rest.startIndex)
    defer { explain(body.diagnostics, from: body.start) }
    while true {
        switch try body.readNext(from: &rest) {
        case .body(let range): print("\(range.lowerBound): \(range.count) bytes of body")
        case .end(let trailers):
            return print("\(rest.startIndex): end of the message, \(trailers.count) trailers")
        case .needMore: return try body.finish()
        }
    }
}

func explain(_ diagnostics: [Diagnostic], from start: Int) {
    for diagnostic in diagnostics {
        print(
            "  ! \(start + Int(diagnostic.offset)): \(diagnostic.code.text) (\(diagnostic.code.rule))"
        )
    }
}

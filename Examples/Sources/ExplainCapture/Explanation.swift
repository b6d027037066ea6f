import Wire

/// Goes through a capture and prints what it finds.
struct Explanation {
    private let capture: [UInt8]
    private var position = 0

    init(of capture: [UInt8]) {
        self.capture = capture
    }

    mutating func printMessages() {
        do {
            while let head = try CapturedHead(capture, from: position) {
                printHead(head)
                position += head.raw.octets.count
                guard case .framing(let framing) = head.framing.demanded else { break }
                try printBody(framing)
            }
            guard position < capture.count else { return }
            print("\(position): nothing behind this can be told apart")
        } catch {
            print("\(position): what follows cannot be read: \(error)")
        }
    }

    private func printHead(_ head: CapturedHead) {
        for line in head.raw.lines where line.kind != .empty {
            let text = head.raw.text(in: line.content).debugDescription
            print("\(position + line.range.lowerBound): \(line.kind) \(text)")
        }
        printDiagnostics(head.diagnostics + head.framing.diagnostics, from: position)
        print("  rule \(head.framing.rule) of RFC 9112 §6.3 demands \(head.framing.demanded)")
        for reading in head.framing.readings where head.framing.isAmbiguous {
            print("  a recipient that reads \(reading.reader) finds \(reading.framing)")
        }
    }

    private mutating func printBody(_ framing: BodyFraming) throws(WireError) {
        let start = position
        var decoder = BodyDecoder(framing, strictness: .forensic)
        defer { printDiagnostics(decoder.diagnostics, from: start) }
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

    private func printDiagnostics(_ diagnostics: [Diagnostic], from start: Int) {
        for note in diagnostics {
            print("  ! \(start + Int(note.offset)): \(note.code.text) (\(note.code.rule))")
        }
    }
}

import Wire

/// Reads a body without refusing anything that can be read.
struct CapturedBody {
    /// Where it begins in the capture.
    let start: Int
    private var decoder: BodyDecoder

    init(_ framing: BodyFraming, from start: Int) {
        self.start = start
        decoder = BodyDecoder(framing, strictness: .forensic)
    }

    /// What was tolerated so far, by offset in the body.
    var diagnostics: [Diagnostic] { decoder.diagnostics }

    /// Takes the next event off the capture; its range is one of the capture.
    mutating func readNext(from rest: inout ArraySlice<UInt8>) throws(WireError) -> BodyEvent {
        let step = try decoder.decode(rest.span)
        let start = rest.startIndex
        rest.removeFirst(step.consumed)
        guard case .body(let range) = step.event else { return step.event }
        return .body(start + range.lowerBound..<start + range.upperBound)
    }

    /// Takes the end of the capture for that of the body; throws when that cannot be.
    mutating func finish() throws(WireError) { try decoder.finish() }
}

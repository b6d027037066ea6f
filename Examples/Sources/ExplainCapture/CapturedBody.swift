import Wire

/// The body of a captured message, decoded in the forensic level.
struct CapturedBody {
    /// The offset of the body in the capture.
    let start: Int
    private var decoder: BodyDecoder

    init(_ framing: BodyFraming, from start: Int) {
        self.start = start
        decoder = BodyDecoder(framing, strictness: .forensic)
    }

    /// The tolerated deviations so far, by offset in the body.
    var diagnostics: [Diagnostic] { decoder.diagnostics }

    /// Returns the next event of the capture, with its range in the capture.
    mutating func readNext(from rest: inout ArraySlice<UInt8>) throws(WireError) -> BodyEvent {
        let step = try decoder.decode(rest.span)
        let start = rest.startIndex
        rest.removeFirst(step.consumed)
        guard case .body(let range) = step.event else { return step.event }
        return .body(start + range.lowerBound..<start + range.upperBound)
    }

    /// Treats the end of the capture as end of stream; throws when the body cannot end there.
    mutating func finish() throws(WireError) { try decoder.finish() }
}

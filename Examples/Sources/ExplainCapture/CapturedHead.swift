import Wire

/// Holds a head of either kind, read without refusing anything that can be read.
///
/// Wire has a decoder and rules of framing for requests, and others for responses, as nobody but a
/// tool like this one is in doubt of which it reads.
struct CapturedHead {
    /// Where it begins in the capture.
    let start: Int
    let raw: RawHead
    let framing: FramingAnalysis
    /// What was tolerated, by offset in the head.
    let diagnostics: [Diagnostic]

    /// Takes a head off the capture; nil when that ends before the head does.
    ///
    /// What begins with `HTTP/` is taken for a response to GET, all else for a request.
    init?(readingFrom rest: inout ArraySlice<UInt8>) throws(WireError) {
        let tolerated: [Diagnostic]
        if rest.starts(with: "HTTP/".utf8) {
            var decoder = ResponseHeadDecoder(strictness: .forensic)
            guard let head = try decoder.decode(rest.span).head, let raw = decoder.rawHead else {
                return nil
            }
            self.raw = raw
            tolerated = decoder.diagnostics
            framing = .ofResponse(
                to: .get,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        } else {
            var decoder = RequestHeadDecoder(strictness: .forensic)
            guard let head = try decoder.decode(rest.span).head, let raw = decoder.rawHead else {
                return nil
            }
            self.raw = raw
            tolerated = decoder.diagnostics
            framing = .ofRequest(version: head.version, headers: head.headers)
        }
        start = rest.startIndex
        diagnostics = tolerated + framing.diagnostics
        rest.removeFirst(raw.bytes.count)
    }

    /// The bytes of a line, in quotation marks.
    func text(of line: RawLine) -> String { raw.text(in: line.content).debugDescription }
}

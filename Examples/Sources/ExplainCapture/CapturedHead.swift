import Wire
import WireForensics

/// The head of a request or response, decoded in the forensic level.
///
/// Wire has separate decoders and framing rules for requests and responses. Only a tool like this
/// one has to detect which of them it reads.
struct CapturedHead {
    /// The offset of the head in the capture.
    let start: Int
    let raw: RawHead
    let framing: FramingAnalysis
    /// The tolerated deviations, by offset in the head.
    let diagnostics: [Diagnostic]

    /// Decodes a head from the capture; nil when the capture ends before the head does.
    ///
    /// A head that begins with `HTTP/` is decoded as a response to GET, any other as a request.
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

    /// Returns the bytes of a line, in quotation marks.
    func text(of line: RawLine) -> String { raw.text(in: line.content).debugDescription }
}

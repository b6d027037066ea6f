import Wire

/// Holds a head of either kind, read without refusing anything that can be read.
struct CapturedHead {
    let raw: RawHead
    let diagnostics: [Diagnostic]
    let framing: FramingAnalysis

    /// Reads the head that begins at `start`; nil when the capture ends before it does.
    ///
    /// What begins with `HTTP/` is taken for a response to GET, all else for a request.
    init?(_ capture: [UInt8], from start: Int) throws(WireError) {
        let rest = capture.span.extracting(start...)
        let isResponse = capture[start...].starts(with: "HTTP/".utf8)
        var responses = ResponseHeadDecoder(strictness: .forensic)
        var requests = RequestHeadDecoder(strictness: .forensic)
        if isResponse, let head = try responses.decode(rest).head, let raw = responses.rawHead {
            self.raw = raw
            diagnostics = responses.diagnostics
            framing = .ofResponse(
                to: .get,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        } else if !isResponse, let head = try requests.decode(rest).head,
            let raw = requests.rawHead
        {
            self.raw = raw
            diagnostics = requests.diagnostics
            framing = .ofRequest(version: head.version, headers: head.headers)
        } else {
            return nil
        }
    }
}

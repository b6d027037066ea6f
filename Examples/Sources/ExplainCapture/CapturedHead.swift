import Glibc
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
        if capture[start...].starts(with: "HTTP/".utf8) {
            var decoder = ResponseHeadDecoder(strictness: .forensic)
            guard let head = try decoder.decode(rest).head, let raw = decoder.rawHead else {
                return nil
            }
            self.raw = raw
            diagnostics = decoder.diagnostics
            framing = .ofResponse(
                to: .get,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        } else {
            var decoder = RequestHeadDecoder(strictness: .forensic)
            guard let head = try decoder.decode(rest).head, let raw = decoder.rawHead else {
                return nil
            }
            self.raw = raw
            diagnostics = decoder.diagnostics
            framing = .ofRequest(version: head.version, headers: head.headers)
        }
    }
}

/// Reads a whole file, or what comes through a pipe; says why it cannot, and ends the program.
func octets(in path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else {
        perror(path)
        exit(1)
    }
    defer { fclose(file) }
    var octets: [UInt8] = []
    while case let octet = getc(file), octet != EOF {
        octets.append(UInt8(truncatingIfNeeded: octet))
    }
    return octets
}

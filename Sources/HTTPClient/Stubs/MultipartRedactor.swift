internal import Wire

/// Rewrites multipart content the way a cassette holds it (RFC 2046 §5.1, RFC 7578).
///
/// The boundary of a form is drawn anew for each request, so that another one stands in its place, by
/// which the content is found again.
struct MultipartRedactor {
    /// In the place of each boundary of a request.
    static let boundary = "boundary"

    /// What the head of a part says.
    struct Part {
        /// Of the form's field.
        var name: String?
        var type: MediaType?
        /// Whether it has a name that is not spelled as it should be.
        var isAmbiguous = false

        /// Whether its content is to be left out; it is, too, when nobody can tell.
        func isSecret(by names: SecretNames) -> Bool {
            isAmbiguous || name.map { names.isSecret($0, in: .parameter) } == true
        }
    }

    private let originalBoundary: String
    private let delimiter: [UInt8]

    /// - Parameter type: of the content; nil unless it is a multipart with a boundary.
    init?(_ type: MediaType?) {
        guard let type, type.type == "multipart", let originalBoundary = type.boundary,
            !originalBoundary.isEmpty
        else {
            return nil
        }
        self.originalBoundary = originalBoundary
        delimiter = Array("--\(originalBoundary)".utf8)
    }

    /// Returns the value of Content-Type.
    func rewritten(_ value: String) -> String {
        // `ranges(of:)` would link the regular expression engine into every program.
        let bytes = Array(value.utf8)
        let last = bytes.indices.last { bytes[$0...].starts(with: originalBoundary.utf8) }
        guard let start = last else { return value }
        let end = start + originalBoundary.utf8.count
        return String(decoding: bytes[..<start] + Self.boundary.utf8 + bytes[end...], as: UTF8.self)
    }

    /// Whether content has any part.
    func delimits(_ body: [UInt8]) -> Bool { !delimiters(in: body).isEmpty }

    /// Returns the content.
    ///
    /// - Parameters:
    ///   - body: what comes before its first delimiter is shown as a part without a head.
    ///   - boundary: in the place of its own; nil keeps that.
    ///   - shown: makes of the content of a part what may be shown.
    /// - Returns: the same with other parts.
    func rewritten(
        _ body: [UInt8],
        boundary: String?,
        _ shown: (Part, [UInt8]) -> [UInt8]
    ) -> [UInt8] {
        let mark = boundary.map { Array("--\($0)".utf8) } ?? delimiter
        var written: [UInt8] = []
        var start = 0
        for (index, end) in (delimiters(in: body) + [body.count]).enumerated() {
            let piece = body[start..<end]
            if index == 0 || piece.starts(with: "--".utf8) {
                // What stands around the parts.
                if index > 0 { written += mark }
                written += shown(Part(), Array(piece))
            } else {
                written += mark + rewritten(part: piece, shown)
            }
            start = end + delimiter.count
        }
        return written
    }

    private func rewritten(
        part: ArraySlice<UInt8>,
        _ shown: (Part, [UInt8]) -> [UInt8]
    ) -> [UInt8] {
        guard let blank = blankLine(in: part) else { return shown(Part(), Array(part)) }
        var content = part[blank.upperBound...]
        var ending: [UInt8] = []
        for byte in "\n\r".utf8 where content.last == byte {
            content.removeLast()
            ending.insert(byte, at: 0)
        }
        let head = Part(head: part[..<blank.lowerBound])
        return part[..<blank.upperBound] + shown(head, Array(content)) + ending
    }

    /// Finds the first end of line that is followed by an empty line; the range holds both ends of line.
    private func blankLine(in part: ArraySlice<UInt8>) -> Range<Int>? {
        for index in part.indices where part[index] == UInt8(ascii: "\n") {
            for next in ["\n", "\r\n"] where part[(index + 1)...].starts(with: next.utf8) {
                return index..<index + 1 + next.utf8.count
            }
        }
        return nil
    }

    /// Finds where delimiters begin: at the start of a line.
    private func delimiters(in body: [UInt8]) -> [Int] {
        var found: [Int] = []
        var index = 0
        while index + delimiter.count <= body.count {
            if index == 0 || body[index - 1] == UInt8(ascii: "\n"),
                body[index...].starts(with: delimiter)
            {
                found.append(index)
                index += delimiter.count
            } else {
                index += 1
            }
        }
        return found
    }
}

extension MultipartRedactor.Part {
    fileprivate init(head: ArraySlice<UInt8>) {
        for line in Self.lines(of: head) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = FieldName(String(line[..<colon].prefix { $0 != " " && $0 != "\t" }))
            let value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
            if name == .contentType { type = MediaType(value) }
            guard name == .contentDisposition else { continue }
            let disposition = ContentDisposition(value)
            if disposition == nil || self.name != nil || disposition?["name*"] != nil {
                isAmbiguous = true
            }
            self.name = disposition?["name"]
        }
    }

    /// The lines of a head, those that are folded as one.
    private static func lines(of head: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        for bytes in head.split(separator: UInt8(ascii: "\n")) {
            let line = String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            if line.hasPrefix(" ") || line.hasPrefix("\t"), !lines.isEmpty {
                lines[lines.count - 1] += line
            } else {
                lines.append(line)
            }
        }
        return lines
    }
}

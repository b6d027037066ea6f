internal import HTTPClient
internal import Wire

/// A rewriter that converts multipart content to its form in a cassette (RFC 2046 §5.1, RFC 7578).
///
/// The boundary of a form is random for each request. The cassette stores a fixed boundary instead,
/// so that the content can be matched again.
struct MultipartRedactor {
    /// The replacement for each boundary of a request.
    static let boundary = "boundary"

    /// The information in the head of a part.
    struct Part {
        /// The name of the form field.
        var name: String?
        var type: MediaType?
        /// Whether the part has a malformed or ambiguous name.
        var isAmbiguous = false

        /// Returns whether the content must be hidden, which is also the case for an ambiguous
        /// name.
        func isSecret(by names: SecretNames) -> Bool {
            isAmbiguous || name.map { names.isSecret($0, in: .parameter) } == true
        }
    }

    private let originalBoundary: String
    private let delimiter: [UInt8]

    /// Creates a redactor; nil unless the type is multipart with a boundary.
    ///
    /// - Parameter type: the type of the content.
    init?(_ type: MediaType?) {
        guard let type, type.type == "multipart", let originalBoundary = type.boundary,
            !originalBoundary.isEmpty
        else {
            return nil
        }
        self.originalBoundary = originalBoundary
        delimiter = Array("--\(originalBoundary)".utf8)
    }

    /// Returns the value of Content-Type with the replacement boundary.
    func rewritten(_ value: String) -> String {
        // Compare bytes, because a combining mark after the boundary would change its last character.
        let bytes = Array(value.utf8)
        let last = bytes.indices.last { bytes[$0...].starts(with: originalBoundary.utf8) }
        guard let start = last else { return value }
        let end = start + originalBoundary.utf8.count
        return String(decoding: bytes[..<start] + Self.boundary.utf8 + bytes[end...], as: UTF8.self)
    }

    /// Returns whether the content has any delimiter.
    func delimits(_ body: [UInt8]) -> Bool { !delimiters(in: body).isEmpty }

    /// Returns the content with each part redacted.
    ///
    /// - Parameters:
    ///   - body: the content; bytes before its first delimiter are passed as a part without a head.
    ///   - boundary: the replacement for the boundary; nil keeps it.
    ///   - shown: a closure that returns the redacted content of a part.
    /// - Returns: the rewritten content.
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
                // The preamble and the epilogue.
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

    /// Finds the first line end followed by an empty line; the range contains both line ends.
    private func blankLine(in part: ArraySlice<UInt8>) -> Range<Int>? {
        for index in part.indices where part[index] == UInt8(ascii: "\n") {
            for next in ["\n", "\r\n"] where part[(index + 1)...].starts(with: next.utf8) {
                return index..<index + 1 + next.utf8.count
            }
        }
        return nil
    }

    /// Returns the start of each delimiter, which must be at the start of a line.
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

    /// Returns the lines of a head, with folded lines joined.
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

internal import Wire

/// Rewrites multipart content the way a cassette holds it (RFC 2046 §5.1, RFC 7578).
///
/// Its boundary is drawn anew for each request, so that another one stands in its place, by which the
/// content is found again. The content of parts that are named as secrets are is left out.
struct CassetteForm {
    /// In the place of each boundary.
    static let boundary = "boundary"

    private let drawn: String
    private let delimiter: [UInt8]

    /// - Parameter type: of the content; nil unless it is a multipart with a boundary.
    init?(_ type: MediaType?) {
        guard let type, type.type == "multipart", let drawn = type.boundary, !drawn.isEmpty else {
            return nil
        }
        self.drawn = drawn
        delimiter = Array("--\(drawn)".utf8)
    }

    /// Returns the value of Content-Type.
    func rewritten(_ value: String) -> String {
        guard let found = value.firstRange(of: drawn) else { return value }
        return "\(value[..<found.lowerBound])\(Self.boundary)\(value[found.upperBound...])"
    }

    /// Returns the content; what comes before its first delimiter is kept.
    func rewritten(_ body: [UInt8], hidingParts isSecret: (String) -> Bool) -> [UInt8] {
        var written: [UInt8] = []
        var start = 0
        var isFirst = true
        for end in delimiters(in: body) + [body.count] {
            let piece = body[start..<end]
            if isFirst {
                written += piece
            } else {
                written += Array("--\(Self.boundary)".utf8) + shown(piece, isSecret)
            }
            isFirst = false
            start = end + delimiter.count
        }
        return written
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

    /// Returns what stands behind a delimiter, without its content when that is a secret.
    private func shown(_ part: ArraySlice<UInt8>, _ isSecret: (String) -> Bool) -> [UInt8] {
        guard let blank = part.firstRange(of: Array("\r\n\r\n".utf8)),
            let name = name(inHead: part[..<blank.lowerBound]), isSecret(name)
        else { return Array(part) }
        return part[..<blank.upperBound] + Array("\(SecretNames.mask)\r\n".utf8)
    }

    private func name(inHead head: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: head, as: UTF8.self)
        guard let start = text.firstRange(of: "; name=\"")?.upperBound,
            let end = text[start...].firstIndex(of: "\"")
        else { return nil }
        return String(text[start..<end])
    }
}

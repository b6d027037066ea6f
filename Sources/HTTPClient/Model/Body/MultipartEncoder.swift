internal import Wire

/// An encoder for forms as `multipart/form-data` (RFC 7578, RFC 2046 §5.1.1).
///
/// It has no side effects: it writes the bytes between the contents of the parts. Other code reads the
/// files and streams.
package struct MultipartEncoder: Sendable {
    /// The body in order, with small segments of bytes joined.
    package private(set) var segments: [BodySegment] = []
    /// The content type, including the boundary.
    package let contentType: HTTPContentType
    private let delimiter: [UInt8]
    private var pending: [UInt8] = []

    /// The size up to which contents are copied into a joined segment.
    private static let copiedSize = 4 << 10

    /// Encodes a form.
    ///
    /// - Parameters:
    ///   - form: the form; its own boundary takes precedence.
    ///   - boundary: unpredictable text.
    /// - Throws: the error in the form.
    package init(
        _ form: MultipartForm,
        boundary: @autoclosure () -> String
    ) throws(MultipartFormError) {
        let chosen: String
        if let own = form.boundary {
            guard Self.isBoundary(own) else { throw .invalidBoundary(own) }
            chosen = own
        } else {
            chosen = boundary()
        }
        let isToken = HeadScanner.Classes.isToken(chosen.utf8.span)
        contentType = HTTPContentType(
            "multipart/form-data; boundary=" + (isToken ? chosen : "\"\(chosen)\"")
        )
        delimiter = Array("--\(chosen)".utf8)
        if let preamble = form.preamble {
            let bytes = Array(preamble.utf8)
            guard !hasDelimiter(bytes) else { throw .boundaryInContent(part: nil) }
            pending += bytes
            appendLineEnd()
        }
        for (index, part) in form.parts.enumerated() {
            if form.boundary != nil, case .bytes(let bytes) = part.content, hasDelimiter(bytes) {
                throw .boundaryInContent(part: index)
            }
            pending += delimiter
            appendLineEnd()
            try appendFields(of: part, index)
            appendLineEnd()
            append(part.content)
            appendLineEnd()
        }
        pending += delimiter
        pending += Array("--".utf8)
        appendLineEnd()
        flush()
    }

    /// Whether the text is a valid boundary: bchars, without a space at the end.
    private static func isBoundary(_ text: String) -> Bool {
        let bytes = text.utf8
        guard 1...70 ~= bytes.count, bytes.last != UInt8(ascii: " ") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "'()+_,-./:=? ".utf8.contains(byte)
            }
        }
    }

    /// Whether any line begins with the delimiter.
    private func hasDelimiter(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start + delimiter.count <= bytes.count {
            if bytes[start...].starts(with: delimiter) { return true }
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            start = (end ?? bytes.count) + 1
        }
        return false
    }

    private mutating func append(_ content: BodySegment) {
        if case .bytes(let bytes) = content, bytes.count <= Self.copiedSize {
            pending += bytes
            return
        }
        flush()
        segments.append(content)
    }

    private mutating func flush() {
        guard !pending.isEmpty else { return }
        segments.append(.bytes(pending))
        pending = []
    }

    private mutating func appendLineEnd() {
        pending += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    // MARK: - Fields

    private mutating func appendFields(
        of part: MultipartForm.Part,
        _ index: Int
    ) throws(MultipartFormError) {
        if !part.headers.contains("content-disposition") {
            guard let name = part.name else { throw .missingName(part: index) }
            pending += Array("Content-Disposition: form-data; name=\"".utf8)
            appendQuoted(Self.withCRLFLineEnds(name))
            if let fileName = part.fileName {
                pending += Array("\"; filename=\"".utf8)
                appendQuoted(fileName)
            }
            pending.append(UInt8(ascii: "\""))
            appendLineEnd()
        }
        if let type = part.contentType, !part.headers.contains(.contentType) {
            try appendField("Content-Type", Array(type.rawValue.utf8), of: index)
        }
        for field in part.headers { try appendField(field.name, field.valueBytes, of: index) }
    }

    private mutating func appendField(
        _ name: String,
        _ value: [UInt8],
        of part: Int
    ) throws(MultipartFormError) {
        guard HeadScanner.Classes.isToken(name.utf8.span), HeadScanner.Classes.isValue(value.span)
        else { throw .invalidHeader(part: part, name: name) }
        pending += Array(name.utf8)
        pending += Array(": ".utf8)
        pending += value
        appendLineEnd()
    }

    /// Escapes bytes that would end the quoted string or the line, as the HTML Standard specifies.
    private mutating func appendQuoted(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): pending += Array("%22".utf8)
            case UInt8(ascii: "\r"): pending += Array("%0D".utf8)
            case UInt8(ascii: "\n"): pending += Array("%0A".utf8)
            // Browsers send NUL unchanged, but receivers written in C would end the string there.
            case 0: pending += Array("%00".utf8)
            default: pending.append(byte)
            }
        }
    }

    /// Converts each lone CR or LF to CRLF, as the HTML Standard specifies for names.
    private static func withCRLFLineEnds(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if before == "\r", scalar != "\n" { scalars.append("\n") }
            if scalar == "\n", before != "\r" { scalars.append("\r") }
            scalars.append(scalar)
            before = scalar
        }
        if before == "\r" { scalars.append("\n") }
        return String(scalars)
    }
}

extension HTTPBody {
    /// Returns a form as `multipart/form-data` (RFC 7578).
    ///
    /// If the form is invalid, sending the request throws `.invalidRequest(.multipart)`, or
    /// `.invalidRequest(.bodyFile)` for one of its files.
    public static func multipart(_ form: MultipartForm) -> HTTPBody {
        do throws(MultipartFormError) {
            let encoder = try MultipartEncoder(form, boundary: randomBoundary())
            return HTTPBody(content: content(encoder.segments), contentType: encoder.contentType)
        } catch {
            return HTTPBody(content: .invalid(.multipart(error)), contentType: nil)
        }
    }

    /// Returns a form as `multipart/form-data` (RFC 7578), built by a closure.
    ///
    /// - Parameters:
    ///   - boundary: the text that separates the parts; default nil, which chooses a random one
    ///     (``MultipartForm/boundary``).
    ///   - build: adds the parts.
    /// - Returns: the body.
    /// - Throws: the errors of `build`.
    public static func multipart<Failure: Error>(
        boundary: String? = nil,
        _ build: (inout MultipartForm) throws(Failure) -> Void
    ) throws(Failure) -> HTTPBody {
        var form = MultipartForm(boundary: boundary)
        try build(&form)
        return .multipart(form)
    }

    /// Joins the segments if they are small and all in memory, so that they are sent with the head.
    private static func content(_ segments: [BodySegment]) -> Content {
        var joined: [UInt8] = []
        for segment in segments {
            guard case .bytes(let bytes) = segment, joined.count + bytes.count <= 64 << 10 else {
                return .source(BodySource(segments))
            }
            joined += bytes
        }
        return .bytes(joined)
    }

    /// Returns a boundary with 128 random bits: a predictable boundary would allow an attacker to forge parts.
    private static func randomBoundary() -> String {
        var system = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("form-".utf8)
        for _ in 0..<2 {
            var chance = system.next()
            for _ in 0..<16 {
                text.append(digits[Int(chance & 15)])
                chance >>= 4
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

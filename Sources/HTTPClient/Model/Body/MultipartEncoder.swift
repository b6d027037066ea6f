internal import Wire

/// Writes a form as `multipart/form-data` (RFC 7578, RFC 2046 §5.1.1).
///
/// Pure: it says what is sent between the contents of the parts, and leaves reading files and
/// streams to others.
package struct MultipartEncoder: Sendable {
    /// The body in order; bytes that lie in memory are joined where they are few.
    package private(set) var segments: [BodySegment] = []
    /// With the boundary.
    package let contentType: HTTPContentType
    private let delimiter: [UInt8]
    private var pending: [UInt8] = []

    /// Larger contents are not copied.
    private static let copiedSize = 4 << 10

    /// Writes a form.
    ///
    /// - Parameters:
    ///   - form: its own boundary goes before the one given.
    ///   - boundary: unpredictable text.
    /// - Throws: what is wrong with the form.
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

    /// Whether it may delimit parts: bchars, and no space at the end.
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

    /// Whether a line begins with the delimiter.
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

    /// Escapes what would end the quotes or the line, as the HTML Standard has it.
    private mutating func appendQuoted(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): pending += Array("%22".utf8)
            case UInt8(ascii: "\r"): pending += Array("%0D".utf8)
            case UInt8(ascii: "\n"): pending += Array("%0A".utf8)
            // Browsers leave it, and readers in C end there.
            case 0: pending += Array("%00".utf8)
            default: pending.append(byte)
            }
        }
    }

    /// Makes a line end of each lone CR or LF, as the HTML Standard has it for names.
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
    /// A form as `multipart/form-data` (RFC 7578).
    ///
    /// What is wrong with the form is said when the request is sent: `.invalidRequest(.multipart)`,
    /// and `.invalidRequest(.bodyFile)` for its files.
    public static func multipart(_ form: MultipartForm) -> HTTPBody {
        do throws(MultipartFormError) {
            let encoder = try MultipartEncoder(form, boundary: randomBoundary())
            return HTTPBody(content: content(encoder.segments), contentType: encoder.contentType)
        } catch {
            return HTTPBody(content: .invalid(.multipart(error)), contentType: nil)
        }
    }

    /// A form as `multipart/form-data` (RFC 7578), made by a closure.
    ///
    /// - Parameters:
    ///   - boundary: what separates the parts; default nil: chosen by chance
    ///     (``MultipartForm/boundary``).
    ///   - build: adds the parts.
    /// - Returns: the body.
    /// - Throws: what `build` throws.
    public static func multipart<Failure: Error>(
        boundary: String? = nil,
        _ build: (inout MultipartForm) throws(Failure) -> Void
    ) throws(Failure) -> HTTPBody {
        var form = MultipartForm(boundary: boundary)
        try build(&form)
        return .multipart(form)
    }

    /// Few bytes that all lie in memory go out with the head.
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

    /// 128 bits of the system's chance: whoever could foresee them could forge parts.
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

internal import SocketTransport
internal import Wire

/// The parts of a `multipart/form-data` body (RFC 7578), in the order in which they are sent.
///
///     request.body = .multipart { form in
///         form.add(string: "320x240", name: "size")
///         form.add(file: "holiday.jpg", name: "picture")
///     }
///
/// Files and streams are read while they are sent. If every length is known, the client sends the
/// total as Content-Length; otherwise it sends the body in chunks. A form is a value, and creating one
/// never fails. If it is invalid, sending the request fails.
///
/// ## Topics
/// ### Adding parts
/// - ``add(string:name:contentType:)``
/// - ``add(bytes:name:fileName:contentType:)``
/// - ``add(file:name:fileName:contentType:)``
/// - ``add(stream:length:name:fileName:contentType:)``
/// - ``parts``
/// ### Boundary and preamble
/// - ``boundary``
/// - ``preamble``
public struct MultipartForm: Sendable {
    /// The parts, in the order in which they are sent.
    ///
    /// A form without parts is sent as the closing delimiter alone, as browsers do.
    public var parts: [Part] = []

    /// The text that separates the parts: 1 to 70 letters, digits, spaces and `'()+_,-./:=?`, without a
    /// space at the end (RFC 2046 §5.1.1).
    ///
    /// Default nil: a random boundary, chosen each time the form becomes a body, and long enough not to
    /// occur in the parts. If you set a boundary, the parts in memory are checked not to contain it. Files
    /// and streams are not checked.
    public var boundary: String?

    /// The text before the first part, which receivers ignore; default nil.
    public var preamble: String?

    /// Creates an empty form.
    public init(boundary: String? = nil) {
        self.boundary = boundary
    }

    /// Adds text, sent as UTF-8 with its line ends unchanged.
    ///
    /// - Parameters:
    ///   - text: the value of the form field.
    ///   - name: the name of the form field, sent as UTF-8. As the HTML Standard specifies, a lone CR or
    ///     LF becomes CRLF, and `"`, CR and LF are escaped as `%22`, `%0D` and `%0A`.
    ///   - contentType: default nil: no Content-Type, which means plain text.
    public mutating func add(string text: String, name: String, contentType: HTTPContentType? = nil)
    {
        parts.append(Part(.bytes(Array(text.utf8)), name: name, contentType: contentType))
    }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - name: the name of the form field, escaped as in ``add(string:name:contentType:)``.
    ///   - fileName: the file name. Default nil: none, so that receivers treat the part as a value and not
    ///     as a file.
    ///   - contentType: default nil: derived from the extension of the file name.
    public mutating func add(
        bytes: some Sequence<UInt8>,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        let type = contentType ?? HTTPContentType(fileName: fileName ?? "")
        parts.append(Part(.bytes(Array(bytes)), name: name, fileName: fileName, contentType: type))
    }

    /// Adds a file, which is read while it is sent.
    ///
    /// ``HTTPBody/file(_:range:contentType:)`` documents the possible errors.
    ///
    /// - Parameters:
    ///   - file: the path or the file URL of a regular file.
    ///   - name: the name of the form field, escaped as in ``add(string:name:contentType:)``.
    ///   - fileName: default nil: the last component of the path. `"`, CR and LF are percent-encoded.
    ///   - contentType: default nil: derived from the extension of the file name.
    public mutating func add(
        file: some HTTPFilePath,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        let path = Self.path(of: file)
        let last = path.split(separator: "/", omittingEmptySubsequences: true).last ?? ""
        let shown = fileName ?? String(last)
        let type = contentType ?? HTTPContentType(fileName: shown)
        parts.append(
            Part(.file(BodyFile(path: path)), name: name, fileName: shown, contentType: type)
        )
    }

    /// Adds the elements of a sequence, which is read once, while it is sent
    /// (``HTTPBody/stream(_:length:contentType:)``).
    ///
    /// - Parameters:
    ///   - pieces: the sequence; empty pieces are skipped.
    ///   - length: the total number of bytes. Default nil: unknown, and the whole body is sent in chunks.
    ///   - name: the name of the form field, escaped as in ``add(string:name:contentType:)``.
    ///   - fileName: default nil: none.
    ///   - contentType: default nil: derived from the extension of the file name.
    public mutating func add<Pieces: AsyncSequence & Sendable>(
        stream pieces: Pieces,
        length: Int? = nil,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) where Pieces.Element: Collection<UInt8> {
        let type = contentType ?? HTTPContentType(fileName: fileName ?? "")
        let stream = BodyStream(pieces, length: length)
        parts.append(Part(.stream(stream), name: name, fileName: fileName, contentType: type))
    }

    /// Adds the elements of a sequence, which is created each time the form is sent
    /// (``HTTPBody/stream(length:contentType:_:)``).
    ///
    /// - Parameters:
    ///   - length: the total number of bytes. Default nil: unknown, and the whole body is sent in chunks.
    ///   - name: the name of the form field, escaped as in ``add(string:name:contentType:)``.
    ///   - fileName: default nil: none.
    ///   - contentType: default nil: derived from the extension of the file name.
    ///   - pieces: creates the sequence.
    public mutating func add<Pieces: AsyncSequence & SendableMetatype>(
        length: Int? = nil,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil,
        stream pieces: @escaping @concurrent @Sendable () async throws -> sending Pieces
    )
    where
        Pieces.Element: Collection<UInt8> & SendableMetatype,
        Pieces.AsyncIterator: SendableMetatype
    {
        let type = contentType ?? HTTPContentType(fileName: fileName ?? "")
        let stream = BodyStream(length: length, producing: pieces)
        parts.append(Part(.stream(stream), name: name, fileName: fileName, contentType: type))
    }

    /// Adds a file with custom header fields instead of generated ones.
    ///
    /// - Parameters:
    ///   - file: the path or the file URL of a regular file, which is read while it is sent.
    ///   - headers: the header fields, which must name the form field in a Content-Disposition (RFC 7578
    ///     §4.2).
    public mutating func add(file: some HTTPFilePath, headers: HTTPHeaders) {
        var part = Part(.file(BodyFile(path: Self.path(of: file))), name: nil)
        part.headers = headers
        parts.append(part)
    }

    /// Returns the path of a file.
    ///
    /// A value that names no file stays as text, which no file has as its path, so that sending reports it.
    private static func path(of file: some HTTPFilePath) -> String {
        do { return try file.httpFilePath } catch { return "\(file)" }
    }

    /// Adds bytes with custom header fields.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - headers: the header fields, which must name the form field in a Content-Disposition (RFC 7578
    ///     §4.2).
    public mutating func add(bytes: some Sequence<UInt8>, headers: HTTPHeaders) {
        var part = Part(.bytes(Array(bytes)), name: nil)
        part.headers = headers
        parts.append(part)
    }
}

extension MultipartForm {
    /// One part of a form.
    public struct Part: Sendable {
        /// The name of the form field; nil if ``headers`` contain it.
        public var name: String?

        /// The file name sent to the receiver; nil for a part that is not a file.
        public var fileName: String?

        /// The Content-Type of the part; nil sends none, which means plain text (RFC 7578 §4.4).
        public var contentType: HTTPContentType?

        /// Additional header fields, which may include Content-Disposition or Content-Type to replace them.
        public var headers: HTTPHeaders = [:]

        package let content: BodySegment

        package init(
            _ content: BodySegment,
            name: String?,
            fileName: String? = nil,
            contentType: HTTPContentType? = nil
        ) {
            self.content = content
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
        }
    }
}

extension MultipartForm {
    /// The reason why a multipart form is invalid.
    @nonexhaustive public enum EncodingError: Error, Sendable, Hashable {
        /// ``MultipartForm/boundary`` is empty, is too long or contains an invalid character.
        case invalidBoundary(String)
        /// A line of the part with this index begins with the boundary, so the part would end there; nil
        /// for the preamble.
        case boundaryInContent(part: Int?)
        /// The part with this index has neither a name nor a Content-Disposition.
        case missingName(part: Int)
        /// The part with this index has an invalid header field.
        ///
        /// The name is not a token, or the value has a line end or another control character.
        case invalidHeader(part: Int, name: String)
    }
}

extension MultipartForm.EncodingError: CustomStringConvertible {
    /// A one-line description of the change that is needed.
    public var description: String {
        switch self {
        case .invalidBoundary(let text):
            "\(text.debugDescription) is not a boundary: use 1 to 70 letters and digits, or omit it"
        case .boundaryInContent(let part):
            "the boundary occurs in \(part.map { "part \($0)" } ?? "the preamble"): omit it"
        case .missingName(let part): "part \(part) of the form has no name: set one"
        case .invalidHeader(let part, let name):
            "part \(part) of the form cannot have the field \(name.debugDescription)"
        }
    }
}

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
    ) throws(MultipartForm.EncodingError) {
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
    ) throws(MultipartForm.EncodingError) {
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
    ) throws(MultipartForm.EncodingError) {
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
        do throws(MultipartForm.EncodingError) {
            let encoder = try MultipartEncoder(form, boundary: randomBoundary())
            return HTTPBody(
                content: content(encoder.segments, of: form),
                contentType: encoder.contentType
            )
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
    private static func content(_ segments: [BodySegment], of form: MultipartForm) -> Content {
        var joined: [UInt8] = []
        for segment in segments {
            guard case .bytes(let bytes) = segment, joined.count + bytes.count <= 64 << 10 else {
                return .source(BodySource(segments, form: form))
            }
            joined += bytes
        }
        return .bytes(joined)
    }

    /// Returns a boundary with 128 random bits: a predictable boundary would allow an attacker to forge parts.
    private static func randomBoundary() -> String { "form-" + RandomBits.digits() }
}

internal import SocketTransport

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
        bytes: [UInt8],
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        let type = contentType ?? HTTPContentType(fileName: fileName ?? "")
        parts.append(Part(.bytes(bytes), name: name, fileName: fileName, contentType: type))
    }

    /// Adds a file, which is read while it is sent.
    ///
    /// ``HTTPBody/file(_:range:contentType:)-(String,_,_)`` documents the possible errors.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file.
    ///   - name: the name of the form field, escaped as in ``add(string:name:contentType:)``.
    ///   - fileName: default nil: the last component of the path. `"`, CR and LF are percent-encoded.
    ///   - contentType: default nil: derived from the extension of the file name.
    public mutating func add(
        file path: String,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        let last = path.split(separator: "/", omittingEmptySubsequences: true).last ?? ""
        let shown = fileName ?? String(last)
        let type = contentType ?? HTTPContentType(fileName: shown)
        let file = BodyFile(path: path)
        parts.append(Part(.file(file), name: name, fileName: shown, contentType: type))
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
    ///   - path: the path of a regular file, which is read while it is sent.
    ///   - headers: the header fields, which must name the form field in a Content-Disposition (RFC 7578
    ///     §4.2).
    public mutating func add(file path: String, headers: HTTPHeaders) {
        var part = Part(.file(BodyFile(path: path)), name: nil)
        part.headers = headers
        parts.append(part)
    }

    /// Adds bytes with custom header fields.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - headers: the header fields, which must name the form field in a Content-Disposition (RFC 7578
    ///     §4.2).
    public mutating func add(bytes: [UInt8], headers: HTTPHeaders) {
        var part = Part(.bytes(bytes), name: nil)
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

        let content: BodySegment

        init(
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

/// The reason why a multipart form is invalid.
@nonexhaustive public enum MultipartFormError: Error, Sendable, Hashable {
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

extension MultipartFormError: CustomStringConvertible {
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

internal import SocketTransport

/// Collects the parts of a `multipart/form-data` body (RFC 7578), in the order in which they are sent.
///
///     request.body = .multipart { form in
///         form.add(string: "320x240", name: "size")
///         form.add(file: "holiday.jpg", name: "picture")
///     }
///
/// Files and streams are read while they are sent. Where every length is known the whole is announced
/// exactly; where a stream has none, the body is sent in chunks. A value: making one never fails, and
/// what is wrong with it is said when the request is sent.
///
/// ## Topics
/// ### Adding parts
/// - ``add(string:name:contentType:)``
/// - ``add(bytes:name:fileName:contentType:)``
/// - ``add(file:name:fileName:contentType:)``
/// - ``add(stream:length:name:fileName:contentType:)``
/// - ``parts``
/// ### Around them
/// - ``boundary``
/// - ``preamble``
public struct MultipartForm: Sendable {
    /// The parts, in the order in which they are sent.
    ///
    /// A form without any is sent as its closing delimiter alone, as browsers send it.
    public var parts: [Part] = []

    /// What separates the parts: 1 to 70 letters, digits, spaces and `'()+_,-./:=?`, not ending with a
    /// space (RFC 2046 §5.1.1).
    ///
    /// Default nil: chosen by chance each time a body is made of the form, from so many that none
    /// occurs in the parts. Of your own it is checked that the parts in memory do not contain it;
    /// files and streams are not searched.
    public var boundary: String?

    /// Text before the first part, which receivers pass over; default nil.
    public var preamble: String?

    /// Makes an empty form.
    public init(boundary: String? = nil) {
        self.boundary = boundary
    }

    /// Adds text, as UTF-8 and as it is: line ends are not changed.
    ///
    /// - Parameters:
    ///   - text: the value of the field.
    ///   - name: of the field. `"`, CR and LF become `%22`, `%0D` and `%0A`, and a lone CR or LF
    ///     becomes both, as the HTML Standard has it; all else is sent as UTF-8.
    ///   - contentType: default nil: none is said, which means text.
    public mutating func add(string text: String, name: String, contentType: HTTPContentType? = nil)
    {
        parts.append(Part(.bytes(Array(text.utf8)), name: name, contentType: contentType))
    }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - name: of the field, written as ``add(string:name:contentType:)`` says.
    ///   - fileName: default nil: none, so that receivers take it for a value and not for a file.
    ///   - contentType: default nil: by the extension of the file name.
    public mutating func add(
        bytes: [UInt8],
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        let type = contentType ?? HTTPContentType(fileName: fileName ?? "")
        parts.append(Part(.bytes(bytes), name: name, fileName: fileName, contentType: type))
    }

    /// Adds a file, read while it is sent; what can be wrong with it is told by
    /// ``HTTPBody/file(_:range:contentType:)-(String,_,_)``.
    ///
    /// - Parameters:
    ///   - path: of a regular file.
    ///   - name: of the field, written as ``add(string:name:contentType:)`` says.
    ///   - fileName: default nil: the last part of the path. `"`, CR and LF are percent-encoded.
    ///   - contentType: default nil: by the extension of the file name.
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

    /// Adds the pieces of a sequence, read while it is sent, once
    /// (``HTTPBody/stream(_:length:contentType:)``).
    ///
    /// - Parameters:
    ///   - pieces: empty ones are left out.
    ///   - length: bytes in all. Default nil: nobody knows, and the whole body is sent in chunks.
    ///   - name: of the field, written as ``add(string:name:contentType:)`` says.
    ///   - fileName: default nil: none.
    ///   - contentType: default nil: by the extension of the file name.
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

    /// Adds the pieces of a sequence that is made each time the form is sent
    /// (``HTTPBody/stream(length:contentType:_:)``).
    ///
    /// - Parameters:
    ///   - length: bytes in all. Default nil: nobody knows, and the whole body is sent in chunks.
    ///   - name: of the field, written as ``add(string:name:contentType:)`` says.
    ///   - fileName: default nil: none.
    ///   - contentType: default nil: by the extension of the file name.
    ///   - pieces: makes the sequence.
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

    /// Adds a file with fields of your own in place of what its name says.
    ///
    /// - Parameters:
    ///   - path: of a regular file, read while it is sent.
    ///   - headers: must name the field by a Content-Disposition (RFC 7578 §4.2).
    public mutating func add(file path: String, headers: HTTPHeaders) {
        var part = Part(.file(BodyFile(path: path)), name: nil)
        part.headers = headers
        parts.append(part)
    }

    /// Adds bytes with fields of your own.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - headers: must name the field by a Content-Disposition (RFC 7578 §4.2).
    public mutating func add(bytes: [UInt8], headers: HTTPHeaders) {
        var part = Part(.bytes(bytes), name: nil)
        part.headers = headers
        parts.append(part)
    }
}

extension MultipartForm {
    /// Holds one field of a form.
    public struct Part: Sendable {
        /// The field's name; nil when ``headers`` say it.
        public var name: String?

        /// The name that a file has for the receiver; nil for what is no file.
        public var fileName: String?

        /// The value of Content-Type; nil sends none, which means text (RFC 7578 §4.4).
        public var contentType: HTTPContentType?

        /// Fields to send besides; one of them may replace Content-Disposition or Content-Type.
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

/// Says why a multipart form cannot be written.
@nonexhaustive public enum MultipartFormError: Error, Sendable, Hashable {
    /// ``MultipartForm/boundary`` is empty, too long or has a character that may not be in it.
    case invalidBoundary(String)
    /// The boundary begins a line of the part with that index, which would end there; or of the
    /// preamble, for nil.
    case boundaryInContent(part: Int?)
    /// The part with that index has neither a name nor a Content-Disposition.
    case missingName(part: Int)
    /// The part with that index has a field whose name is no token, or whose value has a line end or
    /// another control character.
    case invalidHeader(part: Int, name: String)
}

extension MultipartFormError: CustomStringConvertible {
    /// One line that says what to change.
    public var description: String {
        switch self {
        case .invalidBoundary(let text):
            "\(text.debugDescription) is no boundary: use 1 to 70 letters and digits, or leave it out"
        case .boundaryInContent(let part):
            "the boundary occurs in \(part.map { "part \($0)" } ?? "the preamble"): leave it out"
        case .missingName(let part): "part \(part) of the form has no name: give it one"
        case .invalidHeader(let part, let name):
            "part \(part) of the form cannot have the field \(name.debugDescription)"
        }
    }
}

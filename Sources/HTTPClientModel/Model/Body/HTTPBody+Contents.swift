internal import SocketTransport
internal import Wire

// The content of a body as it was given. None of these properties reads a file or a stream.

extension HTTPBody {
    /// The body as text; nil if its bytes are not all in memory, or are not text.
    ///
    /// The charset is that of the content type, or UTF-8. No content is the empty text.
    public var text: String? {
        guard let bytes = storedBytes else { return nil }
        let name = contentType?.mediaType?.charset ?? "utf-8"
        guard let charset = HTTPCharset(name) else { return nil }
        var errorOffset: Int?
        let text = charset.decode(bytes, errorOffset: &errorOffset)
        return errorOffset == nil ? text : nil
    }

    /// The body as JSON, whatever its content type; nil if its bytes are not all in memory, or are not JSON.
    public var json: HTTPJSON? {
        storedBytes.flatMap { try? HTTPJSON(reading: $0, maxDepth: JSONEncoding.maxDepth) }
    }

    /// The names and values of a form, in order and with repeats; nil for a body that is not
    /// `application/x-www-form-urlencoded` in memory.
    ///
    /// The values are text: a number or a Boolean was formatted when the body was created.
    public var formItems: HTTPParameters? {
        guard let type = contentType?.mediaType,
            type.essence == "application/x-www-form-urlencoded",
            let bytes = storedBytes
        else { return nil }
        let items = bytes.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            ).map(Self.formText)
            return HTTPParameters.Element(parts[0], .string(parts.count > 1 ? parts[1] : ""))
        }
        return HTTPParameters(items)
    }

    /// The path of the file that the body sends; nil for a body that is not a file or a range of one.
    public var filePath: String? {
        guard case .source(let source) = content, source.segments.count == 1,
            case .file(let file) = source.segments[0]
        else { return nil }
        return file.path
    }

    /// The form that the body sends; nil for a body that is not a form.
    ///
    /// A form whose parts are all in memory and small is read from its bytes: its parts have their names, file
    /// names, types and contents, and their other header fields. Other forms are returned as they were given.
    public var multipartForm: MultipartForm? {
        switch content {
        case .source(let source): source.form
        case .bytes(let bytes): MultipartForm(reading: bytes, contentType)
        case .none, .deferred, .invalid: nil
        }
    }

    /// The bytes if all of them are in memory; nil otherwise.
    private var storedBytes: [UInt8]? {
        switch content {
        case .none: []
        case .bytes(let bytes): bytes
        case .deferred: encoded(with: nil).settledBytes
        case .source, .invalid: nil
        }
    }

    private var settledBytes: [UInt8]? {
        if case .bytes(let bytes) = content { bytes } else { nil }
    }

    private static func formText(_ bytes: ArraySlice<UInt8>) -> String {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        let text = String(decoding: spaced, as: UTF8.self)
        return String(decoding: PercentCoding.decode(text), as: UTF8.self)
    }
}

extension MultipartForm.Part {
    /// The content of the part, with its type.
    public var body: HTTPBody {
        switch content {
        case .bytes(let bytes): HTTPBody(content: .bytes(bytes), contentType: contentType)
        case .file, .stream:
            HTTPBody(content: .source(BodySource([content])), contentType: contentType)
        }
    }
}

extension MultipartForm {
    /// Reads a form that an encoder has written; nil for bytes that are not a form.
    fileprivate init?(reading bytes: [UInt8], _ contentType: HTTPContentType?) {
        guard let type = contentType?.mediaType, type.essence == "multipart/form-data",
            let boundary = type.boundary,
            var decoder = try? MultipartDecoder(
                boundary: boundary,
                endingParts: .delimiter,
                limits: .default,
                maxParts: .max
            )
        else { return nil }
        self.init(boundary: boundary)
        var start = 0
        var headers = HTTPHeaders()
        var content: [UInt8] = []
        while true {
            let rest = bytes.span.extracting(start...)
            guard let step = try? decoder.decode(rest) else { return nil }
            switch step.event {
            case .part(let fields): (headers, content) = (fields, [])
            case .content(let range):
                content += bytes[start + range.lowerBound..<start + range.upperBound]
            case .partEnd: parts.append(Part(headers, content))
            case .end: return
            case .needMore: return nil
            }
            start += step.consumed
        }
    }
}

extension MultipartForm.Part {
    fileprivate init(_ headers: HTTPHeaders, _ content: [UInt8]) {
        let disposition = headers.contentDisposition
        self.init(
            .bytes(content),
            name: disposition?["name"].map(Self.unescaped),
            fileName: disposition?["filename"].map(Self.unescaped),
            contentType: headers[.contentType].map { HTTPContentType($0) }
        )
        self.headers = headers
        self.headers.remove(.contentType)
        if disposition?.parameters.allSatisfy({ $0.name == "name" || $0.name == "filename" })
            == true,
            name != nil
        {
            self.headers.remove(.contentDisposition)
        }
    }

    /// Reverts the escapes of the HTML Standard for names.
    private static func unescaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = escapedByte(bytes[index...])
            result.append(byte ?? bytes[index])
            index += byte == nil ? 1 : 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the byte whose escape begins the text; nil if none does.
    private static func escapedByte(_ text: ArraySlice<UInt8>) -> UInt8? {
        if text.starts(with: "%22".utf8) { return UInt8(ascii: "\"") }
        if text.starts(with: "%0D".utf8) { return 0x0d }
        if text.starts(with: "%0A".utf8) { return 0x0a }
        return text.starts(with: "%00".utf8) ? 0 : nil
    }
}

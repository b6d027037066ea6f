#if Foundation
public import FoundationEssentials
public import Wire

extension HTTPRequestProtocol {
    /// Returns a copy with a JSON body that the sending client encodes
    /// (``HTTPBody/json(_:)-(EncodableSendable)``).
    @_disfavoredOverload
    public func json(_ value: some Encodable & Sendable) -> Self { body(.json(value)) }

    /// Returns a copy with a JSON body that the given encoder encodes immediately.
    @_disfavoredOverload
    public func json(_ value: some Encodable, encoder: JSONEncoder) -> Self {
        body(.json(value, encoder: encoder))
    }

    /// Returns a copy with a JSON object of values of any type as the body.
    @_disfavoredOverload
    public func json(_ members: [String: Any]) -> Self { body(.json(members)) }

    /// Returns a copy with a JSON array of values of any type as the body.
    @_disfavoredOverload
    public func json(_ elements: [Any]) -> Self { body(.json(elements)) }

    /// Returns a copy with items appended to the query; names and values are percent-encoded as
    /// needed.
    @_disfavoredOverload
    public func query(_ items: [URLQueryItem]) -> Self {
        query(items.map { HTTPQueryItem($0.name, $0.value) })
    }

    /// Returns a copy with bytes as the body.
    public func data(
        _ data: Data,
        contentType: HTTPContentType? = .octetStream
    ) -> Self {
        body(.data(data, contentType: contentType))
    }

    /// Returns a copy with a file as the body, which is read while it is sent.
    public func file(
        _ url: URL,
        range: Range<Int>? = nil,
        contentType: HTTPContentType? = nil
    ) -> Self {
        body(.file(url, range: range, contentType: contentType))
    }
}

extension MultipartForm {
    /// Adds bytes, as ``add(bytes:name:fileName:contentType:)`` does.
    public mutating func add(
        data: Data,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        add(bytes: Array(data), name: name, fileName: fileName, contentType: contentType)
    }

    /// Adds a file that is read while it is sent, as ``add(file:name:fileName:contentType:)`` does.
    ///
    /// - Parameters:
    ///   - fileURL: the URL of a regular file. Any other URL causes `.invalidRequest(.bodyFile)`.
    ///   - name: the name of the form field.
    ///   - fileName: the file name. Default nil: the last component of the path.
    ///   - contentType: the content type. Default nil: derived from the extension of the file name.
    public mutating func add(
        fileURL: URL,
        name: String,
        fileName: String? = nil,
        contentType: HTTPContentType? = nil
    ) {
        add(
            file: fileURL.isFileURL ? fileURL.path : fileURL.absoluteString,
            name: name,
            fileName: fileName,
            contentType: contentType
        )
    }

    /// Adds a file with custom header fields, as ``add(file:headers:)`` does.
    public mutating func add(fileStream: URL, headers: HTTPHeaders) {
        add(
            file: fileStream.isFileURL ? fileStream.path : fileStream.absoluteString,
            headers: headers
        )
    }
}

extension HTTPResumeData {
    /// Creates resume data from the bytes of an earlier ``data``.
    ///
    /// - Throws: `.invalidRequest(.resumeData(reason))`.
    public init(_ data: Data) throws(HTTPError) {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw HTTPError(invalid: .resumeData(.notResumeData))
        }
        try self.init(text)
    }

    /// The ``text`` as UTF-8.
    public var data: Data { Data(text.utf8) }
}
#endif

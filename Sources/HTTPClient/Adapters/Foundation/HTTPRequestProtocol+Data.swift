#if Foundation
public import FoundationEssentials

extension HTTPRequestProtocol {
    /// Returns a copy that sends a value as JSON, encoded by the client that sends it
    /// (``HTTPBody/json(_:)-(EncodableSendable)``).
    @_disfavoredOverload
    public func json(_ value: some Encodable & Sendable) -> Self { body(.json(value)) }

    /// Returns a copy that sends a value as JSON, encoded at once by an encoder of your own.
    @_disfavoredOverload
    public func json(_ value: some Encodable, encoder: JSONEncoder) -> Self {
        body(.json(value, encoder: encoder))
    }

    /// Returns a copy that sends values of any type as a JSON object.
    @_disfavoredOverload
    public func json(_ members: [String: Any]) -> Self { body(.json(members)) }

    /// Returns a copy that sends values of any type as a JSON array.
    @_disfavoredOverload
    public func json(_ elements: [Any]) -> Self { body(.json(elements)) }

    /// Adds items to the query, behind those it has; names and values are percent-encoded as needed.
    @_disfavoredOverload
    public func query(_ items: [URLQueryItem]) -> Self {
        query(items.map { HTTPQueryItem($0.name, $0.value) })
    }

    /// Returns a copy that sends bytes as they are.
    public func data(
        _ data: Data,
        contentType: HTTPContentType? = .octetStream
    ) -> Self {
        body(.data(data, contentType: contentType))
    }

    /// Returns a copy that sends a file, read while it is sent.
    public func file(
        _ url: URL,
        range: Range<Int>? = nil,
        contentType: HTTPContentType? = nil
    ) -> Self {
        body(.file(url, range: range, contentType: contentType))
    }

    /// Returns a copy that sends a file, read while it is sent.
    public func stream(fileURL: URL) -> Self { body(.file(fileURL)) }
}
#endif

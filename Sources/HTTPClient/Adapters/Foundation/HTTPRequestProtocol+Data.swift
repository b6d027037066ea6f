#if Foundation
public import FoundationEssentials

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

    /// Returns a copy with a file as the body, which is read while it is sent.
    public func stream(fileURL: URL) -> Self { body(.file(fileURL)) }
}
#endif

#if Foundation
public import FoundationEssentials

extension HTTPClient.Settings {
    /// Reads JSON wherever a call names no decoder of its own.
    ///
    ///     let decoder = JSONDecoder()
    ///     decoder.keyDecodingStrategy = .convertFromSnakeCase
    ///     let api = client.with { $0.jsonDecoder = decoder }
    ///
    /// Responses and errors carry it along, so it counts for ``HTTPResponse/decode(_:decoder:)``,
    /// ``HTTPError/decode(_:decoder:)`` and ``HTTPResponseParser/json(_:expecting:decoder:)`` too, also
    /// long after the call. It is used by many tasks at once: change nothing of it after giving it away.
    ///
    /// Default nil: a decoder without settings.
    public var jsonDecoder: JSONDecoder? {
        get { (coders as? JSONCoders)?.decoder }
        set { coders = JSONCoders(newValue, jsonEncoder) }
    }

    /// Encodes the values of bodies that name no encoder (``HTTPBody/json(_:)-(EncodableSendable)``).
    ///
    /// The value is encoded when this client sends it. Literals and ``HTTPJSON`` values are written without an
    /// encoder. Many tasks use the encoder at once: change nothing of it after assigning it.
    ///
    /// Default nil: an encoder that sorts members by name, so that every run of a program sends the same bytes.
    public var jsonEncoder: JSONEncoder? {
        get { (coders as? JSONCoders)?.encoder }
        set { coders = JSONCoders(jsonDecoder, newValue) }
    }
}
#endif

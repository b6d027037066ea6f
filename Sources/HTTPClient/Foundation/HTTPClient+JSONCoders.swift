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

    /// Writes JSON for ``HTTPBody/json(_:in:)``.
    ///
    /// A body that was made without naming this client does not know it: `.json(value)` encodes at once,
    /// so that a body is a value which has its length, can be shown and sent twice, and needs nothing
    /// `Sendable` of what it was made of. It is used by many tasks at once: change nothing of it after
    /// giving it away.
    ///
    /// Default nil: an encoder without settings.
    public var jsonEncoder: JSONEncoder? {
        get { (coders as? JSONCoders)?.encoder }
        set { coders = JSONCoders(jsonDecoder, newValue) }
    }
}
#endif

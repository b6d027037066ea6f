#if Foundation
public import FoundationEssentials

/// The JSON decoder and encoder of a client.
///
/// It is a class, so that responses and errors can keep a cheap reference to it. They store it
/// without a dependency on Foundation.
final class JSONCoders: Sendable {
    let decoder: JSONDecoder?
    let encoder: JSONEncoder?

    init?(_ decoder: JSONDecoder?, _ encoder: JSONEncoder?) {
        guard decoder != nil || encoder != nil else { return nil }
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Returns the given decoder, otherwise the client's, otherwise one without settings.
    static func decoder(
        _ given: JSONDecoder?,
        _ coders: (any AnyObject & Sendable)?
    ) -> JSONDecoder {
        given ?? (coders as? JSONCoders)?.decoder ?? JSONDecoder()
    }

    /// Returns the given encoder, otherwise the client's, otherwise one that sorts members.
    ///
    /// Without sorting, the order of members would differ between runs of a program.
    static func encoder(
        _ given: JSONEncoder?,
        _ coders: (any AnyObject & Sendable)?
    ) -> JSONEncoder {
        if let encoder = given ?? (coders as? JSONCoders)?.encoder { return encoder }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

extension HTTPClientSettings {
    /// The JSON decoder for calls without a decoder argument.
    ///
    ///     let decoder = JSONDecoder()
    ///     decoder.keyDecodingStrategy = .convertFromSnakeCase
    ///     let api = client.with { $0.jsonDecoder = decoder }
    ///
    /// Responses and errors of the client keep a reference to it. So it also applies to
    /// ``HTTPResponse/decode(_:decoder:)``, ``HTTPError/decode(_:decoder:)`` and
    /// ``HTTPResponseParser/json(_:expecting:decoder:)``, even long after the call. Many tasks use
    /// the decoder concurrently: do not change it after assigning it.
    ///
    /// Default nil: a decoder without settings.
    public var jsonDecoder: JSONDecoder? {
        get { (coders as? JSONCoders)?.decoder }
        set { coders = JSONCoders(newValue, jsonEncoder) }
    }

    /// The JSON encoder for bodies without an encoder argument
    /// (``HTTPBody/json(_:)-(EncodableSendable)``).
    ///
    /// The client encodes a value when it sends it. Literals and ``HTTPJSON`` values are written
    /// without an encoder. Many tasks use the encoder concurrently: do not change it after
    /// assigning it.
    ///
    /// Default nil: an encoder that sorts members by name, so that every run of a program sends the
    /// same bytes.
    public var jsonEncoder: JSONEncoder? {
        get { (coders as? JSONCoders)?.encoder }
        set { coders = JSONCoders(jsonDecoder, newValue) }
    }
}
#endif

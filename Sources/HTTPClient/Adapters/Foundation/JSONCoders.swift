#if Foundation
internal import FoundationEssentials

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

    /// Returns the given decoder, the client's, or one without settings, in this order.
    static func decoder(
        _ given: JSONDecoder?,
        _ coders: (any AnyObject & Sendable)?
    ) -> JSONDecoder {
        given ?? (coders as? JSONCoders)?.decoder ?? JSONDecoder()
    }

    /// Returns the given encoder, the client's, or one that sorts members, in this order.
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
#endif

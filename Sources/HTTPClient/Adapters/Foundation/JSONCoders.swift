#if Foundation
internal import FoundationEssentials

/// Holds what a client reads and writes JSON with.
///
/// One reference, so that responses and errors can carry it at no cost. What carries it knows no
/// Foundation.
final class JSONCoders: Sendable {
    let decoder: JSONDecoder?
    let encoder: JSONEncoder?

    init?(_ decoder: JSONDecoder?, _ encoder: JSONEncoder?) {
        guard decoder != nil || encoder != nil else { return nil }
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Chooses a decoder: the one that was given, else the client's, else one without settings.
    static func decoder(
        _ given: JSONDecoder?,
        _ coders: (any AnyObject & Sendable)?
    ) -> JSONDecoder {
        given ?? (coders as? JSONCoders)?.decoder ?? JSONDecoder()
    }

    /// Chooses an encoder: the one that was given, else the client's, else one that sorts members.
    ///
    /// Without sorting the order of members would differ from one run of a program to the next.
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

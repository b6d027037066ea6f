/// A formatter that describes why a body could not be decoded.
package enum DecodingErrorDescription {
    /// Describes the error, its path, and the start of the body.
    ///
    /// - Parameters:
    ///   - error: the error that the decoder threw. Any `DecodingError` has a path, whichever decoder threw it.
    ///   - body: the bytes that were decoded.
    ///   - absence: the text for no bytes. Default: that of a response.
    /// - Returns: a single line.
    package static func reason(
        _ error: any Error,
        in body: [UInt8],
        absence: String = "the response has no body"
    ) -> String {
        if body.isEmpty { return error is DecodingError ? absence : "\(error); \(absence)" }
        let start = "in \"\(BodyExcerpt.text(of: body))\""
        guard let error = error as? DecodingError else { return "\(error), \(start)" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            // Foundation ends some of its texts with a period.
            let reason = context.debugDescription
            let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
            return "\(words) at \(path(context.codingPath)), \(start)"
        case .keyNotFound(let key, let context):
            let name = key.stringValue.debugDescription
            return "the key \(name) is missing at \(path(context.codingPath)), \(start)"
        @unknown default: return "\(error), \(start)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "$") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }
    }
}

/// The start of a body in the text of an error.
enum BodyExcerpt {
    /// Returns the start of the body for an error message: at most 80 bytes, on one line.
    ///
    /// Bytes that are not UTF-8 are replaced, as in ``text``. Truncation is marked and never splits a
    /// character.
    static func text(of body: [UInt8]) -> String {
        var shown = body.prefix(maxExcerptBytes)
        let isCut = shown.count < body.count
        if isCut {
            // A character has at most four bytes, so a split one begins within the last four.
            let end = shown.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? shown.startIndex
            if shown.distance(from: end, to: shown.endIndex) < byteCount(of: shown[end]) {
                shown = shown[..<end]
            }
        }
        var text = ""
        for scalar in String(decoding: shown, as: UTF8.self).unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return isCut ? text + "…" : text
    }

    private static let maxExcerptBytes = 80

    /// Returns how many bytes a UTF-8 character has that begins with this byte.
    private static func byteCount(of first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

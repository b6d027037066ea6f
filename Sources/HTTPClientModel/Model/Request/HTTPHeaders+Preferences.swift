public import Wire

// To add a field of requests that is a property, add it here. The test is `HeaderPreferenceTests`.

/// Fields of requests as values.
///
///     request.headers.acceptLanguage = ["de-CH", "en"]     // Accept-Language: de-CH, en;q=0.9
///     request.headers.apiKey = key
///
/// Setting nil or an empty list removes the field.
extension HTTPHeaders {
    /// The languages that the user prefers, the preferred one first (RFC 9110 §12.5.4).
    ///
    /// An element that is set can be a language tag or the identifier of a locale: `de_CH.UTF-8` becomes `de-CH`,
    /// and `C` and `POSIX` are left out. The first has the weight 1, the next 0.9, and so on down to 0.1. An
    /// element with its own weight, such as `fr;q=0.3`, keeps it. Languages that are not acceptable (`q=0`) are
    /// not read.
    public var acceptLanguage: [String] {
        get { preferences(.acceptLanguage) }
        set { setPreferences(.acceptLanguage, newValue.compactMap(Self.languageTag)) }
    }

    /// The charsets that the client accepts, the preferred one first (RFC 9110 §12.5.2).
    ///
    /// The weights are those of ``acceptLanguage``. Most servers ignore this deprecated field.
    public var acceptCharset: [String] {
        get { preferences(.acceptCharset) }
        set { setPreferences(.acceptCharset, newValue) }
    }

    /// The content codings that the client accepts, the preferred one first (RFC 9110 §12.5.3).
    ///
    /// The weights are those of ``acceptLanguage``. The client adds this field itself, with the codings that it
    /// decodes (``HTTPClientSettings/decompression``). A response with another coding is an error.
    public var acceptEncoding: [String] {
        get { preferences(.acceptEncoding) }
        set { setPreferences(.acceptEncoding, newValue) }
    }

    /// The key of X-API-Key, which descriptions and logs show as `***`.
    public var apiKey: String? {
        get { self[Self.apiKeyName] }
        set { self[Self.apiKeyName] = newValue }
    }

    private static let apiKeyName: FieldName = "X-API-Key"

    /// Returns the elements of a list with weights, sorted by weight.
    private func preferences(_ name: FieldName) -> [String] {
        var found: [(name: String, weight: QualityValue, position: Int)] = []
        for element in values(name).flatMap({ ListSyntax.elements(of: $0) }) {
            let parts = element.split(separator: ";").map(Self.trimmed)
            guard let name = parts.first, !name.isEmpty else { continue }
            let text = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
            let weight = text.flatMap { QualityValue(String($0.dropFirst(2))) } ?? .one
            if weight > .zero { found.append((name, weight, found.count)) }
        }
        let sorted = found.sorted { left, right in
            left.weight == right.weight
                ? left.position < right.position : left.weight > right.weight
        }
        return sorted.map(\.name)
    }

    private mutating func setPreferences(_ name: FieldName, _ elements: [String]) {
        let texts = elements.enumerated().map { index, element in
            guard index > 0, !element.utf8.contains(UInt8(ascii: ";")) else { return element }
            return "\(element);q=\(QualityValue(thousandths: Swift.max(1000 - 100 * index, 100)))"
        }
        self[name] = texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// Returns the language tag of a locale, without its charset and modifier; nil for one without a language.
    private static func languageTag(_ text: String) -> String? {
        let weight = text.utf8.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
        let locale = text[..<weight]
        let end = locale.utf8.firstIndex { ".@".utf8.contains($0) } ?? locale.endIndex
        let tag = locale[..<end].split(separator: "_", omittingEmptySubsequences: false)
            .joined(separator: "-")
        return tag.isEmpty || tag == "C" || tag == "POSIX" ? nil : tag + text[weight...]
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = text.drop(while: isSpace)
        return String(start.reversed().drop(while: isSpace).reversed())
    }
}

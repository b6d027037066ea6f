package import Wire

/// The request fields that selected a response, by its Vary field (RFC 9111 §4.1).
///
/// Two variants are equal if the same requests select them. The values may be secrets, for example with
/// `Vary: Cookie`.
package struct CacheVariant: Sendable, Hashable {
    /// A field that selects, and its normalized value; nil if the request had no such field.
    package struct Selector: Sendable, Hashable {
        package let name: FieldName
        package let value: String?

        package init(name: FieldName, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The selecting fields in the order of Vary, without repeats; empty if there is no Vary.
    package let selectors: [Selector]

    /// Creates a variant with selectors that were read from a store.
    package init(_ selectors: [Selector] = []) {
        self.selectors = selectors
    }

    /// Creates the variant of a response.
    ///
    /// The result is nil if Vary contains `*` or a word that is not a field name: no request matches then. It is also nil
    /// with more than 64 names, because each lookup compares all of them.
    ///
    /// - Parameters:
    ///   - response: the fields of the response.
    ///   - request: the fields of its request as sent.
    package init?(_ response: HTTPHeaders, selectedBy request: HTTPHeaders) {
        guard response.contains(.vary) else {
            selectors = []
            return
        }
        var names: [FieldName] = []
        for element in response.values(.vary).flatMap({ ListSyntax.elements(of: $0) }) {
            let name = FieldName(element)
            guard element != "*", name.isToken, names.count <= Self.maxSelectors else {
                return nil
            }
            if !names.contains(name) { names.append(name) }
        }
        guard names.count <= Self.maxSelectors else { return nil }
        selectors = names.map { Selector(name: $0, value: Self.value(of: $0, in: request)) }
    }

    /// Whether no later request can select the response, because each Digest response to a challenge is another
    /// (RFC 7616 §3.4).
    var isForOneRequest: Bool {
        selectors.contains { selector in
            guard selector.name == .authorization, let value = selector.value else { return false }
            return value.lowercasedASCII.hasPrefix("digest ")
        }
    }

    /// Returns whether a request selects the response.
    package func matches(_ request: HTTPHeaders) -> Bool {
        selectors.allSatisfy { selector in
            let value = Self.value(of: selector.name, in: request)
            guard let stored = selector.value, let value else { return selector.value == value }
            return stored.utf8.elementsEqual(value.utf8)
        }
    }

    /// Returns the normalized value of a field; nil if the request does not have it.
    ///
    /// Lines are joined by ", ". In lists of tokens, whitespace and ASCII case do not matter, and empty elements are
    /// left out. The order is kept, because it can express a preference.
    private static func value(of name: FieldName, in request: HTTPHeaders) -> String? {
        guard let text = request.combined(name) else { return nil }
        guard tokenLists.contains(name) else { return text }
        return ListSyntax.elements(of: text.lowercasedASCII).joined(separator: ", ")
    }

    /// The maximum number of names; servers use fewer than ten.
    private static let maxSelectors = 64

    private static let tokenLists: [FieldName] = [.acceptCharset, .acceptEncoding, .acceptLanguage]
}

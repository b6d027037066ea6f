/// Values that a program attaches to a request for its own use; they are never sent.
///
/// A plain tag has a text as name and a text as value. A typed tag has a type as its key. Tags stay
/// with the request, so that interceptors and observers can read them.
public struct HTTPTags: Sendable {
    private var texts: [String: String] = [:]
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Creates an empty set of tags.
    public init() {}

    /// The plain tag with this name; nil if there is none.
    ///
    /// Setting nil removes the tag.
    public subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }

    /// The typed tag with this key; nil if there is none.
    ///
    /// Setting nil removes the tag.
    public subscript<Key: TagKey>(key: Key.Type) -> Key.Value? {
        get { values[ObjectIdentifier(key)] as? Key.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Whether there are no tags.
    public var isEmpty: Bool { texts.isEmpty && values.isEmpty }

    /// The plain tags.
    public var strings: [String: String] { texts }
}

extension HTTPTags {
    /// A key for a typed tag.
    ///
    ///     enum TraceTag: HTTPTags.TagKey { typealias Value = Int }
    ///     request.tags[TraceTag.self] = 17
    public protocol TagKey {
        /// The type of the tag's value.
        associatedtype Value: Sendable
    }
}

extension HTTPTags: ExpressibleByDictionaryLiteral {
    /// Creates plain tags; if a name is repeated, the last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, text) in elements { texts[name] = text }
    }
}

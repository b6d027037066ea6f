/// Names a tag of a type of its own.
///
///     enum TraceTag: HTTPTagKey { typealias Value = Int }
///     request.tags[TraceTag.self] = 17
public protocol HTTPTagKey {
    /// What the tag holds.
    associatedtype Value: Sendable
}

/// Holds what a program notes about a request for itself; nothing of it is sent.
///
/// There are plain tags, two texts, and typed ones, whose key is a type. They go wherever the request
/// goes, so that whoever sees it later knows what it was for.
public struct HTTPTags: Sendable {
    private var texts: [String: String] = [:]
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Makes no tags.
    public init() {}

    /// The plain tag of that name; nil when there is none, and to remove it.
    public subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }

    /// The tag of that key; nil when there is none, and to remove it.
    public subscript<Key: HTTPTagKey>(key: Key.Type) -> Key.Value? {
        get { values[ObjectIdentifier(key)] as? Key.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Whether there is no tag at all.
    public var isEmpty: Bool { texts.isEmpty && values.isEmpty }

    /// The plain tags.
    public var strings: [String: String] { texts }
}

extension HTTPTags: ExpressibleByDictionaryLiteral {
    /// Makes plain tags; of a repeated name the last one counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, text) in elements { texts[name] = text }
    }
}

#if Foundation
public import FoundationEssentials

extension HTTPBody {
    /// Creates a JSON body from a value that is encoded when it is sent.
    ///
    /// The sending client encodes the value with its ``HTTPClientSettings/jsonEncoder``. Without
    /// one, it uses a `JSONEncoder` that sorts members by name. It encodes once: retries and
    /// redirects send the same bytes. If the value cannot be encoded, sending the request throws
    /// `.invalidRequest(.body(…))` with the path of the value and the encoder's reason.
    ///
    /// Literals use the overloads for ``HTTPJSON`` and ``HTTPJSON/Literal``, which keep the order
    /// of members.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable) -> HTTPBody {
        let body = DeferredBody { coders in
            content(of: value, JSONCoders.encoder(nil, coders))
        }
        return HTTPBody(content: .deferred(body), contentType: .json)
    }

    /// Creates a JSON body from a value that is encoded immediately by the given encoder.
    ///
    /// The client's ``HTTPClientSettings/jsonEncoder`` is not used. Otherwise this function behaves
    /// like ``json(_:)-(EncodableSendable)``, and also takes values that are not `Sendable`.
    @_disfavoredOverload
    public static func json(_ value: some Encodable, encoder: JSONEncoder) -> HTTPBody {
        HTTPBody(content: content(of: value, encoder), contentType: .json)
    }

    private static func content(of value: some Encodable, _ encoder: JSONEncoder) -> Content {
        do {
            return .bytes(Array(try encoder.encode(value)))
        } catch {
            return .invalid(.body(reason: reason(error)))
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return "\(error)" }
        let steps = context.codingPath.map { key in
            key.intValue.map { JSONEncoding.Step.index($0) } ?? .name(key.stringValue)
        }
        return "\(context.debugDescription) at \(JSONEncoding.path(steps))"
    }

    /// Creates a JSON body from values of any type, such as a dictionary that was parsed from JSON.
    ///
    /// Members of dictionaries are sorted by name. A literal whose values are ``HTTPJSON/Convertible`` keeps its
    /// order instead (``json(_:)-(Literal?)``). Values can be text, numbers, `Bool`, nil, ``HTTPJSON``, and arrays
    /// and dictionaries of such values. They can also be `Encodable`, which includes `Date` and `UUID`. With any other
    /// value, sending the request throws `.invalidRequest(.body(…))` with the path of the value and its type.
    public static func json(any value: Any) -> HTTPBody {
        do throws(JSONEncoding.EncodeError) {
            return .json(try HTTPJSON(any: value, []))
        } catch {
            return HTTPBody(content: .invalid(.body(reason: error.description)), contentType: .json)
        }
    }
}

extension HTTPJSON {
    private init(
        _ members: [String: Any],
        _ steps: [JSONEncoding.Step]
    ) throws(JSONEncoding.EncodeError) {
        var object: [Member] = []
        for name in members.keys.sorted() {
            object.append(Member(name, try HTTPJSON(any: members[name], steps + [.name(name)])))
        }
        self = .object(object)
    }

    private init(
        _ elements: [Any],
        _ steps: [JSONEncoding.Step]
    ) throws(JSONEncoding.EncodeError) {
        var array: [HTTPJSON] = []
        for (index, element) in elements.enumerated() {
            array.append(try HTTPJSON(any: element, steps + [.index(index)]))
        }
        self = .array(array)
    }

    fileprivate init(any value: Any?, _ steps: [JSONEncoding.Step]) throws(JSONEncoding.EncodeError)
    {
        guard steps.count <= JSONEncoding.maxDepth else {
            let reason = "more than \(JSONEncoding.maxDepth) levels"
            throw JSONEncoding.EncodeError(path: JSONEncoding.path(steps), reason: reason)
        }
        switch value {
        case nil: self = .null
        case let value as HTTPJSON: self = value
        case let value as String: self = .string(value)
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .integer(value)
        case let value as UInt: self = .unsigned(value)
        case let value as Double: self = .number(value)
        case let value as [String: Any]: try self.init(value, steps)
        case let value as [Any]: try self.init(value, steps)
        case let value as any Encodable: try self.init(encoding: value, steps)
        case let value?: throw Self.failure("a \(type(of: value)) is not a JSON value", steps)
        }
    }

    /// Encodes to JSON text and parses it, because the encoder has no other output.
    private init(
        encoding value: any Encodable,
        _ steps: [JSONEncoding.Step]
    ) throws(JSONEncoding.EncodeError) {
        do {
            let bytes = Array(try JSONCoders.encoder(nil, nil).encode(value))
            self = try HTTPJSON(reading: bytes, maxDepth: JSONEncoding.maxDepth)
        } catch {
            throw Self.failure("\(error)", steps)
        }
    }

    private static func failure(
        _ reason: String,
        _ steps: [JSONEncoding.Step]
    ) -> JSONEncoding.EncodeError {
        JSONEncoding.EncodeError(path: JSONEncoding.path(steps), reason: reason)
    }
}
#endif

#if Foundation
public import FoundationEssentials

extension HTTPBody {
    /// A value as JSON.
    ///
    /// A value that cannot be encoded makes a request that cannot be sent: sending it throws
    /// `.invalidRequest(.body(…))` with the path of the value and the encoder's reason.
    ///
    /// A literal is an ``HTTPJSON``, which keeps the order of its members.
    ///
    /// The value is encoded here and now, so no setting of a client can reach it: name the encoder, or
    /// use ``json(_:in:)``.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) -> HTTPBody {
        do {
            let data = try encoder.encode(value)
            return HTTPBody(content: .bytes(Array(data)), contentType: .json)
        } catch {
            return HTTPBody(content: .invalid(.body(reason: reason(error))), contentType: .json)
        }
    }

    /// A value as JSON, as a client writes it (``HTTPClient/Settings/jsonEncoder``).
    ///
    /// All else is as in ``json(_:encoder:)``.
    ///
    /// - Parameters:
    ///   - value: encoded at once; later changes of it change nothing.
    ///   - client: whose encoder is used; mostly the one that sends the body.
    /// - Returns: a body of known length that can be sent again.
    public static func json(_ value: some Encodable, in client: HTTPClient) -> HTTPBody {
        .json(value, encoder: client.configuration.jsonEncoder ?? JSONEncoder())
    }

    private static func reason(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return "\(error)" }
        let steps = context.codingPath.map { key in
            key.intValue.map { JSONEncoding.Step.index($0) } ?? .name(key.stringValue)
        }
        return "\(context.debugDescription) at \(JSONEncoding.path(steps))"
    }

    /// Values of any type as a JSON object, with its members sorted by name.
    ///
    /// A value is JSON when it is text, a number, a `Bool`, nil, an ``HTTPJSON``, an array or a
    /// dictionary of such values, or `Encodable`, which includes `Date` and `UUID`. Any other makes a
    /// request that cannot be sent: sending it throws `.invalidRequest(.body(…))` with the path of
    /// the value and its type.
    @_disfavoredOverload
    public static func json(_ members: [String: Any]) -> HTTPBody {
        do throws(JSONEncoding.Fault) {
            return .json(try HTTPJSON(members, []))
        } catch {
            return HTTPBody(content: .invalid(.body(reason: error.description)), contentType: .json)
        }
    }

    /// Values of any type as a JSON array; otherwise as ``json(_:)-([String:Any])``.
    @_disfavoredOverload
    public static func json(_ elements: [Any]) -> HTTPBody {
        do throws(JSONEncoding.Fault) {
            return .json(try HTTPJSON(elements, []))
        } catch {
            return HTTPBody(content: .invalid(.body(reason: error.description)), contentType: .json)
        }
    }

    /// Octets as they are.
    ///
    /// The content type is `application/octet-stream` by default; nil sends no Content-Type.
    public static func data(
        _ data: Data,
        contentType: HTTPContentType? = .octetStream
    ) -> HTTPBody {
        .bytes(Array(data), contentType: contentType)
    }

    /// A file, read while it is sent; as ``file(_:range:contentType:)-(String,_,_)``.
    ///
    /// A URL that is not a file's makes a request that cannot be sent.
    public static func file(
        _ url: URL,
        range: Range<UInt64>? = nil,
        contentType: HTTPContentType? = nil
    ) -> HTTPBody {
        guard url.isFileURL else {
            let fault = InvalidRequest.body(reason: "\(url) is not the URL of a file")
            return HTTPBody(content: .invalid(fault), contentType: contentType)
        }
        return .file(url.path, range: range, contentType: contentType)
    }
}

extension HTTPJSON {
    fileprivate init(
        _ members: [String: Any],
        _ steps: [JSONEncoding.Step]
    ) throws(JSONEncoding.Fault) {
        var object: [Member] = []
        for name in members.keys.sorted() {
            object.append(Member(name, try HTTPJSON(any: members[name], steps + [.name(name)])))
        }
        self = .object(object)
    }

    fileprivate init(_ elements: [Any], _ steps: [JSONEncoding.Step]) throws(JSONEncoding.Fault) {
        var array: [HTTPJSON] = []
        for (index, element) in elements.enumerated() {
            array.append(try HTTPJSON(any: element, steps + [.index(index)]))
        }
        self = .array(array)
    }

    private init(any value: Any?, _ steps: [JSONEncoding.Step]) throws(JSONEncoding.Fault) {
        guard steps.count <= JSONEncoding.mostLevels else {
            let reason = "more than \(JSONEncoding.mostLevels) levels"
            throw JSONEncoding.Fault(path: JSONEncoding.path(steps), reason: reason)
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
        case let value?: throw Self.fault("a \(type(of: value)) is no JSON value", steps)
        }
    }

    /// Takes the way over JSON text, as the encoder shows its result in no other form.
    private init(
        encoding value: any Encodable,
        _ steps: [JSONEncoding.Step]
    ) throws(JSONEncoding.Fault) {
        do {
            let octets = Array(try JSONEncoder().encode(value))
            self = try HTTPJSON(parsing: octets, maxDepth: JSONEncoding.mostLevels)
        } catch {
            throw Self.fault("\(error)", steps)
        }
    }

    private static func fault(
        _ reason: String,
        _ steps: [JSONEncoding.Step]
    ) -> JSONEncoding.Fault {
        JSONEncoding.Fault(path: JSONEncoding.path(steps), reason: reason)
    }
}
#endif

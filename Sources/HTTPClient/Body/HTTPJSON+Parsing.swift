extension HTTPJSON {
    /// Reads JSON text, strictly as RFC 8259 says.
    ///
    ///     let json = try HTTPJSON(parsing: #"{"user": {"name": "Ada"}}"#)
    ///     print(json["user"]["name"].string ?? "nobody")
    ///
    /// Nothing is repaired: no comments, no trailing commas, no byte order mark, nothing behind the
    /// value, no bytes that are not UTF-8, and no half of a surrogate pair, as it is no character.
    ///
    /// Whole numbers become ``integer(_:)`` or ``unsigned(_:)`` where they fit. All others, those with a
    /// fraction or an exponent and `-0` too, become the nearest ``number(_:)``; one that is larger than
    /// any `Double` is refused. Members keep their order, and those that share a name are all kept, as
    /// the standard leaves to readers which of them counts.
    ///
    /// - Parameters:
    ///   - bytes: the whole text, in UTF-8.
    ///   - maxDepth: how many arrays and objects may lie within each other. Default 128: more than
    ///     what people design, and little enough for code that walks the value recursively. Counts up
    ///     to 512, which is also what can be written.
    /// - Throws: what is wrong with the text, and at which byte.
    public init(parsing bytes: Span<UInt8>, maxDepth: Int = 128) throws(HTTPJSONError) {
        self = try JSONParser.parse(bytes, maxDepth: maxDepth)
    }

    /// Reads JSON text; as ``init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    public init(parsing bytes: [UInt8], maxDepth: Int = 128) throws(HTTPJSONError) {
        self = try JSONParser.parse(bytes.span, maxDepth: maxDepth)
    }

    /// Reads JSON text; as ``init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    public init(parsing text: String, maxDepth: Int = 128) throws(HTTPJSONError) {
        self = try JSONParser.parse(Array(text.utf8).span, maxDepth: maxDepth)
    }
}

/// What the subscripts and accessors find is never a reason to stop: what is not there is null, and
/// what is of another kind is nil.
extension HTTPJSON {
    /// The member of that name, ``null`` when there is none or this is no object.
    ///
    /// Names are compared byte by byte. Of several members with that name it is the last, as most
    /// readers do; ``members`` has all.
    public subscript(name: String) -> HTTPJSON { member(name) ?? .null }

    /// The element at that place, counted from 0; ``null`` when there is none or this is no array.
    public subscript(index: Int) -> HTTPJSON {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return .null
        }
        return elements[index]
    }

    /// The member of that name; nil, and not ``null``, when there is none or this is no object.
    public func member(_ name: String) -> HTTPJSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// Whether this is `null`; a subscript that finds nothing gives it too.
    public var isNull: Bool { self == .null }

    /// The truth value, if it is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if it is one that `Int` can be exactly, such as `7`, `7.0` and `7e2`.
    public var int: Int? {
        switch self {
        case .integer(let value): value
        case .unsigned(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, if it is one that `UInt` can be exactly.
    public var uint: UInt? {
        switch self {
        case .integer(let value): UInt(exactly: value)
        case .unsigned(let value): value
        case .number(let value): UInt(exactly: value)
        default: nil
        }
    }

    /// The number, if it is one; whole numbers beyond 2⁵³ become the nearest `Double`.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The text, if it is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, if it is an array.
    public var array: [HTTPJSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members in their order, if it is an object.
    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension HTTPJSON: CustomStringConvertible {
    /// The value as JSON text without needless spaces; of what cannot be sent, the reason.
    public var description: String {
        do throws(JSONEncoding.EncodeError) {
            return String(decoding: try JSONEncoding.encode(self), as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }
}

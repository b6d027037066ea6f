extension HTTPHeaders {
    /// The fields sorted by name without regard to ASCII case; fields of one name keep their order.
    public var sortedByName: HTTPHeaders {
        let keys = map { $0.name.utf8.map(ByteClass.lowercase) }
        let order = indices.sorted { left, right in
            if keys[left] == keys[right] { return left < right }
            return keys[left].lexicographicallyPrecedes(keys[right])
        }
        var sorted = HTTPHeaders()
        sorted.reserve(fields: count, bytes: lineBytes)
        for index in order {
            let field = self[index]
            sorted.append(FieldName(field.name), bytes: field.valueBytes)
        }
        return sorted
    }

    /// Returns the fields of two sections, where those on the right replace fields of the same names.
    ///
    /// ``merge(_:)`` documents their order, and changes a section in place.
    public static func + (left: HTTPHeaders, right: HTTPHeaders) -> HTTPHeaders {
        var sum = left
        sum.merge(right)
        return sum
    }

    /// The values by name, without Set-Cookie.
    ///
    /// A name is spelled as in its first field. The values of repeated fields are joined by ", "
    /// (``combined(_:)``). Values of Set-Cookie cannot be joined: read them with ``values(_:)``.
    public var dictionary: [String: String] {
        var names: Set<FieldName> = [.setCookie]
        var values: [String: String] = [:]
        for field in self {
            let name = FieldName(field.name)
            if names.insert(name).inserted { values[field.name] = combined(name) }
        }
        return values
    }

    /// Creates a section with the fields of a dictionary, sorted by name, because a dictionary has no order.
    public init(_ dictionary: [String: String]) {
        let pairs = dictionary.sorted { $0.key < $1.key }
        self.init(pairs.map { (FieldName($0.key), $0.value) })
    }
}

/// A section is encoded as an array of fields, each an array of its name and its value.
///
/// So their order and repeated fields are kept. The values are those of ``HTTPField/value``, also of secret fields.
extension HTTPHeaders: Codable {
    /// Decodes a section.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for a field without exactly two texts, a name that is not a token, or
    ///   a value with a control byte (RFC 9110 §5.1, §5.5).
    public init(from decoder: any Decoder) throws {
        self.init()
        var fields = try decoder.unkeyedContainer()
        while !fields.isAtEnd {
            var field = try fields.nestedUnkeyedContainer()
            let name = FieldName(try field.decode(String.self))
            let value = try field.decode(String.self)
            func refuse(_ reason: String) -> DecodingError {
                .dataCorruptedError(in: field, debugDescription: reason)
            }
            guard field.isAtEnd else { throw refuse("a field has more than a name and a value") }
            guard name.isToken else {
                throw refuse("\(name.rawName.debugDescription) is not the name of a field")
            }
            guard HeadScanner.Classes.isValue(value.utf8.span) else {
                throw refuse("the value of \(name) has a control character")
            }
            append(name, value)
        }
    }

    /// Encodes the section.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.unkeyedContainer()
        for field in self {
            var pair = fields.nestedUnkeyedContainer()
            try pair.encode(field.name)
            try pair.encode(field.value)
        }
    }
}

/// A parser of structured dictionaries (RFC 9651 §3.2), such as `a=1, b=:YWJj:`.
///
/// It accepts exactly the grammar of §4.2.2, whatever the types of the values. Only the values that
/// this package uses are returned as such: byte sequences and integers. Parameters are checked and
/// dropped.
package struct StructuredDictionary: Sendable, Equatable {
    /// A value of a member.
    package enum Value: Sendable, Equatable {
        /// A byte sequence (§3.3.5).
        case bytes([UInt8])
        /// An integer of at most 15 digits (§3.3.1).
        case integer(Int)
        /// A value of another type.
        case other
    }

    /// A member of the dictionary.
    package struct Member: Sendable, Equatable {
        /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
        package var key: String
        /// The value.
        package var value: Value

        package init(key: String, value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// The members in their order; each key occurs once.
    package private(set) var members: [Member] = []

    /// The index of each key in ``members``, so that parsing takes linear time.
    private var indices: [String: Int] = [:]

    /// Parses a field value, or returns nil if the text is not a dictionary.
    ///
    /// An empty text is an empty dictionary. Of two members with the same key, the last one counts.
    ///
    /// - Parameter text: the value of all field lines, joined with commas.
    package init?(_ text: String) {
        var parser = StructuredItemParser(text)
        parser.skipSpaces()
        while !parser.isAtEnd {
            guard let key = parser.key() else { return nil }
            var value = Value.other
            if parser.take(Byte.equals) {
                guard let parsed = parser.itemOrList() else { return nil }
                value = parsed
            }
            guard parser.skipParameters() else { return nil }
            set(key, value)
            parser.skipOptionalSpaces()
            if parser.isAtEnd { return }
            guard parser.take(Byte.comma) else { return nil }
            parser.skipOptionalSpaces()
            // A comma at the end is malformed.
            if parser.isAtEnd { return nil }
        }
    }

    /// Returns the value of a key; nil if there is none.
    package subscript(key: String) -> Value? { indices[key].map { members[$0].value } }

    private mutating func set(_ key: String, _ value: Value) {
        if let index = indices[key] {
            members[index].value = value
        } else {
            indices[key] = members.count
            members.append(Member(key: key, value: value))
        }
    }
}

extension StructuredDictionary: CustomStringConvertible {
    /// Creates a dictionary of byte sequences and integers; `other` values are sent as true.
    ///
    /// - Parameter members: keys that are valid, each once.
    package init(_ members: [Member]) {
        self.members = members
        for (index, member) in members.enumerated() { indices[member.key] = index }
    }

    /// The field value (RFC 9651 §4.1.2).
    package var description: String {
        let texts = members.map { member in
            switch member.value {
            case .bytes(let bytes): "\(member.key)=:\(StructuredItemParser.base64(bytes)):"
            case .integer(let value): "\(member.key)=\(value)"
            case .other: member.key
            }
        }
        return texts.joined(separator: ", ")
    }
}

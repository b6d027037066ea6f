/// An encoder that converts an `Encodable` value to parameters.
///
/// Keyed values become objects, and unkeyed values become arrays.
package struct ParameterEncoder: Encoder {
    /// A value under construction, whose containers may be filled in any order.
    package final class Node {
        /// The members in encoding order.
        private var members: [(name: String, node: Node)]?
        private var elements: [Node]?
        private var value: HTTPParameters.ParameterValue?

        package var count: Int { elements?.count ?? 0 }

        func setValue(_ value: HTTPParameters.ParameterValue) { self.value = value }

        func openObject() { members = members ?? [] }

        func openArray() { elements = elements ?? [] }

        /// Returns the node of a member; encoding a member twice keeps the second value.
        package func member(_ name: String) -> Node {
            let node = Node()
            if let index = members?.firstIndex(where: { $0.name == name }) {
                members?[index].node = node
            } else {
                members = (members ?? []) + [(name, node)]
            }
            return node
        }

        package func nextElement() -> Node {
            let node = Node()
            elements = (elements ?? []) + [node]
            return node
        }

        func sortMembers() {
            members?.sort { $0.name < $1.name }
        }

        /// The encoded value; nil when nil or nothing was encoded.
        var encodedValue: HTTPParameters.ParameterValue? {
            if let members {
                return .object(
                    HTTPParameters(
                        members.compactMap { member in
                            member.node.encodedValue.map { HTTPParameters.Element(member.name, $0) }
                        }
                    )
                )
            }
            return elements.map { .array($0.compactMap(\.encodedValue)) } ?? value
        }
    }

    /// The maximum nesting; deeper values would exhaust the stack, and cyclic values never end.
    package static let maxDepth = 512

    package let node: Node
    package let codingPath: [any CodingKey]
    package let userInfo: [CodingUserInfoKey: Any] = [:]

    /// Converts the members of a value to parameters.
    package static func encode(
        _ value: some Encodable
    ) throws(ParameterSerializer.EncodeError) -> HTTPParameters {
        guard case .object(let parameters) = try encodeValue(value) else {
            throw ParameterSerializer.EncodeError(name: "", reason: .notAnObject)
        }
        return parameters
    }

    /// Converts any value to the value of a parameter; returns nil for nil.
    ///
    /// The name in an error is relative to this value.
    package static func encodeValue(
        _ value: some Encodable
    ) throws(ParameterSerializer.EncodeError) -> HTTPParameters.ParameterValue? {
        let root = ParameterEncoder(node: Node(), codingPath: [])
        do {
            try root.encode(value)
        } catch let failure as ParameterSerializer.EncodeError {
            throw failure
        } catch {
            guard case EncodingError.invalidValue(_, let context) = error else {
                throw ParameterSerializer.EncodeError(
                    name: "",
                    reason: .thrown(description: "\(error)")
                )
            }
            let reason = HTTPParameters.EncodingError.thrown(description: context.debugDescription)
            throw ParameterSerializer.EncodeError(name: name(context.codingPath), reason: reason)
        }
        return root.node.encodedValue
    }

    /// Encodes a value into the node; nil leaves the node empty.
    package func encode(_ value: some Encodable) throws {
        guard codingPath.count <= Self.maxDepth else {
            let reason = HTTPParameters.EncodingError.tooDeep(limit: Self.maxDepth)
            throw ParameterSerializer.EncodeError(
                name: Self.name(codingPath.prefix(3)),
                reason: reason
            )
        }
        // These types define their own spelling, such as text, numbers and dates.
        if !(value is any EncodedElementwise), let value = value as? any HTTPParameters.Convertible
        {
            node.setValue(value.parameterValue)
            return
        }
        try value.encode(to: self)
        if value is any Unordered { node.sortMembers() }
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.openObject()
        return KeyedEncodingContainer(Members<Key>(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.openArray()
        return Elements(encoder: self)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(encoder: self)
    }

    private func member(_ key: any CodingKey) -> ParameterEncoder {
        ParameterEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }

    private func nextElement() -> ParameterEncoder {
        let key = Index(intValue: node.count)
        return ParameterEncoder(node: node.nextElement(), codingPath: codingPath + [key])
    }

    /// Formats a path as written in a query: `user[tags][0]`.
    private static func name(_ path: some Collection<any CodingKey>) -> String {
        let names = path.map(\.stringValue)
        return (names.first ?? "") + names.dropFirst().map { "[\($0)]" }.joined()
    }

    // MARK: - Containers

    private struct Index: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(intValue: Int) {
            self.intValue = intValue
            stringValue = "\(intValue)"
        }

        init(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ParameterEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        /// Does nothing, because nil is left out.
        func encodeNil(forKey key: Key) {}

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try encoder.member(key).encode(value)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            encoder.member(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.member(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder.member(Index(stringValue: "super")) }

        func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: ParameterEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.node.count }

        /// Does nothing, because nil is left out.
        func encodeNil() {}

        func encode<Value: Encodable>(_ value: Value) throws {
            try encoder.nextElement().encode(value)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            encoder.nextElement().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            encoder.nextElement().unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder.nextElement() }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: ParameterEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        /// Does nothing, because nil is left out.
        func encodeNil() {}

        func encode<Value: Encodable>(_ value: Value) throws {
            try encoder.encode(value)
        }
    }
}

/// A type that is encoded by element, so that nil is left out at every depth.
private protocol EncodedElementwise {}

/// A collection without an order, whose members are sorted by name.
private protocol Unordered {}

extension Optional: EncodedElementwise {}
extension Array: EncodedElementwise {}
extension Dictionary: EncodedElementwise, Unordered {}

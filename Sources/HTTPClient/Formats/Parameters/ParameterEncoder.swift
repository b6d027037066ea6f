/// Makes parameters of an `Encodable` value: of what has names an object, of what has none an array.
struct ParameterEncoder: Encoder {
    /// One value, which grows while it is encoded; containers of it may be filled in any order.
    final class Node {
        /// In the order of encoding.
        private var members: [(name: String, node: Node)]?
        private var elements: [Node]?
        private var value: HTTPParameterValue?

        var count: Int { elements?.count ?? 0 }

        func setValue(_ value: HTTPParameterValue) { self.value = value }

        func openObject() { members = members ?? [] }

        func openArray() { elements = elements ?? [] }

        /// The node of a member; encoding it twice leaves the second.
        func member(_ name: String) -> Node {
            let node = Node()
            if let index = members?.firstIndex(where: { $0.name == name }) {
                members?[index].node = node
            } else {
                members = (members ?? []) + [(name, node)]
            }
            return node
        }

        func nextElement() -> Node {
            let node = Node()
            elements = (elements ?? []) + [node]
            return node
        }

        func sortMembers() {
            members?.sort { $0.name < $1.name }
        }

        /// What was encoded; nil for nil, and for nothing.
        var encodedValue: HTTPParameterValue? {
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

    /// More would exhaust the stack; a value that holds itself has no end.
    static let maxDepth = 512

    let node: Node
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// Makes parameters of the members of a value.
    static func encode(
        _ value: some Encodable
    ) throws(ParameterSerializer.EncodeError) -> HTTPParameters {
        guard case .object(let parameters) = try encodeValue(value) else {
            throw ParameterSerializer.EncodeError(name: "", reason: .notAnObject)
        }
        return parameters
    }

    /// Makes a parameter's value of any value; nil of nil.
    ///
    /// The name of a failure begins within the value.
    static func encodeValue(
        _ value: some Encodable
    ) throws(ParameterSerializer.EncodeError) -> HTTPParameterValue? {
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
            let fault = HTTPParameterError.thrown(description: context.debugDescription)
            throw ParameterSerializer.EncodeError(name: name(context.codingPath), reason: fault)
        }
        return root.node.encodedValue
    }

    /// Encodes a value into the node, or leaves it empty when that is nil.
    func encode(_ value: some Encodable) throws {
        guard codingPath.count <= Self.maxDepth else {
            let fault = HTTPParameterError.tooDeep(limit: Self.maxDepth)
            throw ParameterSerializer.EncodeError(
                name: Self.name(codingPath.prefix(3)),
                reason: fault
            )
        }
        // What says itself how it is spelled, such as text, numbers and dates.
        if !(value is any EncodedElementwise), let value = value as? any HTTPParameterConvertible {
            node.setValue(value.parameterValue)
            return
        }
        try value.encode(to: self)
        if value is any Unordered { node.sortMembers() }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.openObject()
        return KeyedEncodingContainer(Members<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.openArray()
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(encoder: self)
    }

    private func member(_ key: any CodingKey) -> ParameterEncoder {
        ParameterEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }

    private func nextElement() -> ParameterEncoder {
        let key = Index(intValue: node.count)
        return ParameterEncoder(node: node.nextElement(), codingPath: codingPath + [key])
    }

    /// Spells a path as it stands in a query: `user[tags][0]`.
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

        /// Nothing: what is nil is left out.
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

        /// Nothing: what is nil is left out.
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

        /// Nothing: what is nil is left out.
        func encodeNil() {}

        func encode<Value: Encodable>(_ value: Value) throws {
            try encoder.encode(value)
        }
    }
}

/// Is not spelled as a whole, so that what is nil in it is left out at every depth.
private protocol EncodedElementwise {}

/// Has no order of its own, and gets one by name.
private protocol Unordered {}

extension Optional: EncodedElementwise {}
extension Array: EncodedElementwise {}
extension Dictionary: EncodedElementwise, Unordered {}

#if Foundation
extension HTTPRequestProtocol {
    /// Returns a copy with values of any type appended to the query, sorted by name.
    ///
    /// A value can be ``HTTPParameters/Convertible``, such as text, a number, `Bool`, `Date`, `URL` or
    /// `UUID`. It can also be an array or a dictionary of such values, or `Encodable`. With any
    /// other value, sending the request throws `.invalidRequest(.parameter(…))` with the full name
    /// of the value and its type.
    ///
    /// A literal becomes ``HTTPParameters`` instead, which keep their order.
    ///
    /// - Parameters:
    ///   - parameters: names and values, such as a dictionary that was parsed from JSON.
    ///   - style: the format of arrays, Booleans and dates.
    /// - Returns: a copy with the parameters.
    @_disfavoredOverload
    public func query(
        _ parameters: [String: Any],
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> Self {
        do throws(ParameterSerializer.EncodeError) {
            return query(try HTTPParameters(any: parameters, []), style: style)
        } catch {
            return with { $0.recordError(error) }
        }
    }
}

extension HTTPParameters {
    fileprivate init(
        any members: [String: Any],
        _ path: [String]
    ) throws(ParameterSerializer.EncodeError) {
        self.init()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            append(name, try ParameterValue(any: value, path + [name]))
        }
    }
}

extension HTTPParameters.ParameterValue {
    fileprivate init(any value: Any, _ path: [String]) throws(ParameterSerializer.EncodeError) {
        guard path.count <= ParameterEncoder.maxDepth else {
            let reason = HTTPParameters.EncodingError.tooDeep(limit: ParameterEncoder.maxDepth)
            throw ParameterSerializer.EncodeError(name: Self.name(path.prefix(3)), reason: reason)
        }
        switch value {
        case let value as any HTTPParameters.Convertible: self = value.parameterValue
        case let value as [String: Any]: self = .object(try HTTPParameters(any: value, path))
        case let value as [Any]:
            var elements: [HTTPParameters.ParameterValue] = []
            for (index, element) in value.enumerated() {
                elements.append(
                    try HTTPParameters.ParameterValue(any: element, path + ["\(index)"])
                )
            }
            self = .array(elements)
        case let value as any Encodable:
            do throws(ParameterSerializer.EncodeError) {
                self = try ParameterEncoder.encodeValue(value) ?? .null
            } catch {
                // The rest of the name already has its brackets.
                let end = error.name.firstIndex(of: "[") ?? error.name.endIndex
                let inner = error.name.isEmpty ? [] : [String(error.name[..<end])]
                let name = Self.name(path + inner) + error.name[end...]
                throw ParameterSerializer.EncodeError(name: name, reason: error.reason)
            }
        default:
            let reason = HTTPParameters.EncodingError.unsupportedType("\(type(of: value))")
            throw ParameterSerializer.EncodeError(name: Self.name(path), reason: reason)
        }
    }

    /// Returns a path in its form in a query: `user[tags][0]`.
    private static func name(_ path: some Collection<String>) -> String {
        (path.first ?? "") + path.dropFirst().map { "[\($0)]" }.joined()
    }
}
#endif

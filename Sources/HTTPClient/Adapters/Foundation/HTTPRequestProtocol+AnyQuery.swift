#if Foundation
extension HTTPRequestProtocol {
    /// Adds values of any type to the query, behind what it has, sorted by name.
    ///
    /// A value is a parameter when it is ``HTTPParameterConvertible``, which text, numbers, `Bool`,
    /// `Date`, `URL` and `UUID` are, an array or a dictionary of such values, or `Encodable`. Any other
    /// makes a request that cannot be sent: sending it throws `.invalidRequest(.parameter(…))` with the
    /// full name of the value and its type.
    ///
    /// A literal is an ``HTTPParameters``, which keeps its order.
    ///
    /// - Parameters:
    ///   - parameters: names and values, such as a dictionary that was read from JSON.
    ///   - style: how arrays, truth values and dates are spelled.
    /// - Returns: a changed copy.
    @_disfavoredOverload
    public func query(
        _ parameters: [String: Any],
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        do throws(ParameterSerializer.EncodeError) {
            return query(try HTTPParameters(any: parameters, []), style: style)
        } catch {
            return changed { $0.recordError(error) }
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
            append(name, try HTTPParameterValue(any: value, path + [name]))
        }
    }
}

extension HTTPParameterValue {
    fileprivate init(any value: Any, _ path: [String]) throws(ParameterSerializer.EncodeError) {
        guard path.count <= ParameterEncoder.maxDepth else {
            let fault = HTTPParameterError.tooDeep(limit: ParameterEncoder.maxDepth)
            throw ParameterSerializer.EncodeError(name: Self.name(path.prefix(3)), reason: fault)
        }
        switch value {
        case let value as any HTTPParameterConvertible: self = value.parameterValue
        case let value as [String: Any]: self = .object(try HTTPParameters(any: value, path))
        case let value as [Any]:
            var elements: [HTTPParameterValue] = []
            for (index, element) in value.enumerated() {
                elements.append(try HTTPParameterValue(any: element, path + ["\(index)"]))
            }
            self = .array(elements)
        case let value as any Encodable:
            do throws(ParameterSerializer.EncodeError) {
                self = try ParameterEncoder.encodeValue(value) ?? .null
            } catch {
                // The rest of the name has its brackets already.
                let end = error.name.firstIndex(of: "[") ?? error.name.endIndex
                let inner = error.name.isEmpty ? [] : [String(error.name[..<end])]
                let name = Self.name(path + inner) + error.name[end...]
                throw ParameterSerializer.EncodeError(name: name, reason: error.reason)
            }
        default:
            let fault = HTTPParameterError.unsupportedType("\(type(of: value))")
            throw ParameterSerializer.EncodeError(name: Self.name(path), reason: fault)
        }
    }

    /// Spells a path as it stands in a query: `user[tags][0]`.
    private static func name(_ path: some Collection<String>) -> String {
        (path.first ?? "") + path.dropFirst().map { "[\($0)]" }.joined()
    }
}
#endif

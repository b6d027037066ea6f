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
        do throws(ParameterText.Failure) {
            return query(try HTTPParameters(any: parameters, []), style: style)
        } catch {
            return changed { $0.refuse(error) }
        }
    }
}

extension HTTPParameters {
    fileprivate init(
        any members: [String: Any],
        _ path: [String]
    ) throws(ParameterText.Failure) {
        self.init()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            append(name, try HTTPParameterValue(any: value, path + [name]))
        }
    }
}

extension HTTPParameterValue {
    fileprivate init(any value: Any, _ path: [String]) throws(ParameterText.Failure) {
        guard path.count <= ParameterEncoder.mostLevels else {
            let fault = HTTPParameterFault.tooDeep(limit: ParameterEncoder.mostLevels)
            throw ParameterText.Failure(name: Self.name(path.prefix(3)), fault: fault)
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
            do throws(ParameterText.Failure) {
                self = try ParameterEncoder.settle(value) ?? .null
            } catch {
                // The rest of the name has its brackets already.
                let end = error.name.firstIndex(of: "[") ?? error.name.endIndex
                let inner = error.name.isEmpty ? [] : [String(error.name[..<end])]
                let name = Self.name(path + inner) + error.name[end...]
                throw ParameterText.Failure(name: name, fault: error.fault)
            }
        default:
            let fault = HTTPParameterFault.unsuitable(type: "\(type(of: value))")
            throw ParameterText.Failure(name: Self.name(path), fault: fault)
        }
    }

    /// Spells a path as it stands in a query: `user[tags][0]`.
    private static func name(_ path: some Collection<String>) -> String {
        (path.first ?? "") + path.dropFirst().map { "[\($0)]" }.joined()
    }
}
#endif

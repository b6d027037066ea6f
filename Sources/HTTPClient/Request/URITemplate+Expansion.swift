internal import Wire

extension URITemplate {
    /// Fills the gaps (RFC 6570 §3).
    ///
    /// Numbers are spelled as Swift prints them, truth values as `true` and `false`, dates as
    /// `2021-08-13T13:55:42Z`. What has no value is left out: a name that is not in `variables`, nil,
    /// an empty list, an empty object.
    ///
    /// - Parameter variables: text, numbers, lists and objects by name. A dictionary has no order, so
    ///   its members are sorted; those of ``HTTPParameters`` stand as they are.
    /// - Returns: a URI or a relative reference, unless the text between the gaps makes it none.
    /// - Throws: `.prefixOfComposite`, `.nestedValue` or `.invalidValue`.
    public func expand(
        _ variables: [String: any HTTPParameterConvertible]
    ) throws(TemplateError) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .literal(let text): result += text
            case .expression(let kind, let wanted):
                var isFirst = true
                for variable in wanted {
                    guard let given = variables[variable.name]?.parameterValue else { continue }
                    let value = try Plain(given, of: variable.name)
                    guard let text = try Self.expansion(of: variable, value, kind) else { continue }
                    result += (isFirst ? kind.first : kind.separator) + text
                    isFirst = false
                }
            }
        }
        return result
    }

    /// A value as the RFC knows values (§2.3); members without a value are gone.
    private enum Plain {
        case undefined
        case text(String)
        case list([String])
        case object([(name: String, value: String)])

        init(_ value: HTTPParameterValue, of variable: String) throws(TemplateError) {
            switch value {
            case .array(let elements):
                var list: [String] = []
                for element in elements {
                    if let text = try Self.text(element, of: variable) { list.append(text) }
                }
                self = list.isEmpty ? .undefined : .list(list)
            case .object(let members):
                var object: [(name: String, value: String)] = []
                for member in members {
                    guard let text = try Self.text(member.value, of: variable) else { continue }
                    object.append((member.name, text))
                }
                self = object.isEmpty ? .undefined : .object(object)
            default:
                let text = try Self.text(value, of: variable)
                self = text.map { .text($0) } ?? .undefined
            }
        }

        private static func text(
            _ value: HTTPParameterValue,
            of variable: String
        ) throws(TemplateError) -> String? {
            do throws(HTTPParameterError) {
                return try ParameterSerializer.scalarText(
                    value,
                    HTTPParameterStyle(bool: .literals)
                )
            } catch .nestedInCommaList {
                throw .nestedValue(variable: variable)
            } catch {
                throw .invalidValue(variable: variable, error)
            }
        }
    }

    /// Expands one variable, without what separates it from others; nil when it has no value.
    private static func expansion(
        of variable: Variable,
        _ value: Plain,
        _ kind: Operator
    ) throws(TemplateError) -> String? {
        let isExploded = variable.modifier == .explode
        switch value {
        case .undefined: return nil
        case .text(let text):
            var text = text
            if case .prefix(let length) = variable.modifier {
                text = prefix(of: text, length, kind)
            }
            return named(variable.name, encoded(text, kind), kind)
        case .list, .object:
            if case .prefix = variable.modifier {
                throw .prefixOfComposite(variable: variable.name)
            }
        }
        switch value {
        case .list(let list) where isExploded:
            return list.map { named(variable.name, encoded($0, kind), kind) }
                .joined(separator: kind.separator)
        case .list(let list):
            let joined = list.map { encoded($0, kind) }.joined(separator: ",")
            return named(variable.name, joined, kind)
        case .object(let members) where isExploded:
            return members.map { member in
                let name = encoded(member.name, kind)
                let value = encoded(member.value, kind)
                return kind.isNamed ? named(name, value, kind) : "\(name)=\(value)"
            }.joined(separator: kind.separator)
        case .object(let members):
            let joined = members.map { "\(encoded($0.name, kind)),\(encoded($0.value, kind))" }
                .joined(separator: ",")
            return named(variable.name, joined, kind)
        case .undefined, .text: return nil
        }
    }

    private static func named(_ name: String, _ value: String, _ kind: Operator) -> String {
        guard kind.isNamed else { return value }
        return value.isEmpty ? name + kind.beforeEmpty : "\(name)=\(value)"
    }

    /// Takes so many characters; a triplet that goes through as it is counts as one (§2.4.1).
    private static func prefix(of text: String, _ length: Int, _ kind: Operator) -> String {
        let scalars = text.unicodeScalars
        var end = scalars.startIndex
        var count = 0
        while end < scalars.endIndex, count < length {
            let isWhole = kind.allowsReserved && isTriplet(scalars[end...])
            end = scalars.index(end, offsetBy: isWhole ? 3 : 1)
            count += 1
        }
        return String(scalars[..<end])
    }

    private static func isTriplet(_ scalars: Substring.UnicodeScalarView) -> Bool {
        let next = Array(scalars.prefix(3))
        return next.count == 3 && next[0] == "%"
            && next[1...].allSatisfy { $0.isASCII && isHexadecimal(UInt8($0.value)) }
    }

    /// Percent-encodes all but unreserved characters, and all but reserved ones and triplets where
    /// the operator lets those through (§3.2.1).
    private static func encoded(_ text: String, _ kind: Operator) -> String {
        guard kind.allowsReserved else { return PercentCoding.encode(text) }
        var result = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if isTriplet(rest) {
                result.unicodeScalars.append(contentsOf: rest.prefix(3))
                rest = rest.dropFirst(3)
                continue
            }
            if isReserved(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += PercentCoding.encode(String(scalar))
            }
            rest = rest.dropFirst()
        }
        return result
    }

    static func isReserved(_ scalar: Unicode.Scalar) -> Bool {
        ":/?#[]@!$&'()*+,;=".unicodeScalars.contains(scalar)
    }
}

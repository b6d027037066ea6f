internal import Wire

/// Gathers the values of variables out of what their expressions expanded to.
struct URITemplateValueExtractor {
    private var found: [String: HTTPParameterValue] = [:]
    private var prefixes: [(name: String, text: String, length: Int)] = []

    /// Takes the values out of one expansion; false when it has none such.
    mutating func take(
        _ bytes: ArraySlice<UInt8>,
        _ kind: URITemplate.Operator,
        _ variables: [URITemplate.Variable]
    ) -> Bool {
        guard !bytes.isEmpty else { return true }
        let content = bytes.dropFirst(kind.first.utf8.count)
        let isExploded = variables.contains { $0.modifier == .explode }
        guard let separator = kind.separator.utf8.first, variables.count > 1 || isExploded else {
            return kind.isNamed
                ? extractNamed([content], variables, kind) : take(content, variables[0], kind)
        }
        let pieces = content.split(separator: separator, omittingEmptySubsequences: false)
        if kind.isNamed { return extractNamed(pieces, variables, kind) }
        return extractPositional(pieces, variables, kind)
    }

    /// All that was found; nil when a prefix contradicts a value.
    func values() -> [String: HTTPParameterValue]? {
        var values = found
        for (name, text, length) in prefixes.sorted(by: { $0.text.count > $1.text.count }) {
            guard let value = values[name] else {
                values[name] = .string(text)
                continue
            }
            guard case .string(let whole) = value,
                whole.unicodeScalars.prefix(length).elementsEqual(text.unicodeScalars)
            else { return nil }
        }
        return values
    }

    // MARK: - Shapes

    /// Takes values that stand for variables by their place; those that are missing are the last.
    private mutating func extractPositional(
        _ pieces: [ArraySlice<UInt8>],
        _ variables: [URITemplate.Variable],
        _ kind: URITemplate.Operator
    ) -> Bool {
        for (place, variable) in variables.enumerated() where place < pieces.count {
            guard variable.modifier == .explode else {
                guard take(pieces[place], variable, kind) else { return false }
                continue
            }
            // It takes all that follows, so another behind it would get nothing.
            return place == variables.count - 1
                && extractMembers(Array(pieces[place...]), variable.name, kind)
        }
        return pieces.count <= variables.count
    }

    private mutating func extractMembers(
        _ pieces: [ArraySlice<UInt8>],
        _ name: String,
        _ kind: URITemplate.Operator
    ) -> Bool {
        var members: [HTTPParameters.Element] = []
        var list: [HTTPParameterValue] = []
        for piece in pieces {
            let (left, right) = Self.split(piece)
            guard let text = text(piece, kind) else { return false }
            list.append(.string(text))
            guard let right, let member = self.text(left, kind), let value = self.text(right, kind)
            else { continue }
            members.append(HTTPParameters.Element(member, .string(value)))
        }
        // An equals sign within a member of a list would be a triplet.
        guard members.isEmpty || members.count == list.count || kind.allowsReserved else {
            return false
        }
        let isObject = members.count == list.count
        return bind(name, isObject ? .object(HTTPParameters(members)) : .array(list))
    }

    /// Takes values that have their names.
    private mutating func extractNamed(
        _ pieces: [ArraySlice<UInt8>],
        _ variables: [URITemplate.Variable],
        _ kind: URITemplate.Operator
    ) -> Bool {
        var lists: [String: [HTTPParameterValue]] = [:]
        var members: [HTTPParameters.Element] = []
        let exploded = variables.filter { $0.modifier == .explode }.map(\.name)
        var seen: Set<String> = []
        for piece in pieces {
            let (left, right) = Self.split(piece)
            let name = String(decoding: left, as: UTF8.self)
            if let variable = variables.first(where: { $0.name == name }) {
                guard variable.modifier == .explode else {
                    guard seen.insert(name).inserted, take(right ?? [], variable, kind) else {
                        return false
                    }
                    continue
                }
                guard let value = text(right ?? [], kind) else { return false }
                lists[name, default: []].append(.string(value))
            } else {
                guard exploded.count == 1, let member = text(left, kind),
                    let value = text(right ?? [], kind)
                else { return false }
                members.append(HTTPParameters.Element(member, .string(value)))
            }
        }
        for (name, list) in lists where !bind(name, .array(list)) { return false }
        guard !members.isEmpty else { return true }
        return bind(exploded[0], .object(HTTPParameters(members)))
    }

    /// Takes one value: a text, or a list with commas.
    private mutating func take(
        _ bytes: ArraySlice<UInt8>,
        _ variable: URITemplate.Variable,
        _ kind: URITemplate.Operator
    ) -> Bool {
        if case .prefix(let length) = variable.modifier {
            guard let text = text(bytes, kind), text.unicodeScalars.count <= length else {
                return false
            }
            prefixes.append((variable.name, text, length))
            return true
        }
        if !kind.allowsReserved, bytes.contains(UInt8(ascii: ",")) {
            var list: [HTTPParameterValue] = []
            let pieces = bytes.split(
                separator: UInt8(ascii: ","),
                omittingEmptySubsequences: false
            )
            for piece in pieces {
                guard let text = text(piece, kind) else { return false }
                list.append(.string(text))
            }
            return bind(variable.name, .array(list))
        }
        guard let text = text(bytes, kind) else { return false }
        return bind(variable.name, .string(text))
    }

    // MARK: - Values

    /// The same variable has the same value everywhere.
    private mutating func bind(_ name: String, _ value: HTTPParameterValue) -> Bool {
        if let before = found[name] { return before == value }
        found[name] = value
        return true
    }

    private static func split(
        _ piece: ArraySlice<UInt8>
    ) -> (left: ArraySlice<UInt8>, right: ArraySlice<UInt8>?) {
        guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { return (piece, nil) }
        return (piece[..<equals], piece[(equals + 1)...])
    }

    /// Decodes triplets; nil when they are no UTF-8.
    private func text(_ bytes: ArraySlice<UInt8>, _ kind: URITemplate.Operator) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        if kind.allowsReserved { return text }
        return String(validating: PercentCoding.decode(text), as: UTF8.self)
    }
}

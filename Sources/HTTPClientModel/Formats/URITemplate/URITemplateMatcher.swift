internal import Wire

extension URITemplate {
    /// Returns the values that expand to a URI: the reverse of ``expand(_:)``.
    ///
    ///     let template = try URITemplate("/users{/id}{?page}")
    ///     template.match("/users/7?page=2")   // ["id": "7", "page": "2"]
    ///
    /// Values are text. A value is a list if its text has commas or a variable with `*` takes several; a
    /// list under `*` whose members are all `name=value` is an object. Values of `{+…}` and `{#…}` keep their
    /// triplets, and all others are decoded. Variables without a value are left out.
    ///
    /// Items of a query may come in any order, but all of them must be in the template. For a variable
    /// with a prefix length, the value is as much of the text as the URI contains.
    ///
    /// - Parameter uri: a URI, a reference, or the target of a request line.
    /// - Returns: nil when the template does not expand to it, or when there is more than one way to read
    ///   it. For example, `{a}{b}` does not define where one value ends and the other starts.
    /// - Complexity: linear in the length of the URI, for any template.
    public func match(_ uri: String) -> [String: HTTPParameters.ParameterValue]? {
        URITemplateMatcher(parts, uri).values()
    }
}

/// A matcher that reads a URI against a template, from its end to its beginning.
///
/// For each part and each byte it counts the ways to read the rest from there: none, one or several.
/// No position is tried twice, and ambiguous matches are detected.
private struct URITemplateMatcher {
    private let parts: [URITemplate.Part]
    private let bytes: [UInt8]
    /// Whether a value may end before the byte at each index; false within a triplet.
    private let isBoundary: [Bool]

    init(_ parts: [URITemplate.Part], _ uri: String) {
        self.parts = parts
        bytes = Self.normalized(uri)
        var isBoundary = [Bool](repeating: true, count: bytes.count + 1)
        var index = 0
        while index < bytes.count {
            guard Self.isTriplet(bytes, index) else {
                index += 1
                continue
            }
            isBoundary[index + 1] = false
            isBoundary[index + 2] = false
            index += 3
        }
        self.isBoundary = isBoundary
    }

    /// Writes triplets in uppercase and percent-encodes non-ASCII bytes, as expansion does.
    private static func normalized(_ text: String) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte < 0x80 {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        for index in bytes.indices where isTriplet(bytes, index) {
            for place in index + 1...index + 2 where bytes[place] >= UInt8(ascii: "a") {
                bytes[place] &= 0xdf
            }
        }
        return bytes
    }

    private static func isTriplet(_ bytes: [UInt8], _ index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count
            && URITemplate.isHexadecimal(bytes[index + 1])
            && URITemplate.isHexadecimal(bytes[index + 2])
    }

    // MARK: - Ends of parts

    func values() -> [String: HTTPParameters.ParameterValue]? {
        var ways = [[UInt8]](repeating: [], count: parts.count + 1)
        ways[parts.count] = [UInt8](repeating: 0, count: bytes.count) + [1]
        for number in parts.indices.reversed() {
            ways[number] = self.ways(of: parts[number], before: ways[number + 1])
        }
        guard ways[0][0] == 1 else { return nil }
        var extractor = URITemplateValueExtractor()
        var start = 0
        for (number, part) in parts.enumerated() {
            switch part {
            case .literal(let text): start += Self.normalized(text).count
            case .expression(let kind, let variables):
                let end = end(of: kind, start, ways[number + 1])
                guard extractor.take(bytes[start..<end], kind, variables) else { return nil }
                start = end
            }
        }
        return extractor.values()
    }

    /// Returns for each byte the number of ways to read the rest from there: 0, 1, or 2 for more.
    private func ways(of part: URITemplate.Part, before next: [UInt8]) -> [UInt8] {
        var ways = [UInt8](repeating: 0, count: bytes.count + 1)
        switch part {
        case .literal(let text):
            let literal = Self.normalized(text)
            guard literal.count <= bytes.count else { return ways }
            for start in 0...bytes.count - literal.count
            where bytes[start...].starts(with: literal) {
                ways[start] = next[start + literal.count]
            }
        case .expression(let kind, let variables):
            let shape = ExpressionShape(kind, variables)
            // The ways to continue from within the expression.
            var inside: UInt8 = 0
            var insideNext: UInt8 = 0
            for index in (0...bytes.count).reversed() {
                let ended = isBoundary[index] ? next[index] : 0
                let continues = index < bytes.count && shape.continues(bytes, index)
                (inside, insideNext) = (min(2, ended + (continues ? inside : 0)), inside)
                if let first = kind.first.utf8.first {
                    let starts = index < bytes.count && shape.starts(bytes, index, with: first)
                    ways[index] = min(2, ended + (starts ? insideNext : 0))
                } else {
                    ways[index] = inside
                }
            }
        }
        return ways
    }

    /// Returns the end of the expression that starts at `start`; exactly one end is possible.
    private func end(of kind: URITemplate.Operator, _ start: Int, _ next: [UInt8]) -> Int {
        if isBoundary[start], next[start] > 0 { return start }
        var index = start + max(kind.first.utf8.count, 1)
        while index < bytes.count {
            if isBoundary[index], next[index] > 0 { return index }
            index += 1
        }
        return bytes.count
    }
}

/// The bytes that an expression can expand to.
private struct ExpressionShape {
    private let kind: URITemplate.Operator
    private let names: [[UInt8]]
    private let separator: UInt8?
    private let hasComma: Bool
    private let hasEquals: Bool
    /// Whether any name is accepted, because an object under `*` has its own names.
    private let takesAnyName: Bool

    init(_ kind: URITemplate.Operator, _ variables: [URITemplate.Variable]) {
        self.kind = kind
        names = variables.map { Array($0.name.utf8) }
        let isExploded = variables.contains { $0.modifier == .explode }
        separator = variables.count > 1 || isExploded ? kind.separator.utf8.first : nil
        hasComma = variables.contains { $0.modifier == .none }
        hasEquals = kind.isNamed || isExploded
        takesAnyName = isExploded
    }

    /// Returns whether the byte is allowed in the expansion, after its first byte.
    func continues(_ bytes: [UInt8], _ index: Int) -> Bool {
        let byte = bytes[index]
        if byte == separator { return !kind.isNamed || hasName(bytes, index + 1) }
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            return true
        case UInt8(ascii: "%"):
            return index + 2 < bytes.count && URITemplate.isHexadecimal(bytes[index + 1])
                && URITemplate.isHexadecimal(bytes[index + 2])
        case UInt8(ascii: ",") where hasComma, UInt8(ascii: "=") where hasEquals: return true
        default:
            return kind.allowsReserved && URITemplate.isReserved(Unicode.Scalar(byte))
        }
    }

    /// Returns whether the expansion can begin at `index`.
    func starts(_ bytes: [UInt8], _ index: Int, with first: UInt8) -> Bool {
        bytes[index] == first && (!kind.isNamed || hasName(bytes, index + 1))
    }

    private func hasName(_ bytes: [UInt8], _ index: Int) -> Bool {
        takesAnyName
            || names.contains { name in
                guard bytes[index...].starts(with: name) else { return false }
                let end = index + name.count
                guard end < bytes.count else { return true }
                let byte = bytes[end]
                return byte == UInt8(ascii: "=")
                    || !(byte == UInt8(ascii: "_") || byte > 0x7f
                        || Character(Unicode.Scalar(byte)).isLetter
                        || Character(Unicode.Scalar(byte)).isNumber)
            }
    }
}

/// An extractor of the values of variables from expanded expressions.
struct URITemplateValueExtractor {
    private var found: [String: HTTPParameters.ParameterValue] = [:]
    private var prefixes: [(name: String, text: String, length: Int)] = []

    /// Extracts the values of one expansion; returns false when the bytes do not match its variables.
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

    /// Returns all values; nil when a prefix contradicts a value.
    func values() -> [String: HTTPParameters.ParameterValue]? {
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

    /// Extracts values by position; only the last variables may be missing.
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
            // It takes all remaining values, so no variable may follow it.
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
        var list: [HTTPParameters.ParameterValue] = []
        for piece in pieces {
            let (left, right) = Self.split(piece)
            guard let text = text(piece, kind) else { return false }
            list.append(.string(text))
            guard let right, let member = self.text(left, kind), let value = self.text(right, kind)
            else { continue }
            members.append(HTTPParameters.Element(member, .string(value)))
        }
        // An equals sign within a member of a list would be percent-encoded.
        guard members.isEmpty || members.count == list.count || kind.allowsReserved else {
            return false
        }
        let isObject = members.count == list.count
        return bind(name, isObject ? .object(HTTPParameters(members)) : .array(list))
    }

    /// Extracts values with names.
    private mutating func extractNamed(
        _ pieces: [ArraySlice<UInt8>],
        _ variables: [URITemplate.Variable],
        _ kind: URITemplate.Operator
    ) -> Bool {
        var lists: [String: [HTTPParameters.ParameterValue]] = [:]
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

    /// Extracts one value: text, or a list with commas.
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
            var list: [HTTPParameters.ParameterValue] = []
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

    /// Binds a value to a variable, which must have the same value everywhere.
    private mutating func bind(_ name: String, _ value: HTTPParameters.ParameterValue) -> Bool {
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

    /// Decodes triplets; returns nil when the result is not UTF-8.
    private func text(_ bytes: ArraySlice<UInt8>, _ kind: URITemplate.Operator) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        if kind.allowsReserved { return text }
        return String(validating: PercentCoding.decode(text), as: UTF8.self)
    }
}

/// Reads one value of `--resolve`: `[+]host:port:address[,address]…`, or `-host:port`.
package struct ResolveRule: Sendable, Hashable {
    /// In lower case, without brackets; `*` stands for every host.
    package let host: String
    /// Decimal.
    package let port: UInt16
    /// Numeric, without brackets; empty when the rule takes an earlier one back.
    package let addresses: [String]

    /// Reads a rule.
    ///
    /// - Parameters:
    ///   - text: the value.
    ///   - isNumeric: says whether a text is an IP address.
    /// - Throws: `.badOptionSyntax`.
    package init(_ text: String, isNumeric: (String) -> Bool) throws(Failure) {
        let failure = Failure(.badOptionSyntax, "Couldn't parse --resolve entry '\(text)'")
        var rest = text[...]
        let isRemoval = rest.first == "-"
        if isRemoval || rest.first == "+" { rest.removeFirst() }
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { throw failure }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            host = Self.lowered(rest[..<end])
            rest = rest[end...]
        }
        guard !host.isEmpty, rest.first == ":" else { throw failure }
        rest.removeFirst()
        let end = rest.firstIndex(of: ":") ?? rest.endIndex
        guard let number = Decimal.value(of: rest[..<end].utf8), let port = UInt16(exactly: number)
        else { throw failure }
        self.port = port
        rest = rest[end...]
        if isRemoval {
            guard rest.isEmpty else { throw failure }
            addresses = []
            return
        }
        guard rest.first == ":" else { throw failure }
        addresses = rest.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("[") && $0.hasSuffix("]") ? $0.dropFirst().dropLast() : $0 }
            .map(String.init)
        guard addresses.allSatisfy(isNumeric) else { throw failure }
    }

    /// Makes the client's table for the origins that will be asked; later rules win, and a rule for
    /// a host wins over one for every host.
    package static func overrides(
        _ rules: [ResolveRule],
        for origins: [(host: String, port: UInt16)]
    ) -> [String: [String]] {
        var table: [String: [String]] = [:]
        for (host, port) in origins {
            let fitting = rules.filter { $0.port == port }
            let rule = fitting.last { $0.host == host } ?? fitting.last { $0.host == "*" }
            if let rule, !rule.addresses.isEmpty { table["\(host):\(port)"] = rule.addresses }
        }
        return table
    }

    private static func lowered(_ text: Substring) -> String {
        String(decoding: text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

package import HTTPClient

/// The parsed value of one `--resolve`: `[+]host:port:address[,address]…`, or `-host:port`.
package struct ResolveRule: Sendable, Hashable {
    /// The host in its normalized form (``Origin/host``); `*` matches every host.
    package let host: String
    /// The port.
    package let port: Int
    /// The addresses; empty when the rule removes an earlier one.
    package let addresses: [IPAddress]

    /// Parses a rule.
    ///
    /// - Parameter text: the value of the option.
    /// - Throws: `.badOptionSyntax`.
    package init(_ text: String) throws(FetchError) {
        let failure = FetchError(.badOptionSyntax, "Couldn't parse --resolve entry '\(text)'")
        var rest = text[...]
        let isRemoval = rest.first == "-"
        if isRemoval || rest.first == "+" { rest.removeFirst() }
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { throw failure }
            host = Self.canonical(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            host = Self.canonical(rest[..<end])
            rest = rest[end...]
        }
        guard !host.isEmpty, rest.first == ":" else { throw failure }
        rest.removeFirst()
        let end = rest.firstIndex(of: ":") ?? rest.endIndex
        guard let port = Decimal.value(of: rest[..<end].utf8), port <= 65_535 else {
            throw failure
        }
        self.port = port
        rest = rest[end...]
        if isRemoval {
            guard rest.isEmpty else { throw failure }
            addresses = []
            return
        }
        guard rest.first == ":" else { throw failure }
        let parts = rest.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
        addresses = parts.compactMap { IPAddress(String($0)) }
        guard addresses.count == parts.count else { throw failure }
    }

    /// Returns the address overrides of the client.
    ///
    /// Later rules take precedence, and a rule for a host takes precedence over one for every host.
    package static func overrides(_ rules: [ResolveRule]) -> [HTTPConnectOptions.AddressOverride] {
        var seen: Set<String> = []
        var own: [HTTPConnectOptions.AddressOverride] = []
        var general: [HTTPConnectOptions.AddressOverride] = []
        for rule in rules.reversed() where seen.insert("\(rule.host):\(rule.port)").inserted {
            guard !rule.addresses.isEmpty else { continue }
            let host = rule.host == "*" ? nil : rule.host
            let entry = HTTPConnectOptions.AddressOverride(
                host: host,
                port: rule.port,
                addresses: rule.addresses
            )
            if host == nil { general.append(entry) } else { own.append(entry) }
        }
        return own + general
    }

    private static func canonical(_ host: Substring) -> String {
        Origin(scheme: .http, host: String(host)).host
    }
}

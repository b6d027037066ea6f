package import HTTPClient

/// Parsing of `--connect-to`: `host:port:to-host:to-port`, where each part may be empty.
package enum ConnectRule {
    /// Parses a rule; an IPv6 address is written in brackets.
    ///
    /// - Throws: `.badOptionSyntax`.
    package static func parse(_ text: String) throws(FetchError) -> HTTPConnectOptions.ConnectToRule
    {
        let failure = FetchError(.badOptionSyntax, "Couldn't parse --connect-to entry '\(text)'")
        let parts = split(text)
        guard parts.count == 4 else { throw failure }
        return HTTPConnectOptions.ConnectToRule(
            fromHost: host(parts[0]),
            fromPort: try port(parts[1], failure),
            toHost: host(parts[2]),
            toPort: try port(parts[3], failure)
        )
    }

    /// Splits text at the colons that are not inside brackets.
    private static func split(_ text: String) -> [String] {
        var parts: [String] = [""]
        var isBracketed = false
        for character in text {
            switch character {
            case "[" where parts[parts.count - 1].isEmpty: isBracketed = true
            case "]" where isBracketed: isBracketed = false
            case ":" where !isBracketed: parts.append("")
            default: parts[parts.count - 1].append(character)
            }
        }
        return isBracketed ? [] : parts
    }

    private static func host(_ part: String) -> String? { part.isEmpty ? nil : part }

    private static func port(_ part: String, _ failure: FetchError) throws(FetchError) -> Int? {
        if part.isEmpty { return nil }
        guard let port = Decimal.value(of: part.utf8), port <= 65_535 else { throw failure }
        return port
    }
}

/// The table of options, which distinguishes options from values as curl does.
///
/// ``FetchCommand`` declares the same options for parsing and help. The table adds how short
/// options are packed, and which of curl's options fetch does not support.
package struct OptionTable: Sendable {
    /// The kind of argument that an option takes.
    package enum Shape: Sendable, Hashable {
        /// No value; `--no-` before the name turns the option off.
        case flag
        /// A value.
        ///
        /// Either the last one counts or all of them do.
        case value
        /// A value for which the exact bytes and the position among the arguments matter.
        case positioned
        /// No value.
        ///
        /// The position of each occurrence among the arguments matters.
        case positionedFlag
        /// An option of curl that fetch does not support.
        ///
        /// The error names it.
        case unsupported
    }

    /// One option.
    package struct Entry: Sendable, Hashable {
        /// The long name, without the dashes.
        package let long: String
        /// The kind of argument that the option takes.
        package let shape: Shape
    }

    private let byLong: [String: Entry]
    private let byShort: [UInt8: Entry]

    /// The options of fetch.
    package static let fetch = OptionTable(supported, unsupported: unsupported)

    private init(_ rows: [(String, Shape)], unsupported: [String]) {
        var long: [String: Entry] = [:]
        var short: [UInt8: Entry] = [:]
        for (names, shape) in rows + unsupported.map({ ($0, Shape.unsupported) }) {
            let parts = names.split(separator: "/")
            guard let name = parts.last else { continue }
            let entry = Entry(long: String(name), shape: shape)
            long[entry.long] = entry
            if parts.count == 2, let letter = parts[0].utf8.first { short[letter] = entry }
        }
        byLong = long
        byShort = short
    }

    /// Returns the option with this long name, given without dashes.
    package func long(_ name: String) -> Entry? { byLong[name] }

    /// Returns the option with this letter.
    package func short(_ letter: UInt8) -> Entry? { byShort[letter] }

    private static let supported: [(String, Shape)] = [
        ("X/request", .value), ("H/header", .positioned), ("A/user-agent", .positioned),
        ("d/data", .positioned), ("data-ascii", .positioned), ("data-raw", .positioned),
        ("data-binary", .positioned), ("json", .positioned), ("data-urlencode", .positioned),
        ("F/form", .positioned), ("form-string", .positioned), ("T/upload-file", .positioned),
        ("e/referer", .positioned), ("r/range", .value), ("z/time-cond", .value),
        ("etag-save", .value), ("etag-compare", .value), ("as-curl", .flag),
        ("show-secrets", .flag),
        ("G/get", .flag), ("I/head", .flag), ("path-as-is", .flag), ("http1.1", .flag),
        ("g/globoff", .flag), ("http2", .flag), ("N/no-buffer", .flag),
        ("i/include", .flag), ("D/dump-header", .value), ("o/output", .positioned),
        ("O/remote-name", .positionedFlag), ("no-remote-name", .positionedFlag),
        ("remote-name-all", .flag),
        ("output-dir", .value), ("create-dirs", .flag), ("C/continue-at", .value),
        ("w/write-out", .value), ("compressed", .flag), ("ignore-content-length", .flag),
        ("resume", .flag), ("sync", .flag), ("segments", .value), ("checksum", .value),
        ("max-filesize", .value), ("limit-rate", .value), ("f/fail", .flag),
        ("fail-with-body", .flag),
        ("k/insecure", .flag), ("cacert", .value), ("capath", .value),
        ("E/cert", .value), ("cert-type", .value), ("key", .value), ("key-type", .value),
        ("pass", .value), ("pinnedpubkey", .value), ("pin-chain", .value), ("1/tlsv1", .flag),
        ("tlsv1.0", .flag), ("tlsv1.1", .flag), ("tlsv1.2", .flag), ("tlsv1.3", .flag),
        ("tls-max", .value), ("ciphers", .value), ("tls13-ciphers", .value), ("curves", .value),
        ("no-sessionid", .flag),
        ("x/proxy", .positioned), ("U/proxy-user", .value), ("proxy-basic", .flag),
        ("proxy-digest", .flag), ("proxy-anyauth", .flag), ("proxy-header", .positioned),
        ("noproxy", .positioned), ("p/proxytunnel", .flag), ("socks5", .value),
        ("socks5-hostname", .value), ("u/user", .value), ("basic", .flag),
        ("m/max-time", .value), ("connect-timeout", .value), ("resolve", .value),
        ("connect-to", .value), ("unix-socket", .value), ("abstract-unix-socket", .value),
        ("interface", .value), ("4/ipv4", .flag), ("6/ipv6", .flag), ("keepalive", .flag),
        ("no-keepalive", .flag), ("keepalive-time", .value), ("address-policy", .value),
        ("y/speed-time", .value), ("Y/speed-limit", .value),
        ("b/cookie", .positioned), ("c/cookie-jar", .value), ("j/junk-session-cookies", .flag),
        ("digest", .flag), ("anyauth", .flag), ("oauth2-bearer", .value), ("n/netrc", .flag),
        ("netrc-file", .value), ("netrc-optional", .flag),
        ("L/location", .flag), ("location-trusted", .flag), ("max-redirs", .value),
        ("post301", .flag), ("post302", .flag), ("post303", .flag),
        ("retry", .value), ("retry-delay", .value), ("retry-max-time", .value),
        ("retry-all-errors", .flag), ("retry-connrefused", .flag),
        ("s/silent", .flag), ("S/show-error", .flag), ("v/verbose", .flag),
        ("#/progress-bar", .flag), ("progress-meter", .flag), ("no-progress-meter", .flag),
        ("trace", .value), ("trace-ascii", .value), ("timeline", .flag), ("timeline-json", .value),
        ("har", .value), ("sse", .flag), ("lines", .flag),
        ("cache", .value), ("cache-mode", .value),
        ("strict", .flag), ("lenient", .flag), ("forensic", .flag),
        ("h/help", .flag), ("V/version", .flag),
    ]

    private static let unsupported = [
        "0/http1.0", "request-target",
        "expect100-timeout", "J/remote-header-name", "raw", "fail-early",
        "proxy-ntlm",
        "proxy-negotiate", "proxy1.0", "socks4", "socks4a", "preproxy",
        "K/config", "q/disable", ":/next", "Z/parallel", "parallel-max",
    ]
}

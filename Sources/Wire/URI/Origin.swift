/// The scheme, host and port of a server (RFC 9110 §4.3.1).
///
/// The origin is the key of the connection pool and the scope of credentials.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme of an origin.
    public enum Scheme: String, Hashable, Sendable {
        /// HTTP without TLS; the default port is 80.
        case http
        /// HTTP over TLS; the default port is 443.
        case https

        /// The port that the scheme implies.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host in lower case; an address is spelled in the usual way, without brackets.
    public let host: String
    /// The explicit port, or the default port of the scheme.
    public let port: Int
    /// The value of the Host field: without the default port, and with brackets around an IPv6 address.
    public let authority: String

    /// Creates an origin with a normalized host.
    ///
    /// Brackets around the host are removed, ASCII letters become lower case, and an IPv6 address is
    /// spelled as in RFC 5952. An IPv4 address gets four decimal numbers: `0x7f.1` becomes `127.0.0.1`, as in
    /// the URL Standard. With the package trait `IDN`, an international name becomes its `xn--` form.
    ///
    /// The host is not checked. Parse a ``URI`` if it must be.
    ///
    /// - Parameters:
    ///   - scheme: http or https.
    ///   - host: a name or an address.
    ///   - port: nil for the default port of the scheme.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.init(scheme: scheme, canonicalHost: CanonicalHost.text(host), port: port)
    }

    /// Creates an origin whose host is already normalized.
    init(scheme: Scheme, canonicalHost plain: String, port: Int?) {
        self.scheme = scheme
        self.host = plain
        self.port = port ?? scheme.defaultPort
        let shown = ByteClass.contains(Byte.colon, in: plain) ? "[" + plain + "]" : plain
        // Concatenated, because interpolation takes five times as long.
        authority = self.port == scheme.defaultPort ? shown : shown + ":" + String(self.port)
    }

    /// Whether the port is the default port of the scheme.
    public var isDefaultPort: Bool { port == scheme.defaultPort }

    /// Compares scheme, host and port.
    public static func == (left: Origin, right: Origin) -> Bool {
        left.port == right.port && left.scheme == right.scheme && left.host == right.host
    }

    /// Hashes scheme, host and port.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(host)
        hasher.combine(port)
    }

    /// The origin as a URI without a path.
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}

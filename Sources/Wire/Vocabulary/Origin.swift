/// Names who answers for a resource: scheme, host and port (RFC 9110 §4.3.1).
///
/// It is the key of the connection pool and the scope of credentials.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// The two schemes there are.
    public enum Scheme: String, Hashable, Sendable {
        /// Without TLS; port 80 unless said otherwise.
        case http
        /// With TLS; port 443 unless said otherwise.
        case https

        /// The port that goes without saying.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host, ASCII letters in lower case, an IPv6 address without brackets and as RFC 5952 writes it.
    public let host: String
    /// The port, said or default.
    public let port: Int
    /// The value of the Host field: the port left out when it is the default, an IPv6 address in brackets.
    public let authority: String

    /// Creates an origin; brackets around the host are dropped, its letters lowered, and an IPv6 address
    /// gets the one spelling of RFC 5952.
    ///
    /// With the package trait `IDN`, an international name gets its `xn--` form.
    ///
    /// The host is not checked: parse a ``URI`` to have that done.
    ///
    /// - Parameters:
    ///   - scheme: http or https.
    ///   - host: a name or an address.
    ///   - port: nil stands for the scheme's own.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.init(scheme: scheme, canonicalHost: CanonicalHost.text(host), port: port)
    }

    /// Creates an origin of a host in its one spelling.
    init(scheme: Scheme, canonicalHost plain: String, port: Int?) {
        self.scheme = scheme
        self.host = plain
        self.port = port ?? scheme.defaultPort
        let shown = ByteClass.contains(Byte.colon, in: plain) ? "[" + plain + "]" : plain
        // Put together, for interpolation takes five times as long.
        authority = self.port == scheme.defaultPort ? shown : shown + ":" + String(self.port)
    }

    /// Says whether the port is the scheme's own.
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

    /// Spells the origin as a URI without path.
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}

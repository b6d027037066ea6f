internal import SocketTransport

/// Describes a proxy: how it is spoken to, where it is and who asks.
///
///     var proxy = try HTTPProxy("http://proxy.example:3128")
///     proxy.credentials = HTTPCredentials(user: "ada", password: "secret")
///
/// Through an HTTP proxy requests for http URLs are forwarded (RFC 9112 §3.2.2), and those for
/// https URLs go through a tunnel made with CONNECT (RFC 9110 §9.3.6), so that the proxy sees
/// neither the request nor the response. Through a SOCKS5 proxy (RFC 1928) everything is a tunnel.
public struct HTTPProxy: Sendable, Hashable {
    /// Names what is spoken with a proxy.
    @nonexhaustive public enum Scheme: String, Sendable, Hashable {
        /// HTTP/1.1 without TLS.
        case http
        /// SOCKS version 5; this machine resolves the origin's name and sends its address.
        case socks5
        /// SOCKS version 5; the proxy gets the origin's name and resolves it.
        case socks5h
    }

    /// Says how an HTTP proxy is told who asks.
    public enum Authentication: Sendable, Hashable {
        /// Waits for the proxy's challenge, answers with Digest rather than Basic, and from then on
        /// without being asked.
        case automatic
        /// Sends the password with the first request, for everybody on the way to read (RFC 7617).
        case basic
        /// Answers Digest challenges alone, so that the password itself is never sent (RFC 7616).
        case digest
    }

    /// Says which requests an HTTP proxy carries in tunnels.
    public enum Tunneling: Sendable, Hashable {
        /// Those that are secured; others are forwarded.
        case forHTTPS
        /// All.
        case always
    }

    /// What is spoken with it.
    public let scheme: Scheme

    /// A name or an address, an IPv6 address without brackets.
    public let host: String

    /// Where it listens.
    public let port: Int

    /// Who asks; for SOCKS5 name and password have at most 255 bytes each (RFC 1929).
    ///
    /// Default none. They are sent to the proxy, never to an origin.
    public var credentials: HTTPCredentials?

    /// How an HTTP proxy is told who asks; SOCKS5 has a way of its own.
    ///
    /// Default `.automatic`: a password goes out only when it is asked for.
    public var authentication: Authentication

    /// Fields for an HTTP proxy alone: of CONNECT, and besides those of a forwarded request.
    ///
    /// Default none. CONNECT has the request's User-Agent by itself; a field of the same name here goes
    /// before it. Content-Length, Transfer-Encoding, Host, Connection, Upgrade, TE and Trailer are refused
    /// when a request is sent: `.invalidRequest(.framingField(…))`.
    public var headers: HTTPHeaders

    /// Which requests an HTTP proxy carries in tunnels.
    ///
    /// Default `.forHTTPS`: many proxies allow tunnels to port 443 only.
    public var tunneling: Tunneling

    /// The port of a proxy URL that names none: the one of SOCKS, and curl's for HTTP proxies.
    public static let defaultPort = 1080

    /// Makes a proxy of its parts.
    ///
    /// - Parameters:
    ///   - scheme: what is spoken with it.
    ///   - host: a name or an address; brackets around an IPv6 address are dropped.
    ///   - port: default 1080. A request through a proxy whose port is not in 1...65535 throws
    ///     `.invalidRequest(.proxy(.port(…)))`.
    ///   - credentials: default none.
    public init(
        scheme: Scheme,
        host: String,
        port: Int = HTTPProxy.defaultPort,
        credentials: HTTPCredentials? = nil
    ) {
        self.scheme = scheme
        self.host = Origin(scheme: .http, host: host, port: port).host
        self.port = port
        self.credentials = credentials
        authentication = .automatic
        headers = [:]
        tunneling = .forHTTPS
    }

    /// Reads a URL such as `http://user:password@proxy.example:3128`.
    ///
    /// Without a scheme it is an HTTP proxy. Name and password are percent-decoded. A path is
    /// ignored, as it has no meaning.
    ///
    /// - Throws: `.unsupportedScheme` for anything but http, socks5 and socks5h; `.malformed` for
    ///   what is no URL or names no host.
    public init(_ url: String) throws(HTTPProxyError) {
        let uri: URI
        do {
            uri = try URI(encoding: url.hasSubstring("://") ? url : "http://" + url)
        } catch {
            throw .malformed(error)
        }
        guard let scheme = Scheme(rawValue: uri.scheme ?? "") else {
            throw .unsupportedScheme(uri.scheme ?? "")
        }
        guard let host = uri.host, !host.isEmpty, uri.port != 0 else { throw .malformed(nil) }
        self.init(
            scheme: scheme,
            host: host,
            port: uri.port ?? Self.defaultPort,
            credentials: uri.userinfo.map { Self.credentials($0) }
        )
    }

    /// The two parts are told apart before they are decoded: either may hold a colon then.
    private static func credentials(_ userinfo: String) -> HTTPCredentials {
        let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPCredentials(
            user: PercentCoding.decode(String(parts[0])),
            password: parts.count > 1 ? PercentCoding.decode(String(parts[1])) : []
        )
    }
}

extension HTTPProxy: CustomStringConvertible {
    /// The URL without credentials.
    public var description: String {
        "\(scheme.rawValue)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
    }
}

/// Says what is wrong with the URL of a proxy.
@nonexhaustive public enum HTTPProxyError: Error, Sendable, Hashable {
    /// The scheme is none that this client speaks with proxies.
    case unsupportedScheme(String)
    /// The text is no URL, where the error says why, or it names no host.
    case malformed(WireError?)
    /// The port is not in 1...65535.
    case port(Int)
}

extension HTTPProxyError: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .unsupportedScheme(let scheme):
            "the scheme \"\(scheme)\" of the proxy is neither http nor socks5 nor socks5h"
        case .malformed(let error?): "the proxy's URL cannot be read: \(error.message)"
        case .malformed(nil): "the proxy's URL names no host"
        case .port(let port): "the proxy's port \(port) is not in 1...65535"
        }
    }
}

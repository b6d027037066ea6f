internal import SocketTransport
internal import Wire

/// A proxy: its protocol, address and credentials.
///
///     var proxy = try HTTPProxy("http://proxy.example:3128")
///     proxy.credentials = HTTPCredentials(user: "ada", password: "secret")
///
/// An HTTP proxy forwards requests for http URLs (RFC 9112 §3.2.2). Requests for https URLs go through
/// a CONNECT tunnel (RFC 9110 §9.3.6), in which the proxy sees neither request nor response. A SOCKS5
/// proxy (RFC 1928) tunnels all connections.
public struct HTTPProxy: Sendable, Hashable {
    /// The protocol between the client and a proxy.
    @nonexhaustive public enum Scheme: String, Sendable, Hashable {
        /// HTTP/1.1 without TLS.
        case http
        /// SOCKS version 5; the client resolves the origin's name and sends the proxy an address.
        case socks5
        /// SOCKS version 5; the client sends the proxy the origin's name, and the proxy resolves it.
        case socks5h
    }

    /// The requests that an HTTP proxy carries in tunnels.
    public enum Tunneling: Sendable, Hashable {
        /// Tunnels https requests and forwards http requests.
        case forHTTPS
        /// Tunnels all requests.
        case always
    }

    /// The protocol between the client and the proxy.
    public let scheme: Scheme

    /// The name or address of the proxy; an IPv6 address has no brackets.
    public let host: String

    /// The port of the proxy.
    public let port: Int

    /// The credentials for the proxy, which are never sent to an origin.
    ///
    /// Default none. For SOCKS5, name and password have at most 255 bytes each (RFC 1929).
    public var credentials: HTTPCredentials?

    /// The way in which the client authenticates to an HTTP proxy; SOCKS5 has its own mechanism.
    ///
    /// Default `.any`: the first request waits for the proxy's challenge, and later requests have the credentials at
    /// once. With `.basic`, the first request has them too.
    public var authentication: HTTPAuthentication.Policy

    /// Header fields for an HTTP proxy: sent with CONNECT, and added to forwarded requests.
    ///
    /// Default none. CONNECT includes the request's User-Agent, which a field of that name here overrides.
    /// Content-Length, Transfer-Encoding, Host, Connection, Upgrade, TE and Trailer are not allowed: requests
    /// fail with `.invalidRequest(.framingField(…))`.
    public var headers: HTTPHeaders

    /// The requests that an HTTP proxy carries in tunnels.
    ///
    /// Default `.forHTTPS`, because many proxies allow tunnels only to port 443.
    public var tunneling: Tunneling

    /// The port of a proxy URL without a port: 1080, the SOCKS port, which curl also uses for HTTP proxies.
    public static let defaultPort = 1080

    /// Creates a proxy from its parts.
    ///
    /// - Parameters:
    ///   - scheme: the protocol of the proxy.
    ///   - host: a name or an address; brackets around an IPv6 address are removed.
    ///   - port: default 1080. If the port is outside 1...65535, requests through the proxy fail with
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
        authentication = .any
        headers = [:]
        tunneling = .forHTTPS
    }

    /// Creates a proxy from a URL such as `http://user:password@proxy.example:3128`.
    ///
    /// Without a scheme, the URL is that of an HTTP proxy. Name and password are percent-decoded. A path
    /// has no meaning and is ignored.
    ///
    /// - Throws: `.invalidRequest(.proxy(reason))` with `.unsupportedScheme` for a scheme other than http, socks5 and
    ///   socks5h, or `.malformed` for text that is not a URL or has no host.
    public init(_ url: String) throws(HTTPError) {
        do throws(ConfigurationError) {
            try self.init(parsing: url)
        } catch {
            throw HTTPError(invalid: .proxy(error))
        }
    }

    /// Creates a proxy from a URL as the public initializer does, with the reason as the error.
    package init(parsing url: String) throws(ConfigurationError) {
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

    /// Splits user information at the colon, then decodes both parts, which may contain encoded colons.
    private static func credentials(_ userinfo: String) -> HTTPCredentials {
        let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPCredentials(
            user: PercentCoding.decode(String(parts[0])),
            password: parts.count > 1 ? PercentCoding.decode(String(parts[1])) : []
        )
    }
}

extension HTTPProxy: CustomStringConvertible, CustomReflectable {
    /// The URL without credentials.
    public var description: String {
        let host = LogText.line(host)
        return
            "\(scheme.rawValue)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
    }

    /// Only ``description``, to keep the credentials out of logs.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

extension HTTPProxy {
    /// The reason why a proxy or its URL is invalid.
    @nonexhaustive public enum ConfigurationError: Error, Sendable, Hashable {
        /// The client does not support the scheme for proxies.
        case unsupportedScheme(String)
        /// The text is not a URL, with the parsing error, or it has no host, with nil.
        case malformed(WireError?)
        /// The port is outside 1...65535.
        case port(Int)
    }
}

extension HTTPProxy.ConfigurationError: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .unsupportedScheme(let scheme):
            "the scheme \"\(scheme)\" of the proxy is neither http nor socks5 nor socks5h"
        case .malformed(let error?): "the proxy's URL is invalid: \(error)"
        case .malformed(nil): "the proxy's URL has no host"
        case .port(let port): "the proxy's port \(port) is not in 1...65535"
        }
    }
}

extension HTTPProxy {
    /// The choice of a proxy for each request.
    ///
    ///     configuration.proxy = .url("http://proxy.example:3128", except: "localhost, .corp.example")
    ///
    /// A proxy that the program sets also carries requests to loopback addresses and `localhost`, unless the
    /// exceptions list them. A proxy of the environment never does (``environment``).
    @nonexhaustive public enum Setting: Sendable {
        /// The environment variables at the time when the client, or the setting of a request, is created.
        ///
        /// `http_proxy` is the proxy for http URLs and `https_proxy` the one for https URLs. `all_proxy` is the
        /// fallback for both. `no_proxy` lists the ``HTTPProxy/Exceptions``. Lower case takes precedence over
        /// upper case. `HTTP_PROXY` is ignored: in CGI scripts, it contains the Proxy field of a request, which
        /// anyone on the network can set.
        ///
        /// Requests to `localhost`, names below it, 127.0.0.0/8 and `::1` never use these proxies: a proxy on
        /// another machine cannot reach them. curl and wget do send them to the proxy.
        case environment
        /// No proxy, whatever the environment contains.
        case direct
        /// This proxy, except for the listed hosts.
        case proxy(HTTPProxy, except: Exceptions = "")
        /// The proxy with this URL, parsed as ``HTTPProxy/init(_:)`` does, except for the listed hosts.
        ///
        /// If the URL is invalid, each request fails with `.invalidRequest(.proxy)`.
        case url(String, except: Exceptions = "")
        /// The proxy that the closure returns for an origin, or no proxy if it returns nil.
        ///
        /// The client calls the closure for each request, on the calling thread, so it must be fast.
        case custom(@Sendable (Origin) -> HTTPProxy?)
    }
}

extension HTTPProxy.Setting: CustomStringConvertible, CustomReflectable {
    /// The kind of setting, and the proxy without credentials.
    public var description: String {
        switch self {
        case .environment: "environment"
        case .direct: "direct"
        case .proxy(let proxy, _): "proxy \(proxy)"
        case .url(let text, _): "url \(LogText.url(text))"
        case .custom: "custom"
        }
    }

    /// Only ``description``, to keep the credentials out of logs.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

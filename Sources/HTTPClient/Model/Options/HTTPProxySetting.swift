/// The choice of a proxy for each request.
///
///     configuration.proxy = .url("http://proxy.example:3128", except: "localhost, .corp.example")
///
/// As in curl, loopback addresses and `localhost` are not excluded by default. Requests to them use the
/// proxy too, unless the exceptions list them.
@nonexhaustive public enum HTTPProxySetting: Sendable {
    /// The environment variables at the time when the client, or the setting of a request, is created.
    ///
    /// `http_proxy` is the proxy for http URLs and `https_proxy` the one for https URLs. `all_proxy` is the
    /// fallback for both. `no_proxy` lists the ``HTTPProxyExceptions``. Lower case takes precedence over
    /// upper case. `HTTP_PROXY` is ignored: in CGI scripts, it contains the Proxy field of a request, which
    /// anyone on the network can set.
    case environment
    /// No proxy, whatever the environment contains.
    case direct
    /// This proxy, except for the listed hosts.
    case proxy(HTTPProxy, except: HTTPProxyExceptions = "")
    /// The proxy with this URL, parsed as ``HTTPProxy/init(_:)`` does, except for the listed hosts.
    ///
    /// If the URL is invalid, each request fails with `.invalidRequest(.proxy)`.
    case url(String, except: HTTPProxyExceptions = "")
    /// The proxy that the closure returns for an origin, or no proxy if it returns nil.
    ///
    /// The client calls the closure for each request, on the calling thread, so it must be fast.
    case custom(@Sendable (Origin) -> HTTPProxy?)
}

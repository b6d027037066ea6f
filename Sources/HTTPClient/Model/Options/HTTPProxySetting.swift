/// Says which proxy is used for whom.
///
///     configuration.proxy = .url("http://proxy.example:3128", except: "localhost, .corp.example")
///
/// Loopback addresses and `localhost` are no exception by themselves, here as in curl: a proxy that
/// is set is used for them too, unless the exceptions name them.
@nonexhaustive public enum HTTPProxySetting: Sendable {
    /// What the environment says when the client, or the setting of a request, is made.
    ///
    /// `http_proxy` holds the proxy for http URLs, `https_proxy` the one for https URLs, `all_proxy`
    /// the one for both where there is no other, and `no_proxy` the ``HTTPProxyExceptions``. Lower case
    /// goes before upper case; `HTTP_PROXY` is not read, as a web server's scripts find there what
    /// anybody on the network puts into the field Proxy.
    case environment
    /// No proxy at all, whatever the environment says.
    case direct
    /// This proxy, but not for those who are named.
    case proxy(HTTPProxy, except: HTTPProxyExceptions = "")
    /// The proxy of this URL, as ``HTTPProxy/init(_:)`` reads it, but not for those who are named.
    ///
    /// A fault of the URL is said by each request: `.invalidRequest(.proxy)`.
    case url(String, except: HTTPProxyExceptions = "")
    /// Whichever proxy the closure gives for an origin, nil for none.
    ///
    /// It is called for each request, by the thread that makes it, so it must be quick.
    case custom(@Sendable (Origin) -> HTTPProxy?)
}

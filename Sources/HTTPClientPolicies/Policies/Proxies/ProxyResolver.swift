internal import SocketTransport

/// The routes through the proxies that a client has used; a route remembers how to authenticate.
///
/// The clients of one pool share them.
package final class ProxyRoutes: Sendable {
    private let known = Locked<[HTTPProxy: ProxyRoute]>([:])
    /// The maximum number of routes, because a closure may return another user each time.
    private static let maxKnown = 64

    package init() {}

    /// Returns the route through a proxy.
    func route(through proxy: HTTPProxy) -> ProxyRoute {
        known.withLock { known in
            if let route = known[proxy] { return route }
            if known.count == Self.maxKnown { known.removeAll() }
            let route = ProxyRoute(proxy)
            known[proxy] = route
            return route
        }
    }
}

/// An ``HTTPProxy/Setting`` with everything computed that does not depend on the request.
package final class ProxyResolver: Sendable {
    private let content: Content
    private let routes: ProxyRoutes

    private enum Content: Sendable {
        case direct
        case one(Result<ProxyRoute, HTTPProxy.ConfigurationError>, except: HTTPProxy.Exceptions)
        case bySchemes(
            http: Result<ProxyRoute, HTTPProxy.ConfigurationError>?,
            https: Result<ProxyRoute, HTTPProxy.ConfigurationError>?,
            except: HTTPProxy.Exceptions
        )
        case custom(@Sendable (Origin) -> HTTPProxy?)
    }

    /// Resolves a setting; reads the environment if the setting requires it.
    package init(_ setting: HTTPProxy.Setting, _ routes: ProxyRoutes) {
        self.routes = routes
        switch setting {
        case .direct: content = .direct
        case .environment:
            let rules = ProxyEnvironment { Environment.variable($0) }
            guard rules.http != nil || rules.https != nil else {
                content = .direct
                return
            }
            content = .bySchemes(
                http: rules.http?.map { routes.route(through: $0) },
                https: rules.https?.map { routes.route(through: $0) },
                except: rules.exceptions
            )
        case .proxy(let proxy, let exceptions):
            content = .one(.success(routes.route(through: proxy)), except: exceptions)
        case .url(let text, let exceptions):
            let proxy = Result { () throws(HTTPProxy.ConfigurationError) in
                try HTTPProxy(parsing: text)
            }
            content = .one(proxy.map { routes.route(through: $0) }, except: exceptions)
        case .custom(let choose): content = .custom(choose)
        }
    }

    /// Whether the client connects directly to every origin.
    package var isDirect: Bool {
        if case .direct = content { true } else { false }
    }

    /// Returns the route to an origin; nil for a direct connection.
    package func route(to origin: Origin) throws(HTTPProxy.ConfigurationError) -> ProxyRoute? {
        switch content {
        case .direct: return nil
        case .one(let route, let exceptions):
            return exceptions.contains(origin) ? nil : try route.get()
        case .bySchemes(let http, let https, let exceptions):
            guard let route = origin.scheme == .http ? http : https, !exceptions.contains(origin)
            else { return nil }
            return try route.get()
        case .custom(let choose): return choose(origin).map { routes.route(through: $0) }
        }
    }
}

/// The proxies that the environment defines, by the rules of curl, except that loopback hosts are exempt.
///
/// The type is pure: the caller passes the variables. Lowercase names take precedence over uppercase
/// names, and an empty variable counts as none. `HTTP_PROXY` in uppercase is not read: web servers pass
/// the `Proxy` field of incoming requests to their scripts under that name (CVE-2016-5385).
///
/// A proxy on another machine cannot reach the loopback hosts of this one (RFC 6761 §6.3), and a test with a
/// server on loopback must not depend on the environment.
package struct ProxyEnvironment: Sendable {
    /// The proxy for http URLs; nil for a direct connection.
    package let http: Result<HTTPProxy, HTTPProxy.ConfigurationError>?
    /// The proxy for https URLs; nil for a direct connection.
    package let https: Result<HTTPProxy, HTTPProxy.ConfigurationError>?
    /// The origins to which the client connects directly: loopback hosts and those of `no_proxy`.
    package let exceptions: HTTPProxy.Exceptions

    private static let loopbackHosts = "localhost,127.0.0.0/8,::1"

    /// Reads the variables; `variable` returns the value of one, nil when it is not set.
    package init(_ variable: (String) -> String?) {
        func value(_ names: String...) -> String? {
            for name in names {
                if let text = variable(name), !text.isEmpty { return text }
            }
            return nil
        }
        func proxy(_ text: String?) -> Result<HTTPProxy, HTTPProxy.ConfigurationError>? {
            guard let text else { return nil }
            return Result { () throws(HTTPProxy.ConfigurationError) in try HTTPProxy(parsing: text)
            }
        }
        let all = value("all_proxy", "ALL_PROXY")
        http = proxy(value("http_proxy") ?? all)
        https = proxy(value("https_proxy", "HTTPS_PROXY") ?? all)
        let listed = value("no_proxy", "NO_PROXY") ?? ""
        exceptions = HTTPProxy.Exceptions(Self.loopbackHosts + "," + listed)
    }

    /// Returns the proxy for an origin; nil for a direct connection.
    package func proxy(for origin: Origin) throws(HTTPProxy.ConfigurationError) -> HTTPProxy? {
        guard let proxy = origin.scheme == .http ? http : https, !exceptions.contains(origin) else {
            return nil
        }
        return try proxy.get()
    }
}

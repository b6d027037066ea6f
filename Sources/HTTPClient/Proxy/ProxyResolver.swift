internal import SocketTransport

/// Holds a ``HTTPProxySetting`` with everything settled that does not depend on the request.
final class ProxyResolver: Sendable {
    let setting: HTTPProxySetting
    private let content: Content

    private enum Content: Sendable {
        case direct
        case one(Result<ProxyRoute, HTTPProxyError>, except: HTTPProxyExceptions)
        case bySchemes(
            http: Result<ProxyRoute, HTTPProxyError>?,
            https: Result<ProxyRoute, HTTPProxyError>?,
            except: HTTPProxyExceptions
        )
        case custom(@Sendable (Origin) -> HTTPProxy?)
    }

    /// What a closure gave before: a route remembers how its proxy wants to be told who asks.
    private let known = Locked<[HTTPProxy: ProxyRoute]>([:])
    /// A closure may give another user each time.
    private static let maxKnown = 64

    /// Settles a setting; reads the environment if it says so.
    init(_ setting: HTTPProxySetting) {
        self.setting = setting
        switch setting {
        case .direct: content = .direct
        case .environment:
            let rules = ProxyEnvironment { Environment.variable($0) }
            guard rules.http != nil || rules.https != nil else {
                content = .direct
                return
            }
            content = .bySchemes(
                http: rules.http?.map { ProxyRoute($0) },
                https: rules.https?.map { ProxyRoute($0) },
                except: rules.exceptions
            )
        case .proxy(let proxy, let exceptions):
            content = .one(.success(ProxyRoute(proxy)), except: exceptions)
        case .url(let text, let exceptions):
            let proxy = Result { () throws(HTTPProxyError) in try HTTPProxy(text) }
            content = .one(proxy.map { ProxyRoute($0) }, except: exceptions)
        case .custom(let choose): content = .custom(choose)
        }
    }

    /// Whether every origin is asked directly.
    var isDirect: Bool {
        if case .direct = content { true } else { false }
    }

    /// Finds the way to an origin; nil when it is asked directly.
    func route(to origin: Origin) throws(HTTPProxyError) -> ProxyRoute? {
        switch content {
        case .direct: return nil
        case .one(let route, let exceptions):
            return exceptions.contains(origin) ? nil : try route.get()
        case .bySchemes(let http, let https, let exceptions):
            guard let route = origin.scheme == .http ? http : https, !exceptions.contains(origin)
            else { return nil }
            return try route.get()
        case .custom(let choose): return choose(origin).map { known($0) }
        }
    }

    private func known(_ proxy: HTTPProxy) -> ProxyRoute {
        known.withLock { known in
            if let route = known[proxy] { return route }
            if known.count == Self.maxKnown { known.removeAll() }
            let route = ProxyRoute(proxy)
            known[proxy] = route
            return route
        }
    }
}

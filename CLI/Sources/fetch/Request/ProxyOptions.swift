package import HTTPClient

/// The proxy options, and the hosts that they apply to.
///
/// Without an option the environment decides, as in curl. An empty `--proxy` disables the proxy.
package struct ProxyOptions: Sendable {
    /// The value of `-x`, `--socks5` or `--socks5-hostname`, with a scheme; nil when not given.
    package var proxy: String?
    /// The value of `-U`, which takes precedence over credentials in the URL.
    package var user: String?
    /// How the client authenticates to an HTTP proxy.
    package var authentication = HTTPAuthentication.Policy.basic
    /// The values of `--proxy-header`.
    package var lines: [HeaderLine] = []
    /// The value of `--noproxy`; nil uses the environment.
    package var exceptions: String?
    /// Whether `-p` was given.
    package var tunnelsEverything = false

    package init() {}

    /// Creates the proxy setting of the client.
    ///
    /// - Parameter variable: returns an environment variable.
    /// - Returns: the setting, which no longer depends on the environment.
    /// - Throws: a failure for a proxy that cannot be used; `.badUsage` for header lines that
    ///   cannot be sent.
    package func setting(_ variable: (String) -> String?) throws(FetchError) -> HTTPProxy.Setting {
        let fields = try fields
        if let proxy {
            guard !proxy.isEmpty else { return .direct }
            let chosen = try configuredProxy(proxy, fields)
            let list = exceptions ?? Self.first(["no_proxy", "NO_PROXY"], variable) ?? ""
            return .proxy(chosen, except: HTTPProxy.Exceptions(list))
        }
        let all = Self.first(["all_proxy", "ALL_PROXY"], variable)
        let http = try (Self.first(["http_proxy"], variable) ?? all)
            .map { text throws(FetchError) in try configuredProxy(text, fields) }
        let https = try (Self.first(["https_proxy", "HTTPS_PROXY"], variable) ?? all)
            .map { text throws(FetchError) in try configuredProxy(text, fields) }
        guard http != nil || https != nil else { return .direct }
        let list = exceptions ?? Self.first(["no_proxy", "NO_PROXY"], variable) ?? ""
        let excepted = HTTPProxy.Exceptions(list)
        return .custom { origin in
            guard let proxy = origin.scheme == .http ? http : https, !excepted.contains(origin)
            else { return nil }
            return proxy
        }
    }

    /// Parses a proxy's URL and applies the other options.
    private func configuredProxy(
        _ text: String,
        _ fields: HTTPHeaders
    ) throws(FetchError) -> HTTPProxy {
        var proxy: HTTPProxy
        do throws(HTTPError) {
            proxy = try HTTPProxy(text)
        } catch {
            throw FetchError(ExitCode(error), "\(error)")
        }
        if let user {
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            proxy.credentials = HTTPCredentials(
                user: String(parts[0]),
                password: parts.count > 1 ? String(parts[1]) : ""
            )
        }
        proxy.authentication = authentication
        proxy.headers = fields
        if tunnelsEverything { proxy.tunneling = .always }
        return proxy
    }

    private var fields: HTTPHeaders {
        get throws(FetchError) {
            var fields = HTTPHeaders()
            for line in lines {
                guard case .field(let text, let value) = line else { continue }
                let name = FieldName(text)
                guard name.isToken else { throw .usage("\"\(text)\" is not a header name") }
                fields.append(name, bytes: value)
            }
            return fields
        }
    }

    private static func first(_ names: [String], _ variable: (String) -> String?) -> String? {
        for name in names {
            if let text = variable(name), !text.isEmpty { return text }
        }
        return nil
    }
}

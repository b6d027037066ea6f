/// Reads from the environment which proxy is for whom, as curl does.
///
/// Pure: the variables come as an argument. Lower case goes before upper case, and an empty
/// variable counts as none. `HTTP_PROXY` in upper case is not read: a web server hands the field
/// `Proxy` of whoever asks it to its scripts under that name (CVE-2016-5385).
package struct ProxyEnvironment: Sendable {
    /// For http URLs; nil asks directly.
    package let http: Result<HTTPProxy, HTTPProxyError>?
    /// For https URLs; nil asks directly.
    package let https: Result<HTTPProxy, HTTPProxyError>?
    /// Who is asked directly.
    package let exceptions: HTTPProxyExceptions

    /// Reads the variables; `variable` gives the value of one, nil when it is not set.
    package init(_ variable: (String) -> String?) {
        func value(_ names: String...) -> String? {
            for name in names {
                if let text = variable(name), !text.isEmpty { return text }
            }
            return nil
        }
        func proxy(_ text: String?) -> Result<HTTPProxy, HTTPProxyError>? {
            text.map { text in Result { () throws(HTTPProxyError) in try HTTPProxy(text) } }
        }
        let all = value("all_proxy", "ALL_PROXY")
        http = proxy(value("http_proxy") ?? all)
        https = proxy(value("https_proxy", "HTTPS_PROXY") ?? all)
        exceptions = HTTPProxyExceptions(value("no_proxy", "NO_PROXY") ?? "")
    }

    /// Finds the proxy for an origin; nil when it is asked directly.
    package func proxy(for origin: Origin) throws(HTTPProxyError) -> HTTPProxy? {
        guard let proxy = origin.scheme == .http ? http : https, !exceptions.contains(origin) else {
            return nil
        }
        return try proxy.get()
    }
}

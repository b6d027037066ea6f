import HTTPClient
import Support

/// A proxy that demands authentication: its challenge, and a client with credentials for it.
enum DemandingProxy {
    static let challenge =
        "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=r, nonce=n, qop=\"auth\"\r\n"
        + "Content-Length: 0\r\n\r\n"

    /// Returns a client with credentials for the proxy.
    static func client(through proxy: ScriptedOrigin) -> HTTPClient {
        let credentials = HTTPCredentials(user: "u", password: "p")
        let way = HTTPProxy(
            scheme: .http,
            host: "127.0.0.1",
            port: proxy.port,
            credentials: credentials
        )
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .proxy(way, except: "")
        return HTTPClient(configuration)
    }
}

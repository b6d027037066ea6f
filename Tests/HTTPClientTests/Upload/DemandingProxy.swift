import HTTPClient
import Support

/// What a proxy says, and how it is used, that wants to know who sends.
enum DemandingProxy {
    static let challenge =
        "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=r, nonce=n, qop=\"auth\"\r\n"
        + "Content-Length: 0\r\n\r\n"

    /// A client that can say it.
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

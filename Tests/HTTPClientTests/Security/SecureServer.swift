import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// A server for `localhost` and a client configuration that trusts it.
struct SecureServer {
    let server: HTTPTestServer
    let certificates: TestCertificates
    var configuration: HTTPClient.Configuration

    /// - Parameters:
    ///   - identity: what it shows; nil for a good chain of three.
    ///   - change: changes what it speaks and asks for.
    init(
        _ identity: TLSConfiguration.Identity? = nil,
        change: (inout HTTPTestServer.TLS.Options) -> Void = { _ in }
    ) async throws {
        certificates = try TestCertificates.shared.get()
        var terms = HTTPTestServer.TLS.Options(
            try identity ?? certificates.chained("localhost", "127.0.0.1", "a.localhost")
        )
        change(&terms)
        server = try await HTTPTestServer.start(tls: .custom(terms)) { _ in .text("hello") }
        configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(certificates.root.certificate)
        let loopback = try #require(IPAddress("127.0.0.1"))
        configuration.connectOptions.overrides = ["localhost", "a.localhost", "bad.test", "::1"].map
        {
            HTTPAddressOverride(host: $0, port: server.port, addresses: [loopback])
        }
        // Generous, since they only end a hang: a busy machine takes its time.
        configuration.timeouts.tlsHandshake = .seconds(60)
        configuration.timeouts.total = .seconds(120)
    }

    var url: String { url("localhost") }

    func url(_ host: String) -> String { "https://\(host):\(server.port)/" }

    func client(
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = configuration
        change(&configuration)
        return HTTPClient(configuration)
    }
}

/// What of a failure the tests here compare.
extension HTTPError {
    var tlsProblem: TLSFailureReason? {
        guard case .tlsFailed(let problem) = kind else { return nil }
        return problem
    }
}

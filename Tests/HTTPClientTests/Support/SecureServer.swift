package import HTTPClient
package import HTTPTestServer
package import SocketTransport
package import Support
import Testing

/// A server for `localhost` and a client configuration that trusts it.
package struct SecureServer {
    package let server: HTTPTestServer
    package let certificates: TestCertificates
    package var configuration: HTTPClient.Configuration

    /// Creates and starts a server.
    ///
    /// - Parameters:
    ///   - identity: The server's identity; nil for a valid chain of three certificates.
    ///   - change: A change of the server's TLS options.
    package init(
        _ identity: IssuedCertificate? = nil,
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
            HTTPConnectOptions.AddressOverride(host: $0, port: server.port, addresses: [loopback])
        }
        // Long timeouts, because a busy machine is slow; they only end a hang.
        configuration.timeouts.tlsHandshake = .seconds(60)
        configuration.timeouts.total = .seconds(120)
    }

    package var url: String { url("localhost") }

    package func url(_ host: String) -> String { "https://\(host):\(server.port)/" }

    package func client(
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = configuration
        change(&configuration)
        return HTTPClient(configuration)
    }
}

/// The parts of an error that tests compare.
extension HTTPError {
    package var tlsReason: TLSFailureReason? {
        guard case .tlsFailed(let reason) = kind else { return nil }
        return reason
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests the client with nginx: plain, TLS, gzip, and chunks through a proxy.
@Suite(.timeLimit(.minutes(10))) struct RealServerTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared.get()
    }

    @Test func `a file is received completely, and the connection is kept`() async throws {
        let file = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let nginx = try Nginx(files: ["big.bin": file])
        let client = HTTPClient()
        for expectedUses in 0..<3 {
            let response = try await client.send(HTTPRequest(nginx.url + "/files/big.bin"))
            #expect(response.body == file)
            #expect(response.headers[.contentLength] == "200000")
            #expect(response.metrics.priorUses == expectedUses)
        }
        nginx.stop()
    }

    @Test func `gzip is requested and decoded, and not requested when decompression is off`()
        async throws
    {
        let text = String(repeating: "the quick brown fox ", count: 5000)
        let nginx = try Nginx(files: ["fox.txt": Array(text.utf8)])
        let request = HTTPRequest(nginx.url + "/gzip/fox.txt")
        let decoded = try await HTTPClient().send(request)
        #expect(decoded.headers[.contentEncoding] == "gzip")
        #expect(decoded.text == text)
        #expect(decoded.metrics.bodyBytesReceived < 5000)
        var configuration = HTTPClient.Configuration()
        configuration.decompression = .off
        let plain = try await HTTPClient(configuration).send(request)
        #expect(plain.headers[.contentEncoding] == nil)
        #expect(plain.text == text)
        nginx.stop()
    }

    @Test func `chunks are received through a proxy`() async throws {
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(chunked), .close])
        let nginx = try Nginx(upstream: origin.port)
        let response = try await HTTPClient().send(HTTPRequest(nginx.url + "/proxy/x"))
        #expect(response.headers[.transferEncoding] == "chunked")
        #expect(response.text == "abcde")
        nginx.stop()
    }

    @Test(arguments: [204, 404, 500])
    func `any status is a response, not an error`(code: Int) async throws {
        let nginx = try Nginx()
        let response = try await HTTPClient().send(HTTPRequest(nginx.url + "/status/\(code)"))
        #expect(response.status.code == code)
        nginx.stop()
    }

    @Test func `TLS is verified against a custom authority and fails without it`() async throws {
        let directory = try TemporaryDirectory()
        let identity = try certificates.chained("localhost", "127.0.0.1")
        let files = Nginx.TLSFiles(
            certificate: try directory.write(identity.certificateChain, as: "chain.pem"),
            key: try directory.write(identity.privateKey, as: "key.pem")
        )
        let nginx = try Nginx(tls: files)
        let url = "https://localhost:\(nginx.tlsPort)/"
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(certificates.root.certificate)
        let trusting = HTTPClient(configuration)
        let first = try await trusting.send(HTTPRequest(url))
        let second = try await trusting.send(HTTPRequest(url))
        #expect(first.text == "hello, world\n")
        #expect(first.metrics.secured != nil)
        #expect(second.metrics.isReused)

        let distrusting = await failure { try await HTTPClient().send(HTTPRequest(url)) }
        guard case .tlsFailed(.certificate) = distrusting?.kind else {
            Issue.record("got \(String(describing: distrusting))")
            return
        }
        #expect(distrusting?.phase == .tlsHandshake)
        #expect(distrusting?.blame == .peer)

        configuration = HTTPClient.Configuration()
        configuration.security.verification = .disabled
        let careless = try await HTTPClient(configuration).send(HTTPRequest(url))
        #expect(careless.status == .ok)
        nginx.stop()
    }

    @Test func `a certificate for another name is rejected`() async throws {
        let directory = try TemporaryDirectory()
        let identity = try certificates.chained("other.example")
        let files = Nginx.TLSFiles(
            certificate: try directory.write(identity.certificateChain, as: "chain.pem"),
            key: try directory.write(identity.privateKey, as: "key.pem")
        )
        let nginx = try Nginx(tls: files)
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(certificates.root.certificate)
        let client = HTTPClient(configuration)
        let error = await failure {
            try await client.send(HTTPRequest("https://localhost:\(nginx.tlsPort)/"))
        }
        #expect(
            error?.kind
                == .tlsFailed(.hostname(expected: "localhost", presented: ["other.example"]))
        )
        nginx.stop()
    }

    @Test func `a server without TLS is detected`() async throws {
        let nginx = try Nginx()
        let error = await failure {
            try await HTTPClient().send(HTTPRequest("https://127.0.0.1:\(nginx.port)/"))
        }
        #expect(error?.kind == .tlsFailed(.notTLS))
        nginx.stop()
    }

    @Test func `a missing authority file is a caller error`() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .file("/no/such/file.pem")
        let nginx = try Nginx()
        let client = HTTPClient(configuration)
        let error = await failure {
            try await client.send(HTTPRequest("https://127.0.0.1:\(nginx.port)/"))
        }
        guard case .tlsFailed(.trust(source: "/no/such/file.pem", _)) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.blame == .caller)
        nginx.stop()
    }
}

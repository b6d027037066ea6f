import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// A provider of one user name and password that records the challenges.
private struct FixedCredentialProvider: HTTPCredentialProvider {
    let notes: EventRecorder<String>

    func credentials(
        for challenge: HTTPAuthentication.ChallengeContext
    ) async throws -> HTTPCredentials? {
        notes.add("\(challenge.scheme) \(challenge.realm ?? "")")
        guard challenge.failures == 0 else { return nil }
        return HTTPCredentials(user: "user", password: "password")
    }
}

@Suite("IndomioHTTP: HTTP Client, Security", .timeLimit(.minutes(10))) struct IndomioSecurityTests {
    private func secureServer() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(tls: .selfIssued) { .echo($0) }
    }

    /// Starts a server that requires one user name and password.
    private func authenticatingServer(_ challenge: String) async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            guard Self.isValidAuthorization(request.headers[.authorization] ?? "", of: request)
            else {
                return .status(.unauthorized, headers: [.wwwAuthenticate: challenge])
            }
            return .echo(request)
        }
    }

    /// Whether a request authenticates as `user` with the password `password`.
    private static func isValidAuthorization(
        _ proof: String,
        of request: HTTPTestServer.Request
    ) -> Bool {
        guard proof.hasPrefix("Digest ") else { return proof == "Basic dXNlcjpwYXNzd29yZA==" }
        var facts: [String: String] = [:]
        for item in proof.dropFirst("Digest ".count).split(separator: ",") {
            let pair = item.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return false }
            facts[pair[0].filter { $0 != " " }] = pair[1].filter { $0 != "\"" }
        }
        // RFC 7616 §3.4.1, with qop=auth.
        let secretHash = hash("user:here:password")
        let requestHash = hash("\(request.method.rawValue):\(request.target)")
        let (count, own) = (facts["nc"] ?? "", facts["cnonce"] ?? "")
        return facts["username"] == "user" && facts["uri"] == request.target && !own.isEmpty
            && facts["response"] == hash("\(secretHash):n:\(count):\(own):auth:\(requestHash)")
    }

    private static func hash(_ text: String) -> String {
        let bytes = MessageDigest.sha256.hash(Array(text.utf8)) ?? []
        return bytes.map { String(String(Int($0) + 256, radix: 16).dropFirst()) }.joined()
    }

    @Test func `Configure security: pins are read from data and files`() async throws {
        let (server, otherServer) = (try await secureServer(), try await secureServer())
        let (someData, other) = (
            server.certificateAuthorityPEM, otherServer.certificateAuthorityPEM
        )
        let directory = try TemporaryDirectory()
        let certFile = try directory.write(someData, as: "cert.pem")
        let trust = HTTPSecurity.Trust.pem(someData)
        var request = HTTPRequest(server.url)
        let good: [[HTTPPin]] = [
            [.certificate(of: someData)], [.certificate(file: certFile)],
            [.publicKey(of: someData)], [.publicKey(file: certFile)],
            [.certificate(of: other), .certificate(file: certFile)],
        ]
        for pins in good {
            request.security = .pinned(to: pins, trust: trust)
            #expect(try await request.send().isSuccess)
        }
        for pins in [[HTTPPin.certificate(of: other)], [.publicKey(of: other)]] {
            request.security = .pinned(to: pins, trust: trust)
            let error = await failure { try await request.send() }
            guard case .tlsFailed(.pinMismatch)? = error?.kind else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(server.requests.count == good.count)
    }

    @Test func `Configure security: a request replaces the security of its client`() async throws {
        let (server, otherServer) = (try await secureServer(), try await secureServer())
        let trust = HTTPSecurity.Trust.pem(server.certificateAuthorityPEM)
        let client = try HTTPClient(baseURL: server.url) {
            $0.security = .pinned(
                to: [.publicKey(of: server.certificateAuthorityPEM)],
                trust: trust
            )
        }
        #expect(try await HTTPRequest("a").send(in: client).isSuccess)
        let strict = HTTPSecurity.pinned(
            to: [.publicKey(of: otherServer.certificateAuthorityPEM)],
            trust: trust
        )
        let error = await failure {
            try await HTTPRequest("b").with { $0.security = strict }.send(in: client)
        }
        #expect(error?.phase == .tlsHandshake)
        #expect(server.requests.map(\.path) == ["/a"])
    }

    @Test(arguments: [
        (#"Basic realm="here""#, "Basic dXNlcjpwYXNzd29yZA=="),
        (#"Digest realm="here", nonce="n", qop="auth", algorithm=SHA-256"#, "Digest "),
    ])
    func `Configure security: credentials answer a challenge`(
        challenge: String,
        proof: String
    ) async throws {
        let server = try await authenticatingServer(challenge)
        let request = HTTPRequest(server.url + "/secret")
            .authentication(.any(user: "user", password: "password"))
        let response = try await request.send(in: HTTPClient())
        let shown = try #require(try response.json()["headers"]["Authorization"].string)
        #expect(response.isSuccess && shown.hasPrefix(proof) && !shown.contains("password"))
        #expect(server.requests.map { $0.headers.contains(.authorization) } == [false, true])
    }

    @Test func `Configure security: a provider is called once`() async throws {
        let server = try await authenticatingServer(#"Basic realm="here""#)
        let notes = EventRecorder<String>()
        let client = HTTPClient().with {
            $0.authentication = .provider(FixedCredentialProvider(notes: notes))
        }
        let request = HTTPRequest(server.url + "/secret")
        #expect(try await request.send(in: client).isSuccess)
        #expect(try await request.send(in: client).isSuccess)
        #expect(notes.all == ["Basic here"])
        #expect(server.requests.map { $0.headers.contains(.authorization) } == [false, true, true])
    }

    @Test func `Configure security: all certificates are allowed`() async throws {
        let server = try await secureServer()
        var request = HTTPRequest(server.url)
        let error = await failure { try await request.send() }
        #expect(error?.blame == .peer && server.requests.isEmpty)
        request.security = .withoutVerification
        let response = try await request.send()
        #expect(response.isSuccess && response.metrics.tls?.isVerified == false)
        #expect(server.requests.count == 1)
    }
}

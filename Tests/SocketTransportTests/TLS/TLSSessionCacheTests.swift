import SocketTransport
import Support
import Testing

@Suite struct TLSSessionCacheTests {
    /// Connects, passes one byte so that tickets arrive, and returns whether the session was resumed.
    private func connect(
        _ client: TLSContext,
        _ server: TLSContext,
        host: String = "good.test",
        port: Int = 443
    ) throws -> Bool {
        let pair = try EnginePair(client: client, server: server, host: host, port: port)
        pair.handshake()
        #expect(pair.clientFailure == nil)
        try pair.server.writeText("x")
        pair.move()
        #expect(try pair.client.readAll().bytes.count == 1)
        #expect(pair.client.peerPublicKey != nil)
        #expect(pair.client.peerChain.count == 2)
        return pair.client.sessionInfo.isResumed
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a second connection resumes the session`(version: HTTPSecurity.Version) throws {
        var settings = try TLSSettings()
        settings.client.maximumVersion = version
        let client = try TLSContext(client: settings.client)
        let server = try settings.serverContext()
        #expect(try !connect(client, server))
        for _ in 0..<20 {
            #expect(try connect(client, server))
        }
    }

    @Test func `a session is not resumed for another name, on another port or by another context`()
        throws
    {
        let identity = try TestCertificates.shared.get().chained("good.test", "also.test")
        let settings = try TLSSettings(identity)
        let client = try TLSContext(client: settings.client)
        let server = try settings.serverContext()
        #expect(try !connect(client, server))
        #expect(try !connect(client, server, host: "also.test"))
        #expect(try !connect(client, server, port: 8443))
        #expect(try !connect(TLSContext(client: settings.client), server))
        #expect(try connect(client, server))
    }

    @Test func `a server that lost its tickets gets a full handshake`() throws {
        let settings = try TLSSettings()
        let client = try TLSContext(client: settings.client)
        #expect(try !connect(client, settings.serverContext()))
        #expect(try !connect(client, settings.serverContext()))
    }

    @Test func `a failed handshake leaves no session to resume`() throws {
        var settings = try TLSSettings(host: "bad.test")
        let client = try TLSContext(client: settings.client)
        let server = try settings.serverContext()
        for _ in 0..<2 {
            let pair = try EnginePair(client: client, server: server, host: settings.host)
            pair.handshake()
            #expect(pair.clientFailure != nil)
        }
        settings.host = "good.test"
        #expect(try !connect(client, server))
    }
}

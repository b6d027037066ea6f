import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite struct TLSEngineTests {
    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13], [Int.max, 1, 7])
    func `a handshake negotiates version, protocol and cipher`(
        version: HTTPSecurity.Version,
        step: Int
    ) throws {
        var settings = try TLSSettings()
        settings.client.maximumVersion = version
        settings.step = step
        let pair = try settings.pair()
        try #require(pair.clientFailure == nil)
        try #require(pair.serverFailure == nil)
        let negotiated = pair.client.sessionInfo
        #expect(negotiated.version == version)
        #expect(negotiated.applicationProtocol == "http/1.1")
        #expect(!negotiated.isResumed)
        #expect(negotiated.cipher.hasPrefix("TLS_"))
        #expect(negotiated.peer?.chain.count == 3)
        #expect(negotiated.peer?.verification == .accepted)
        #expect(pair.client.peerChain.allSatisfy { $0.first == 0x30 })
        #expect(pair.server.requestedServerName == "good.test")
        #expect(pair.server.applicationProtocol == "http/1.1")
        #expect(pair.client.peerPublicKey?.count == 91)
    }

    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 65_536, 200 * 1024], [Int.max, 1000])
    func `bytes arrive intact in both directions`(count: Int, step: Int) throws {
        var settings = try TLSSettings()
        settings.step = step
        let pair = try settings.pair()
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
            var sent = 0
            var received: [UInt8] = []
            repeat {
                sent += try from.write(message.span.extracting(sent..<count))
                pair.move()
                let (bytes, last) = try to.readAll()
                received += bytes
                #expect(last == .needsInput)
            } while sent < count
            #expect(received == message)
        }
    }

    @Test func `a write stops when 64 KiB of ciphertext are pending`() throws {
        let pair = try TLSSettings().pair()
        let message = [UInt8](repeating: 7, count: 1 << 20)
        let taken = try pair.client.write(message.span)
        #expect(taken >= 48 * 1024 && taken <= 80 * 1024)
        #expect(try pair.client.write(message.span) == 0)
    }

    @Test func `empty buffers release their memory, and others keep their bytes`() throws {
        let pair = try TLSSettings().pair()
        // The tickets of the handshake.
        #expect(try pair.client.readAll().bytes.isEmpty)
        #expect(pair.client.bufferCapacity > 0)
        pair.client.releaseEmptyBuffers()
        #expect(pair.client.bufferCapacity == 0)

        try pair.server.writeText("0123456789")
        pair.server.releaseEmptyBuffers()
        pair.move()
        pair.client.releaseEmptyBuffers()
        #expect(pair.client.bufferCapacity > 0)
        let (bytes, _) = try pair.client.readAll()
        #expect(bytes == Array("0123456789".utf8))
        pair.client.releaseEmptyBuffers()
        #expect(pair.client.bufferCapacity == 0)
        try pair.client.writeText("x")
        pair.move()
        #expect(try pair.server.readAll().bytes == Array("x".utf8))
    }

    @Test func `a read fills a large buffer from many records`() throws {
        let pair = try TLSSettings().pair()
        for _ in 0..<100 { try pair.server.writeText("0123456789") }
        pair.move()
        var buffer = [UInt8](repeating: 0, count: 4096)
        var span = buffer.mutableSpan
        #expect(try pair.client.read(into: &span) == .bytes(1000))
    }

    @Test func `bytes left by a small buffer are read without further input`() throws {
        let pair = try TLSSettings().pair()
        try pair.server.writeText("0123456789")
        pair.move()
        var buffer = [UInt8](repeating: 0, count: 4)
        for expected in [4, 4, 2] {
            #expect(pair.client.hasUnreadInput)
            var span = buffer.mutableSpan
            #expect(try pair.client.read(into: &span) == .bytes(expected))
        }
        #expect(!pair.client.hasUnreadInput)
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `an end with close-notify differs from one without`(version: HTTPSecurity.Version) throws {
        var settings = try TLSSettings()
        settings.client.maximumVersion = version
        let orderly = try settings.pair()
        try orderly.server.writeText("x")
        orderly.server.shutDown()
        orderly.move()
        orderly.client.feedEndOfStream()
        let (bytes, last) = try orderly.client.readAll()
        #expect(bytes == [UInt8(ascii: "x")])
        #expect(last == .closed)
        #expect(try orderly.client.readAll().last == .closed)

        let cut = try settings.pair()
        try cut.server.writeText("x")
        cut.move()
        cut.client.feedEndOfStream()
        let rest = try cut.client.readAll()
        #expect(rest.bytes == [UInt8(ascii: "x")])
        #expect(rest.last == .truncated)
    }

    @Test func `an end inside a record is reported as truncation`() throws {
        let pair = try TLSSettings().pair()
        try pair.server.writeText("0123456789")
        let record = pair.server.takeOutput()
        pair.client.feed(record.span.extracting(droppingLast: 3))
        #expect(try pair.client.readAll().last == .needsInput)
        pair.client.feedEndOfStream()
        #expect(try pair.client.readAll().last == .truncated)
    }

    @Test func `bytes before a corrupt record are delivered before the error`() throws {
        let pair = try TLSSettings().pair()
        try pair.server.writeText("good")
        let good = pair.server.takeOutput()
        try pair.server.writeText("bad")
        var bad = pair.server.takeOutput()
        bad[bad.count - 1] ^= 1
        pair.client.feed((good + bad).span)
        var buffer = [UInt8](repeating: 0, count: 64)
        var span = buffer.mutableSpan
        #expect(try pair.client.read(into: &span) == .bytes(4))
        #expect(throws: TLSError.self) { try pair.client.readAll() }
        #expect(throws: TLSError.self) { try pair.client.readAll() }
        // The peer receives the alert bad_record_mac (RFC 8446 §6.2).
        pair.move()
        #expect(throws: TLSError.failed(.alert(20, reason: "bad record mac"))) {
            try pair.server.readAll()
        }
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "220 mail ESMTP\r\n",
        "\0\0\0\0\0\0\0",
        "\u{16}\u{7}\0\0\0\0\0\0\0",
    ])
    func `a server that does not speak TLS is detected`(answer: String) throws {
        for step in [Int.max, 1] {
            let settings = try TLSSettings()
            let client = try TLSEngine(
                context: TLSContext(client: settings.client),
                role: .client(host: "good.test")
            )
            #expect(try client.stepHandshake() == .needsInput)
            let bytes = [UInt8](answer.utf8)
            #expect(throws: TLSError.failed(.notTLS)) {
                for start in stride(from: 0, to: bytes.count, by: min(step, bytes.count)) {
                    client.feed(bytes[start..<min(bytes.count, start + min(step, 99))].span)
                    _ = try client.stepHandshake()
                }
            }
        }
    }

    @Test func `a client that does not speak TLS is detected`() throws {
        let server = try TLSEngine(context: TLSSettings().serverContext(), role: .server)
        server.feed([UInt8]("GET / HTTP/1.1\r\n\r\n".utf8).span)
        #expect(throws: TLSError.failed(.notTLS)) { try server.stepHandshake() }
    }

    @Test func `an early close is distinguished from a peer without TLS`() throws {
        let context = try TLSContext(client: TLSSettings().client)
        let silent = try TLSEngine(context: context, role: .client(host: "good.test"))
        silent.feedEndOfStream()
        #expect(throws: TLSError.failed(.closed)) { try silent.stepHandshake() }
        let short = try TLSEngine(context: context, role: .client(host: "good.test"))
        short.feed([UInt8]("no".utf8).span)
        short.feedEndOfStream()
        #expect(throws: TLSError.failed(.notTLS)) { try short.stepHandshake() }
    }

    @Test(arguments: [7, 1])
    func `a handshake alert is reported with its code`(step: Int) throws {
        let client = try TLSEngine(
            context: TLSContext(client: TLSSettings().client),
            role: .client(host: "good.test")
        )
        _ = try client.stepHandshake()
        let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
        #expect(throws: TLSError.failed(.alert(40, reason: "handshake failure"))) {
            for start in stride(from: 0, to: alert.count, by: step) {
                client.feed(alert[start..<start + step].span)
                _ = try client.stepHandshake()
            }
        }
    }

    @Test func `peers without a common version both report a version mismatch`() throws {
        var settings = try TLSSettings()
        settings.client.minimumVersion = .tls13
        settings.serverVersions = (.tls12, .tls12)
        let pair = try settings.pair()
        #expect(pair.clientFailure == .failed(.version))
        #expect(pair.serverFailure == .failed(.version))
    }

    @Test(arguments: [[1, 1], [0, 1]])
    func `a server hello below the minimum version is a version mismatch`(minor: [UInt8]) throws {
        let client = try TLSEngine(
            context: TLSContext(client: TLSSettings().client),
            role: .client(host: "good.test")
        )
        _ = try client.stepHandshake()
        // A ServerHello of TLS 1.0 or 1.1: 32 random bytes, no session, a CBC suite.
        let body: [UInt8] =
            [3, minor[0] + minor[1]] + [UInt8](repeating: 9, count: 32) + [0, 0, 0x2F, 0]
        let message: [UInt8] = [2, 0, 0, UInt8(body.count)] + body
        client.feed(([22, 3, 1, 0, UInt8(message.count)] + message).span)
        #expect(throws: TLSError.failed(.version)) { try client.stepHandshake() }
    }

    @Test func `a server without a common protocol sends an alert`() throws {
        var settings = try TLSSettings()
        settings.serverProtocols = ["h2"]
        let pair = try settings.pair()
        #expect(
            pair.clientFailure
                == .failed(.alert(120, reason: "no application protocol"))
        )
    }

    @Test func `a client that offers no protocol is accepted`() throws {
        var settings = try TLSSettings()
        settings.clientProtocols = []
        let pair = try settings.pair()
        #expect(pair.clientFailure == nil)
        #expect(pair.client.applicationProtocol == nil)
    }

    @Test func `the server selects the protocol by its own preference`() throws {
        var settings = try TLSSettings()
        settings.clientProtocols = ["a", "h2", "http/1.1"]
        settings.serverProtocols = ["http/1.1", "h2"]
        #expect(try settings.pair().client.applicationProtocol == "http/1.1")
    }

    private func own(_ issued: IssuedCertificate) -> HTTPSecurity.Identity {
        .bytes(certificate: issued.certificateChain, key: issued.privateKey)
    }

    @Test func `a server requests and verifies a client certificate`() throws {
        let certificates = try TestCertificates.shared.get()
        var settings = try TLSSettings()
        settings.clientTrust = .pem(certificates.root.certificate)
        settings.client.identity = own(try certificates.client("me.test"))
        let good = try settings.pair()
        #expect(good.clientFailure == nil && good.serverFailure == nil)
        #expect(good.server.peerChain.count == 1)

        settings.client.identity = nil
        let none = try settings.pair()
        // In TLS 1.3 the client's handshake ends before the server has checked (RFC 8446 §4.4.2.4).
        #expect(none.serverFailure != nil)
        #expect(throws: TLSError.failed(.alert(116, reason: "unknown"))) {
            try none.client.readAll()
        }

        settings.client.identity = own(try certificates.selfSigned("me.test"))
        guard case .failed(.certificate)? = try settings.pair().serverFailure else {
            Issue.record("a self-signed client was accepted")
            return
        }
    }

    @Test func `a changed byte in the server's handshake messages is detected`() throws {
        let settings = try TLSSettings()
        let context = try TLSContext(client: settings.client)
        let serverContext = try settings.serverContext()
        for place in stride(from: 0, to: 1200, by: 3) {
            let client = try TLSEngine(context: context, role: .client(host: "good.test"))
            let server = try TLSEngine(context: serverContext, role: .server)
            _ = try client.stepHandshake()
            server.feed(client.takeOutput().span)
            _ = try server.stepHandshake()
            var flight = server.takeOutput()
            var versions: Set<Int> = []
            var record = 0
            while record + 5 <= flight.count {
                versions.formUnion([record + 1, record + 2])
                record += 5 + Int(flight[record + 3]) << 8 + Int(flight[record + 4])
            }
            guard place < flight.count else {
                #expect(place > 600, "the flight has \(flight.count) bytes")
                break
            }
            flight[place] ^= 1 << UInt8(place % 8)
            client.feed(flight.span)
            client.feedEndOfStream()
            // A record's version bytes may change without harm (RFC 8446 §5.1). Every other change must
            // give an error, not a trap or a wait for more bytes.
            do throws(TLSError) {
                let step = try client.stepHandshake()
                #expect(step == .done && versions.contains(place), "byte \(place)")
            } catch {
                #expect(error != .internalError(reason: "unknown"))
            }
        }
    }
}

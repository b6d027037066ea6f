import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Synchronization
import Testing

/// Tests certificates that change while a client uses them.
@Suite(.timeLimit(.minutes(10))) struct RotationTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The events of a pool.
    private final class Log: Sendable {
        private let entries = Mutex<[HTTPPoolEvent.Kind]>([])
        func add(_ event: HTTPPoolEvent) { entries.withLock { $0.append(event.kind) } }
        func count(_ kind: HTTPPoolEvent.Kind) -> Int {
            entries.withLock { $0.count { $0 == kind } }
        }
    }

    private func write(_ identity: IssuedCertificate) throws {
        try directory.write(identity.certificateChain, as: "me.pem")
        try directory.write(identity.privateKey, as: "me.key")
    }

    @Test func `no request fails while the files of a client certificate are rewritten`()
        async throws
    {
        let log = Log()
        let secure = try await SecureServer {
            $0.clientTrust = .pem((try? TestCertificates.shared.get().root.certificate) ?? [])
        }
        try write(secure.certificates.client("me.test"))
        let client = secure.client { [path = directory.path] in
            $0.security.identity = .files(certificate: path + "/me.pem", key: path + "/me.key")
            $0.poolObserver = { log.add($0) }
        }
        // The first context needs whole files.
        _ = try await client.send(secure.url)
        let isEnough = { @Sendable in log.count(.securityReloaded) >= 2 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    var request = HTTPRequest(secure.url)
                    // One task keeps its connection, the others open new ones.
                    if number > 0 { request.connection = .fresh }
                    while !isEnough() {
                        let response = try await client.send(request)
                        #expect(response.text == "hello")
                    }
                }
            }
            group.addTask {
                while !isEnough() {
                    try write(secure.certificates.client("me.test"))
                    await moment()
                }
            }
            try await group.waitForAll()
        }
        #expect(log.count(.closed(.retired)) > 0)
    }

    @Test func `new pins of a provider apply to new connections, and end the old ones`()
        async throws
    {
        let log = Log()
        let secure = try await SecureServer()
        let pin = Mutex<HTTPPin?>(nil)
        let client = secure.client {
            $0.security.provider = HTTPSecurity.Provider { security in
                security.pins =
                    pin.withLock { $0 }.map { [HTTPPin.Rule(host: nil, pins: [$0])] } ?? []
            }
            $0.poolObserver = { log.add($0) }
        }
        let idle = try await client.send(secure.url)
        #expect(idle.text == "hello")
        pin.withLock { $0 = .publicKey(sha256: [UInt8](repeating: 0, count: 32)) }
        // The open connection is not affected until a new one is opened.
        #expect(try await client.send(secure.url).text == "hello")
        let error = await failure {
            try await client.send(HTTPRequest(secure.url).with { $0.connection = .fresh })
        }
        guard case .pinMismatch? = error?.tlsReason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(log.count(.securityReloaded) == 1 && log.count(.closed(.retired)) == 1)
        let second = await failure { try await client.send(secure.url) }
        #expect(second?.tlsReason != nil)
        pin.withLock { $0 = nil }
        #expect(try await client.send(secure.url).text == "hello")
        pin.withLock { $0 = .publicKey("no pin") }
        #expect(
            try await client.send(HTTPRequest(secure.url).with { $0.connection = .fresh }).text
                == "hello"
        )
        let reason = TLSFailureReason.pinSettings(
            reason: "no pin is not a SHA-256 digest in base64"
        )
        #expect(log.count(.securityKept(reason)) == 1)
    }

    @Test func `a new trust root takes effect for new connections, and an old one ends`()
        async throws
    {
        let certificates = try TestCertificates.shared.get()
        let old = try await SecureServer()
        let new = try await SecureServer(certificates.untrusted("localhost", "127.0.0.1"))
        try directory.write(certificates.root.certificate, as: "ca.pem")
        let client = old.client { [path = directory.path] in
            $0.security.trust = .file(path + "/ca.pem")
        }
        let urls = [old.url("127.0.0.1"), new.url("127.0.0.1")]
        func error(of url: String) async -> HTTPError? {
            do throws(HTTPError) {
                _ = try await client.send(HTTPRequest(url).with { $0.connection = .fresh })
                return nil
            } catch {
                return error
            }
        }
        /// Sends requests on new connections until the server is trusted, or not, which takes at most a second.
        func wait(for url: String, isTrusted: Bool) async {
            while true {
                let error = await error(of: url)
                if (error == nil) == isTrusted { return }
                #expect(error == nil || error?.tlsReason != nil)
                await moment()
            }
        }
        await wait(for: urls[0], isTrusted: true)
        await wait(for: urls[1], isTrusted: false)
        let both = certificates.root.certificate + certificates.otherRoot.certificate
        try directory.write(both, as: "ca.pem")
        await wait(for: urls[1], isTrusted: true)
        await wait(for: urls[0], isTrusted: true)
        try directory.write(certificates.otherRoot.certificate, as: "ca.pem")
        await wait(for: urls[0], isTrusted: false)
        await wait(for: urls[1], isTrusted: true)
    }

    @Test func `files that appear after a failed call are read by the next one`() async throws {
        let certificates = try TestCertificates.shared.get()
        let secure = try await SecureServer { $0.clientTrust = .pem(certificates.root.certificate) }
        let client = secure.client { [path = directory.path] in
            $0.security.identity = .files(certificate: path + "/me.pem", key: path + "/me.key")
        }
        let error = await failure { try await client.send(secure.url) }
        guard case .identity? = error?.tlsReason else {
            Issue.record("\(String(describing: error))")
            return
        }
        try write(certificates.client("me.test"))
        #expect(try await client.send(secure.url).text == "hello")
    }

    @Test func `a dedicated connection with replaced certificates does not return to the pool`()
        async throws
    {
        let log = Log()
        let secure = try await SecureServer()
        let pin = Mutex<HTTPPin?>(nil)
        let client = secure.client {
            $0.security.provider = HTTPSecurity.Provider { security in
                let rule = pin.withLock { $0 }.map { HTTPPin.Rule(host: "other.test", pins: [$0]) }
                security.pins = rule.map { [$0] } ?? []
            }
            $0.poolObserver = { log.add($0) }
        }
        let url = secure.url
        _ = try await client.withConnection(to: url) { connection in
            _ = try await connection.send(HTTPRequest(url))
            pin.withLock { $0 = .publicKey(sha256: [UInt8](repeating: 0, count: 32)) }
            // Another connection notices the new settings.
            _ = try await client.send(HTTPRequest(url).with { $0.connection = .fresh })
            #expect(log.count(.securityReloaded) == 1 && log.count(.closed(.retired)) == 0)
            return try await connection.send(HTTPRequest(url)).status
        }
        while log.count(.closed(.retired)) < 1 { await moment() }
        #expect(log.count(.closed(.retired)) == 1)
    }
}

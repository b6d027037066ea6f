import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests certificates that change at the client and at nginx, which verify each other.
///
/// `ROTATIONS` sets how often they change: about once a second, because the client looks at the files that often. By
/// default they change three times and are valid for days, so that none expires on a slow machine. With the variable
/// each certificate is valid for five seconds.
@Suite(.timeLimit(.minutes(10))) struct NginxRotationTests {
    private let directory: TemporaryDirectory
    private let certificates: TestCertificates
    private static let rotations = Environment.variable("ROTATIONS").flatMap { Int($0) }

    init() throws {
        directory = try TemporaryDirectory()
        certificates = try TestCertificates.shared.get()
    }

    private final class State: Sendable {
        let reloads = Locked(0)
        let retired = Locked(0)
        let isOver = Locked(false)
    }

    private func write(_ identity: IssuedCertificate, as name: String) throws {
        try directory.write(identity.certificateChain, as: "\(name).pem")
        try directory.write(identity.privateKey, as: "\(name).key")
    }

    /// Replaces all files.
    private func rotate(_ authorities: [UInt8] = []) throws {
        func issue(
            _ name: String,
            _ purpose: CertificateTemplate.Purpose
        ) throws
            -> IssuedCertificate
        {
            var template = CertificateTemplate(names: [name], purpose: purpose)
            if Self.rotations != nil { template.notAfter = 5 }
            return try certificates.root.issue(template)
        }
        try directory.write(certificates.root.certificate + authorities, as: "ca.pem")
        try write(issue("me.test", .client), as: "me")
        try write(issue("127.0.0.1", .server), as: "server")
    }

    @Test func `no request fails while both sides get new certificates`() async throws {
        try rotate()
        let path = directory.path
        let nginx = try Nginx(
            tls: Nginx.TLSFiles(certificate: path + "/server.pem", key: path + "/server.key"),
            directives: "ssl_client_certificate \(path)/ca.pem; ssl_verify_client on;",
            processes: .masterWithWorker
        )
        let state = State()
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .file(path + "/ca.pem")
        configuration.security.identity = .files(
            certificate: path + "/me.pem",
            key: path + "/me.key"
        )
        configuration.poolObserver = { event in
            if event.kind == .securityReloaded { state.reloads.withLock { $0 += 1 } }
            if event.kind == .closed(.retired) { state.retired.withLock { $0 += 1 } }
        }
        let client = HTTPClient(configuration)
        let url = "https://127.0.0.1:\(nginx.tlsPort)/"
        let first = try await client.send(url)
        #expect(first.text == "hello, world\n")
        let sent = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<4 {
                group.addTask {
                    var request = HTTPRequest(url)
                    // Two tasks keep their connections, the others open new ones.
                    if number > 1 { request.connection = .fresh }
                    var sent = 0
                    while !state.isOver.withLock({ $0 }) {
                        let response = try await client.send(request)
                        #expect(response.status == .ok, "\(response.text)")
                        sent += 1
                    }
                    return sent
                }
            }
            group.addTask {
                defer { state.isOver.withLock { $0 = true } }
                for round in 1...(Self.rotations ?? 3) {
                    try rotate(CertificateAuthority().certificate)
                    try nginx.reload()
                    while state.reloads.withLock({ $0 }) < round { await moment() }
                }
                return 0
            }
            return try await group.reduce(0, +)
        }
        #expect(sent > 20)
        #expect(state.retired.withLock { $0 } > 0)
        print("rotation: \(sent) requests, \(state.reloads.withLock { $0 }) reloads")
        // nginx does verify: a client without a certificate is refused.
        let stranger = HTTPClient().with { $0.security.trust = .file(path + "/ca.pem") }
        #expect(try await stranger.send(url).status == .badRequest)
        nginx.stop()
    }
}

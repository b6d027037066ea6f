import Glibc
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests what a client offers in a handshake and which sessions and files it keeps.
@Suite struct TLSOfferTests {
    @Test func `a configured cipher is negotiated`() throws {
        var settings = try TLSSettings()
        settings.client.maximumVersion = .tls12
        settings.client.ciphers = "ECDHE-ECDSA-CHACHA20-POLY1305"
        let old = try settings.pair().client.sessionInfo
        #expect(old.cipher == "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256")
        settings.client.maximumVersion = .tls13
        settings.client.cipherSuites = ["TLS_AES_128_GCM_SHA256"]
        settings.client.groups = ["P-256"]
        #expect(try settings.pair().client.sessionInfo.cipher == "TLS_AES_128_GCM_SHA256")
    }

    @Test func `unknown ciphers and security levels are rejected`() throws {
        for change: (inout HTTPSecurity) -> Void in [
            { $0.ciphers = "BANANA" }, { $0.ciphers = "" }, { $0.ciphers = "ALL:@SECLEVEL=0" },
            { $0.ciphers = "ALL\u{0}" }, { $0.cipherSuites = ["TLS_BANANA"] },
            { $0.groups = ["P-1"] },
            // It selects only ciphers without a certificate, which are excluded, so no cipher is left.
            { $0.ciphers = "aNULL" },
        ] {
            var client = try TLSSettings().client
            change(&client)
            do throws(TLSError) {
                _ = try TLSContext(client: client)
                Issue.record("\(client.ciphers ?? "") was accepted")
            } catch {
                guard case .failed(.ciphers) = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    @Test func `a single TLS version can be required, and contradictory versions are rejected`()
        throws
    {
        for version in [HTTPSecurity.Version.tls12, .tls13] {
            var settings = try TLSSettings()
            settings.client.minimumVersion = version
            settings.client.maximumVersion = version
            let negotiated = try settings.pair().client.sessionInfo
            #expect(negotiated.version == version)
            settings.serverVersions = version == .tls12 ? (.tls13, .tls13) : (.tls12, .tls12)
            #expect(try settings.pair().clientFailure == .failed(.version))
        }
        var contradiction = HTTPSecurity()
        contradiction.minimumVersion = .tls13
        contradiction.maximumVersion = .tls12
        #expect(throws: TLSError.self) { try TLSContext(client: contradiction) }
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `without resumption every handshake is full`(version: HTTPSecurity.Version) throws {
        var settings = try TLSSettings()
        settings.client.maximumVersion = version
        settings.client.resumption = .off
        let client = try TLSContext(client: settings.client)
        let server = try settings.serverContext()
        for _ in 0..<3 {
            let pair = try EnginePair(client: client, server: server)
            pair.handshake()
            try pair.server.writeText("x")
            pair.move()
            #expect(try pair.client.readAll().bytes.count == 1)
            #expect(!pair.client.sessionInfo.isResumed)
        }
    }

    @Test func `TLS secrets are logged only if configured, regardless of the environment`()
        throws
    {
        let file = try TemporaryFile([])
        var settings = try TLSSettings()
        settings.client.keyLog = .file(file.path)
        #expect(try settings.pair().clientFailure == nil)
        let text = String(
            decoding: try #require(TestFileSystem.contents(of: file.path)),
            as: UTF8.self
        )
        #expect(text.hasPrefix("SERVER_HANDSHAKE_TRAFFIC_SECRET ") || text.contains("\nCLIENT_"))
        #expect(text.split(separator: "\n").allSatisfy { $0.split(separator: " ").count == 3 })
        settings.client.keyLog = .file("/no/such/directory/log")
        #expect(throws: TLSError.self) { try TLSContext(client: settings.client) }
        _ = consume file
    }

    @Test(.timeLimit(.minutes(10)))
    func `a key log that is not a regular file is rejected`() throws {
        let directory = try TemporaryDirectory()
        let precious = try directory.write("abc", as: "precious")
        let (link, pipe) = (directory.path + "/link", directory.path + "/pipe")
        #expect(unsafe symlink(precious, link) == 0 && mkfifo(pipe, 0o600) == 0)
        // A pipe can be opened for writing only if it has a reader.
        let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        for path in [link, pipe, directory.path, "/dev/null", "a\0b"] {
            var settings = try TLSSettings()
            settings.client.keyLog = .file(path)
            #expect(throws: TLSError.self) { try TLSContext(client: settings.client) }
        }
        #expect(TestFileSystem.contents(of: precious) == Array("abc".utf8))
    }

    @Test(arguments: [false, true])
    func `a key log owned by another user or with a second link is rejected`(isLinked: Bool) throws
    {
        let directory = try TemporaryDirectory()
        let path = try directory.write("abc", as: "log")
        if isLinked {
            #expect(unsafe link(path, directory.path + "/other") == 0)
        } else {
            // Only root can change the owner of a file.
            guard geteuid() == 0 else { return }
            #expect(unsafe chown(path, 1, 1) == 0)
        }
        var settings = try TLSSettings()
        settings.client.keyLog = .file(path)
        let reason = isLinked ? "it has more than one link" : "it belongs to another user"
        #expect(throws: TLSError.failed(.settings(reason: "key log \(path): \(reason)"))) {
            try TLSContext(client: settings.client)
        }
        #expect(TestFileSystem.contents(of: path) == Array("abc".utf8))
    }

    @Test(.timeLimit(.minutes(10)))
    func `files with key material are opened with close-on-exec`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pipe"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let pem = try TestCertificates.shared.get().root.certificate
        var configuration = HTTPSecurity()
        configuration.trust = .file(path)
        let isMade = Locked<Bool?>(nil)
        let reading = try WorkerThread { [configuration] in
            let context = try? TLSContext(client: configuration)
            isMade.withLock { $0 = context != nil }
        }
        // Opening returns when the reader opens its end, possibly before the reader has its descriptor.
        let writer = unsafe open(path, O_WRONLY | O_CLOEXEC)
        var flags: [Int32] = []
        while flags.isEmpty, isMade.withLock({ $0 == nil }) {
            flags = descriptors(of: path).filter { $0 & O_ACCMODE == O_RDONLY }
            sched_yield()
        }
        #expect(flags.count == 1)
        #expect(flags.allSatisfy { $0 & O_CLOEXEC != 0 })
        #expect(unsafe write(writer, pem, pem.count) == pem.count)
        close(writer)
        reading.join()
        #expect(isMade.withLock { $0 } == true)
    }

    /// Returns the flags of this process's descriptors of a file (proc_pid_fdinfo(5)).
    private func descriptors(of path: String) -> [Int32] {
        TestFileSystem.names(in: "/proc/self/fd").compactMap { number in
            var target = [CChar](repeating: 0, count: 4096)
            guard unsafe readlink("/proc/self/fd/\(number)", &target, target.count - 1) > 0,
                target.prefix(while: { $0 != 0 }).elementsEqual(
                    path.utf8.map { CChar(bitPattern: $0) }
                ),
                let info = TestFileSystem.contents(of: "/proc/self/fdinfo/\(number)")
            else { return nil }
            let lines = String(decoding: info, as: UTF8.self).split(separator: "\n")
            let flags = lines.first { $0.hasPrefix("flags:") }?.split(separator: "\t").last
            return flags.flatMap { Int32($0, radix: 8) }
        }
    }

    @Test func `a self-signed certificate is accepted only for the listed hosts`() throws {
        let certificates = try TestCertificates.shared.get()
        var settings = try TLSSettings(certificates.selfSigned("good.test"))
        settings.client.verification = .acceptSelfSigned(hosts: ["good.test", "127.0.0.1"])
        let pair = try settings.pair()
        #expect(pair.clientFailure == nil)
        #expect(pair.client.sessionInfo.peer?.verification == .accepted)
        // Not accepted: another host, and any other problem for this host.
        settings.host = "other.test"
        #expect(try settings.pair().clientFailure != nil)
        settings.host = "good.test"
        for identity in [
            try certificates.selfSigned("other.test"), try certificates.untrusted("good.test"),
            try certificates.expired("good.test"), try certificates.client("good.test"),
            try CertificateAuthority.selfSigned(
                CertificateTemplate(names: ["good.test"], notBefore: -9000, notAfter: -60)
            ),
        ] {
            settings.server = identity
            #expect(try settings.pair().clientFailure != nil)
        }
        // Certificates that are not self-signed are verified as usual.
        settings.server = try certificates.chained("good.test")
        #expect(try settings.pair().clientFailure == nil)
    }

    @Test func `trust is loaded from DER, a hashed directory and several sources`() throws {
        let certificates = try TestCertificates.shared.get()
        let list = try #require(
            try TLSSettings().pair().client.sessionInfo.peer
        ).chain
        var settings = try TLSSettings()
        settings.client.trust = .der([list.der(at: list.count - 1)])
        #expect(try settings.pair().clientFailure == nil)
        settings.client.trust = .pem(certificates.otherRoot.certificate)
            .adding(.pem(certificates.root.certificate))
        #expect(try settings.pair().clientFailure == nil)
        settings.client.trust = .der([])
        #expect(throws: TLSError.self) { try TLSContext(client: settings.client) }
        settings.client.trust = .directory("/no/such/directory")
        #expect(
            throws: TLSError.failed(.trust(source: "/no/such/directory", reason: "not a directory"))
        ) {
            try TLSContext(client: settings.client)
        }
        // A directory without the authority makes no certificate trusted.
        settings.client.trust = .directory("/")
        #expect(try settings.pair().clientFailure != nil)
    }
}

import Glibc
import HTTPTestServer
import SocketTransport
import Support
import Synchronization
import Testing

@Suite struct RotatingContextTests {
    private let directory: TemporaryDirectory
    private let certificates: TestCertificates

    init() throws {
        directory = try TemporaryDirectory()
        certificates = try TestCertificates.shared.get()
    }

    private struct Absent: Error {}

    /// Returns a time after the start of the tests, in seconds.
    private func time(_ seconds: Double) -> Deadline {
        Deadline(nanoseconds: Int64(seconds * 1e9) + 1)
    }

    /// Writes a new certificate, its key, or both.
    private func write(_ parts: Set<String>, _ identity: IssuedCertificate) throws {
        if parts.contains("chain") {
            try directory.write(identity.certificateChain, as: "me.pem")
        }
        if parts.contains("key") { try directory.write(identity.privateKey, as: "me.key") }
    }

    private func settings() -> HTTPSecurity {
        var security = HTTPSecurity(trust: .pem(certificates.root.certificate))
        security.identity = .files(
            certificate: directory.path + "/me.pem",
            key: directory.path + "/me.key"
        )
        return security
    }

    @Test func `files are examined once a second, and read again when they have changed`() throws {
        try write(["chain", "key"], certificates.client("one.test"))
        let rotating = try RotatingContext(settings(), at: time(0))
        let first = rotating.context
        #expect(rotating.refresh(at: time(5)) == nil && rotating.context === first)
        try write(["chain", "key"], certificates.client("two.test"))
        #expect(rotating.refresh(at: time(5.9)) == nil && !first.isReplaced)
        #expect(rotating.refresh(at: time(6)) == .replaced)
        #expect(rotating.context !== first && first.isReplaced && !rotating.context.isReplaced)
        #expect(rotating.refresh(at: time(9)) == nil)
    }

    @Test(arguments: [["chain", "key"], ["key", "chain"]])
    func `until both halves are there, the old pair is used`(order: [String]) throws {
        try write(["chain", "key"], certificates.client("one.test"))
        let rotating = try RotatingContext(settings(), at: time(0))
        let first = rotating.context
        let other = try certificates.client("two.test")
        try write([order[0]], other)
        guard case .kept(.failed(.identity))? = rotating.refresh(at: time(1)) else {
            Issue.record("the pair fits")
            return
        }
        // The failure is reported once.
        #expect(rotating.refresh(at: time(2)) == nil && rotating.context === first)
        try write([order[1]], other)
        #expect(rotating.refresh(at: time(3)) == .replaced && rotating.context !== first)
    }

    @Test func `a missing, empty or damaged file changes nothing until it is whole`() throws {
        let path = directory.path + "/ca.pem"
        try directory.write(certificates.root.certificate, as: "ca.pem")
        for trust in [HTTPSecurity.Trust.file(path), .system.adding(.file(path))] {
            let rotating = try RotatingContext(HTTPSecurity(trust: trust), at: time(0))
            let first = rotating.context
            _ = unsafe unlink(path)
            var seconds = 0.0
            func next() -> RotatingContext.Event? {
                seconds += 1
                return rotating.refresh(at: time(seconds))
            }
            for bytes in [nil, [], Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8)] as [[UInt8]?]
            {
                if let bytes { try directory.write(bytes, as: "ca.pem") }
                guard case .kept(.failed(.trust))? = next() else {
                    Issue.record("the file is usable")
                    continue
                }
                #expect(next() == nil && rotating.context === first)
            }
            try directory.write(certificates.root.certificate, as: "ca.pem")
            #expect(next() == .replaced && rotating.context !== first)
        }
    }

    @Test func `a symbolic link that points to another folder is noticed`() throws {
        for (name, host) in [("a", "one.test"), ("b", "two.test")] {
            try #require(unsafe mkdir(directory.path + "/" + name, 0o700) == 0)
            let identity = try certificates.client(host)
            try directory.write(identity.certificateChain, as: name + "/me.pem")
            try directory.write(identity.privateKey, as: name + "/me.key")
        }
        let link = directory.path + "/current"
        try #require(unsafe symlink("a", link) == 0)
        var security = HTTPSecurity(trust: .pem(certificates.root.certificate))
        security.identity = .files(certificate: link + "/me.pem", key: link + "/me.key")
        let rotating = try RotatingContext(security, at: time(0))
        try #require(unsafe symlink("b", link + ".new") == 0)
        try #require(unsafe rename(link + ".new", link) == 0)
        #expect(rotating.refresh(at: time(1)) == .replaced)
    }

    @Test func `the bytes that pass through a pipe are no change`() throws {
        let path = directory.path + "/pipe.pem"
        let made = unsafe mkfifo(path, 0o600)
        try #require(made == 0)
        let pipe = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(pipe >= 0)
        defer { Glibc.close(pipe) }
        let security = HTTPSecurity(trust: .file(path))
        let before = SecurityFileStamps(of: security)
        let written = unsafe Glibc.write(pipe, [1, 2, 3], 3)
        try #require(written == 3)
        #expect(SecurityFileStamps(of: security) == before)
    }

    @Test func `files of pins are examined too, and settings without files never`() throws {
        let path = try directory.write(certificates.leaf("a.test").certificateChain, as: "pin.pem")
        var pinned = HTTPSecurity()
        pinned.pins = [HTTPPin.Rule(host: "a.test", pins: [.certificate(file: path)])]
        let rotating = try RotatingContext(pinned, at: time(0))
        try directory.write(certificates.leaf("a.test").certificateChain, as: "pin.pem")
        #expect(rotating.refresh(at: time(1)) == .replaced)
        let constant = try RotatingContext(HTTPSecurity(), at: time(0))
        #expect(constant.refresh(at: time(100)) == nil)
    }

    @Test func `a provider is asked for each connection, and its failures change nothing`() throws {
        let one = try certificates.client("one.test")
        let two = try certificates.client("two.test")
        let current = Mutex<IssuedCertificate?>(one)
        var security = HTTPSecurity(trust: .pem(certificates.root.certificate))
        security.provider = HTTPSecurity.Provider { security in
            guard let identity = current.withLock({ $0 }) else { throw Absent() }
            security.identity = .bytes(
                certificate: identity.certificateChain,
                key: identity.privateKey
            )
        }
        let rotating = try RotatingContext(security, at: time(0))
        #expect(rotating.refresh(at: time(0)) == nil)
        current.withLock { $0 = two }
        #expect(rotating.refresh(at: time(0)) == .replaced)
        let good = rotating.context
        current.withLock { $0 = nil }
        let absent = TLSError.failed(.settings(reason: "the provider failed: Absent()"))
        #expect(rotating.refresh(at: time(0)) == .kept(absent))
        #expect(rotating.refresh(at: time(9)) == nil && rotating.context === good)
        let wrong = IssuedCertificate(
            certificateChain: one.certificateChain,
            privateKey: two.privateKey
        )
        current.withLock { $0 = wrong }
        guard case .kept(.failed(.identity))? = rotating.refresh(at: time(10)) else {
            Issue.record("the pair fits")
            return
        }
        #expect(rotating.refresh(at: time(20)) == nil && rotating.context === good)
        current.withLock { $0 = two }
        #expect(rotating.refresh(at: time(21)) == nil && rotating.context === good)
        current.withLock { $0 = one }
        #expect(rotating.refresh(at: time(21)) == .replaced)
    }

    @Test func `a provider that fails at first is an error`() {
        var security = HTTPSecurity()
        security.provider = HTTPSecurity.Provider { _ in throw Absent() }
        #expect(throws: TLSError.failed(.settings(reason: "the provider failed: Absent()"))) {
            try RotatingContext(security, at: time(0))
        }
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests what downloads over several connections do when limits, servers and files are unusual.
@Suite(.timeLimit(.minutes(10))) struct SegmentedDownloadFaultTests {
    private static let content = SegmentedDownloadTests.content

    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    /// Returns an answer to each request that lets the first connection wait for a second one.
    private static func afterSecondConnection(
        _ latch: Latch
    ) -> @Sendable (RangeServer.Asked) async -> HTTPTestServer.Response? {
        let first = Locked<Int?>(nil)
        return { asked in
            let isFirst = first.withLock { first in
                first = first ?? asked.connection
                return first == asked.connection
            }
            if !isFirst { latch.open() } else if asked.number > 0 { await latch.wait() }
            return nil
        }
    }

    // MARK: - Limits

    @Test func `the rate limit of a call holds for all parts together`() async throws {
        let content = TestContent.bytes(300_000)
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(content, Self.afterSecondConnection(latch))
        let options = HTTPDownloadOptions(segments: .upTo(4, minSize: 30_000))
        let request = HTTPRequest(server.url).with { $0.rateLimit = .bytesPerSecond(300_000) }
        let start = Deadline.now()
        _ = try await HTTPClient().download(request, to: path, options: options)
        let elapsed = Deadline.now().nanoseconds - start.nanoseconds
        #expect(TestFileSystem.contents(of: path) == content)
        #expect(Set(server.asked.map(\.connection)).count > 1)
        // Less than a second only by the burst of each limiter. Without a common one it would be half of that.
        #expect(elapsed >= 900_000_000, "\(elapsed) ns")
    }

    @Test func `a client with one connection in all requests the whole file`() async throws {
        let server = try await RangeServer.start(Self.content)
        var configuration = HTTPClient.Configuration()
        configuration.maxConnections = 1
        let file = try await HTTPClient(configuration)
            .download(server.url, to: path, options: SegmentedDownloadTests.options())
        #expect(file.size == 100 && server.asked.map(\.range) == [nil])
    }

    // MARK: - Servers

    @Test func `parts are downloaded over TLS`() async throws {
        let content = TestContent.bytes(2_000_000)
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(
            content,
            tls: .selfIssued,
            Self.afterSecondConnection(latch)
        )
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(server.server.certificateAuthorityPEM)
        let options = HTTPDownloadOptions(segments: .upTo(4, minSize: 100_000))
        let file = try await HTTPClient(configuration)
            .download(server.url, to: path, options: options)
        #expect(file.size == content.count)
        #expect(TestFileSystem.contents(of: path) == content)
        #expect(Set(server.asked.map(\.connection)).count > 1)
    }

    @Test func `a refused second connection leaves the file to the first one`() async throws {
        let server = try await RangeServer.start(Self.content)
        let dialer = SecondRefused()
        let client = HTTPClient().with {
            $0.dialer = dialer
            $0.retries = .never
        }
        let file = try await client.download(
            server.url,
            to: path,
            options: SegmentedDownloadTests.options()
        )
        #expect(dialer.count > 2)
        #expect(file.size == 100)
        #expect(TestFileSystem.contents(of: path) == Self.content)
    }

    /// A dialer that refuses the second request.
    private final class SecondRefused: HTTPDialer {
        private let dialed = Locked(0)

        var count: Int { dialed.withLock { $0 } }

        func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome {
            let number = dialed.withLock { count in
                count += 1
                return count
            }
            if number == 2 { throw HTTPDialRequest.DialError(.connectFailed([])) }
            return .network
        }
    }

    // MARK: - Journals

    typealias Damage = JournaledDownloadTests.Damage

    @Test(arguments: [
        Damage.text("a changed part") { $0.replacing("parts: 32-60", with: "parts: 32-61") },
        .text("a truncated line") { String($0.prefix { $0 != "-" }) },
        .text("a second line of parts") {
            $0.replacing("\nparts:", with: "\nparts: 80-90\nparts:")
        },
        .rewrite("parts within the first bytes") { $0.written = 50 },
        .rewrite("parts beyond the total size") { $0.total = 40 },
        .rewrite("parts beyond the file") { $0.parts.insert(70..<90) },
        .rewrite("synchronized parts that are not written") { $0.syncedParts.insert(15..<20) },
        .rewrite("another URL") { $0.url += "x" },
        .rewrite("another origin") { $0.origin = "http://127.0.0.1:1" },
        .rewrite("another inode") { $0.inode += 1 },
        .rewrite("no validator") { $0.validator = nil },
        Damage(testDescription: "a shorter file") { _, part in
            let bytes = try #require(TestFileSystem.contents(of: part))
            try TestFileSystem.write(Array(bytes.prefix(40)), to: part)
        },
        Damage(testDescription: "no file") { _, part in TestFileSystem.delete(part) },
    ])
    func `a journal with parts that does not fit gives a right file`(damage: Damage) async throws {
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range == 10..<32 || asked.range == 61..<71 { await latch.wait() }
            return nil
        }
        let client = HTTPClient()
        let call = client.startDownload(
            server.url,
            to: path,
            options: SegmentedDownloadTests.options(journal: .on)
        )
        while !server.ranges.contains(61..<71) { await moment() }
        call.cancel()
        _ = await call.result
        latch.open()
        let name = try #require(PartialFileName(target: path))
        let saved = try #require(TestFileSystem.contents(of: name.journalPath))
        #expect(DownloadJournal(saved)?.parts.isEmpty == false)
        try damage.change(name.journalPath, name.journaledPath)
        // A byte that is kept by mistake is seen.
        if var bytes = TestFileSystem.contents(of: name.journaledPath), bytes.count > 35 {
            bytes[35] ^= 1
            try TestFileSystem.write(bytes, to: name.journaledPath)
        }
        let file = try await client.download(
            server.url,
            to: path,
            options: SegmentedDownloadTests.options(journal: .on)
        )
        #expect(file.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }
}

extension JournaledDownloadTests.Damage {
    /// Changes the text of the journal, whose check is that of the former text.
    fileprivate static func text(
        _ name: String,
        _ change: @escaping @Sendable (String) -> String
    ) -> Self {
        Self(testDescription: name) { path, _ in
            let bytes = try #require(TestFileSystem.contents(of: path))
            let changed = change(String(decoding: bytes, as: UTF8.self))
            try TestFileSystem.write(Array(changed.utf8), to: path)
        }
    }
}

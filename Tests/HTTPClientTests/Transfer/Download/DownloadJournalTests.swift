import HTTPClient
import SocketTransport
import Support
import Testing

@Suite struct DownloadJournalTests {
    private static let journal = DownloadJournal(
        url: "https://example.com/big.iso?X-Amz-Signature=***",
        origin: "https://cdn.example.com",
        validator: "\"5f3a%-1c\"",
        total: 7_340_032,
        digest: nil,
        written: 6_291_456,
        synced: 4_194_304,
        boot: "4a1e0e5c",
        inode: 18_446_744_073_709_551_615
    )

    private func parsed(_ text: String) -> DownloadJournal? { DownloadJournal(Array(text.utf8)) }

    @Test func `the example of the article is a journal`() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(5)
            .joined(separator: "/")
        let article = root + "/Sources/HTTPClient/HTTPClient.docc/Downloads.md"
        let bytes = try #require(TestFileSystem.contents(of: article))
        let text = String(decoding: bytes, as: UTF8.self)
        let start = try #require(text.firstRange(of: "HTTPClient download journal 1\n"))
        let example = text[start.lowerBound...]
        let end = try #require(example.firstRange(of: "```"))
        let journal = try #require(parsed(String(example[..<end.lowerBound])))
        #expect(!journal.parts.isEmpty && !journal.syncedParts.isEmpty)
    }

    @Test func `a journal is formatted and parsed`() {
        let text = Self.journal.text
        #expect(
            text.hasPrefix(
                """
                HTTPClient download journal 1
                url: https://example.com/big.iso?X-Amz-Signature=***
                origin: https://cdn.example.com
                validator: "5f3a%25-1c"
                total: 7340032
                written: 6291456
                synced: 4194304
                boot: 4a1e0e5c
                inode: 18446744073709551615
                check: 
                """
            )
        )
        #expect(parsed(text) == Self.journal)
        var least = Self.journal
        (least.validator, least.total, least.boot) = (nil, nil, nil)
        least.digest = "sha256:00"
        #expect(parsed(least.text) == least)
    }

    @Test func `a truncated journal is ignored`() {
        let text = Array(Self.journal.text.utf8)
        // The line break at the end is no content.
        for count in 0..<text.count - 1 { #expect(DownloadJournal(Array(text[..<count])) == nil) }
        #expect(DownloadJournal(text + [0x0A]) == nil)
        #expect(DownloadJournal([UInt8](repeating: 0, count: text.count)) == nil)
    }

    @Test func `a journal with any changed byte is ignored`() {
        let text = Array(Self.journal.text.utf8)
        for index in text.indices {
            for change: UInt8 in [1, 0x20, 0x80] {
                var damaged = text
                damaged[index] ^= change
                #expect(DownloadJournal(damaged) == nil, "\(index)")
            }
        }
    }

    @Test(
        arguments: [
            { $0.synced = 6_291_457 }, { $0.total = 6_291_455 }, { $0.validator = "W/\"a\"" },
            { $0.validator = "a" },
        ] as [@Sendable (inout DownloadJournal) -> Void]
    )
    func `a journal that contradicts itself is ignored`(
        change: @Sendable (inout DownloadJournal) -> Void
    ) {
        var journal = Self.journal
        change(&journal)
        #expect(parsed(journal.text) == nil)
    }

    @Test(
        arguments: [
            (7, 100, "b", 80), (7, 80, "b", 80), (7, 79, "b", 0), (7, 100, "c", 50),
            (7, 50, "c", 50),
            (7, 49, "c", 0), (7, 100, nil, 50), (8, 100, "b", 0),
        ] as [(UInt64, Int, String?, Int)]
    )
    func `unsynchronized bytes count only while the system runs`(
        inode: UInt64,
        size: Int,
        boot: String?,
        bytes: Int
    ) {
        var journal = Self.journal
        (journal.written, journal.synced, journal.boot, journal.inode) = (80, 50, "b", 7)
        #expect(journal.reliableBytes(inode: inode, size: size, boot: boot) == bytes)
        journal.boot = nil
        let unknown = inode == 7 && size >= 50 ? 50 : 0
        #expect(journal.reliableBytes(inode: inode, size: size, boot: boot) == unknown)
    }

    // MARK: - Parts

    private static let divided: DownloadJournal = {
        var journal = Self.journal
        (journal.written, journal.synced) = (80, 40)
        journal.parts = ByteRangeSet([100..<200, 300..<301])
        journal.syncedParts = ByteRangeSet([50..<60, 100..<150])
        (journal.inode, journal.boot) = (7, "b")
        return journal
    }()

    @Test func `the parts after a gap are lines of their own`() {
        let text = Self.divided.text
        #expect(
            text.contains(
                "synced: 40\nparts: 100-199 300-300\nsynced-parts: 50-59 100-149\nboot: b\n"
            )
        )
        #expect(parsed(text) == Self.divided)
        for index in text.utf8.indices.dropLast() { #expect(parsed(String(text[..<index])) == nil) }
    }

    @Test(
        arguments: [
            { $0.parts = ByteRangeSet([80..<90]) }, { $0.parts = ByteRangeSet([79..<90]) },
            { $0.parts = ByteRangeSet([7_340_000..<7_340_033]) }, { $0.total = nil },
            { $0.validator = nil }, { $0.syncedParts = ByteRangeSet([50..<81]) },
            { $0.syncedParts = ByteRangeSet([250..<260]) },
            { $0.syncedParts = ByteRangeSet([40..<50]) },
        ] as [@Sendable (inout DownloadJournal) -> Void]
    )
    func `parts that contradict the rest of the journal are not trusted`(
        change: @Sendable (inout DownloadJournal) -> Void
    ) {
        var journal = Self.divided
        change(&journal)
        #expect(parsed(journal.text) == nil)
    }

    @Test(
        arguments: [
            (301, "b", [0..<80, 100..<200, 300..<301]), (300, "b", []),
            (301, "c", [0..<40, 50..<60, 100..<150]),
            (149, "c", []), (150, nil, [0..<40, 50..<60, 100..<150]),
        ] as [(Int, String?, [Range<Int>])]
    )
    func `unsynchronized parts count only while the system runs`(
        size: Int,
        boot: String?,
        ranges: [Range<Int>]
    ) {
        let reliable = Self.divided.reliableRanges(inode: 7, size: size, boot: boot)
        #expect(reliable.ranges == ranges)
        #expect(Self.divided.reliableRanges(inode: 8, size: size, boot: boot).isEmpty)
    }

    @Test(arguments: ["", "1", "200-100", "100-199 199-210", "100-199  300-301", "100-199,300-301"])
    func `malformed parts make the journal unreadable`(value: String) {
        #expect(journal(withParts: "100-199") != nil)
        #expect(journal(withParts: value) == nil)
    }

    /// Returns the journal with another value in the line `parts` and a correct last line.
    private func journal(withParts value: String) -> DownloadJournal? {
        var journal = Self.journal
        journal.written = 80
        journal.synced = 80
        journal.validator = "\"a\""
        var lines = journal.text.split(separator: "\n").dropLast().map(String.init)
        lines.insert("parts: \(value)", at: lines.count - 2)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in lines.joined(separator: "\n").utf8 + [0x0A] {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        lines.append("check: \(String(repeating: "0", count: 16 - digits.count))\(digits)")
        return parsed(lines.joined(separator: "\n") + "\n")
    }

    @Test(arguments: [
        ("http://u:p@a/b?c=d#e", "http://a/b?c=d"),
        ("http://a/b", "http://a/b"),
        (
            "http://a/b?X-Amz-Date=1&X-Amz-Expires=60&X-Amz-Signature=ab&v=2",
            "http://a/b?X-Amz-Date=***&X-Amz-Expires=***&X-Amz-Signature=***&v=2"
        ),
        (
            "http://a/b?Expires=9&Policy=x&Signature=s&Key-Pair-Id=k&f=1",
            "http://a/b?Expires=***&Policy=***&Signature=***&Key-Pair-Id=***&f=1"
        ),
        ("http://a/b?sv=2&se=3&sr=b&sig=xyz", "http://a/b?sv=***&se=***&sr=***&sig=***"),
        // Without a signature, these are ordinary parameters.
        ("http://a/b?expires=9&se=1", "http://a/b?expires=9&se=1"),
        ("http://a/b?access_token=t&id=3&", "http://a/b?access_token=***&id=3&"),
        ("http://127.1/b", "http://127.0.0.1/b"), ("http://2130706433:80/b", "http://127.0.0.1/b"),
        ("HTTPS://EXAMPLE.com:443", "https://example.com/"), ("http://A:8080/b", "http://a:8080/b"),
        ("http://[0:0::1]/b", "http://[::1]/b"), ("http://[::1]:81/b", "http://[::1]:81/b"),
    ])
    func `the URL is recorded without credentials and signatures`(url: String, text: String) throws
    {
        #expect(DownloadJournal.comparable(try URI(parsing: url)) == text)
    }
}

@Suite struct JournalSecretTests {
    @Test(arguments: LoggedSecrets.urls)
    func `no place of a secret in a URL is recorded`(url: String) throws {
        let text = DownloadJournal.comparable(try URI(encoding: url))
        #expect(!text.contains(LoggedSecrets.secret) && text.contains("127.0.0.1:1"), "\(text)")
    }
}

@Suite struct JournalRulesTests {
    private static let journal = DownloadJournal(
        url: "http://a/",
        origin: "http://a",
        validator: "\"a\"",
        total: nil,
        digest: nil,
        written: 80,
        synced: 50,
        boot: nil,
        inode: 7
    )

    @Test(arguments: [
        (0, 0, 0, JournalRules.Step.nothing), (9, 0, 0, .nothing), (10, 0, 0, .save),
        (49, 40, 0, .nothing), (50, 45, 0, .syncAndSave), (99, 95, 50, .nothing),
        (100, 95, 50, .syncAndSave),
    ])
    func `the journal is saved more often than the file is synchronized`(
        written: Int,
        saved: Int,
        synced: Int,
        step: JournalRules.Step
    ) {
        var intervals = JournalRules.Intervals()
        (intervals.save, intervals.sync) = (10, 50)
        let rule = JournalRules.step(
            written: written,
            saved: saved,
            synced: synced,
            .beforeRename,
            intervals
        )
        #expect(rule == step)
        let never = JournalRules.step(
            written: written,
            saved: saved,
            synced: synced,
            .never,
            intervals
        )
        #expect(never == (written - saved >= 10 ? .save : .nothing))
    }

    private typealias Change = @Sendable (inout DownloadJournal) -> Void

    private static let changes: [(change: Change, durability: JournalDurability)] = [
        ({ _ in }, JournalDurability.content), ({ $0.written = 60 }, .content),
        ({ $0.synced = 51 }, .content), ({ $0.total = 90 }, .content),
        ({ $0.boot = "b" }, .content),
        ({ $0.synced = 49 }, .power), ({ $0.validator = "\"b\"" }, .power),
        ({ $0.validator = nil }, .power), ({ $0.inode = 8 }, .power),
        ({ $0.origin = "http://b" }, .power),
        ({ $0.syncedParts = ByteRangeSet([60..<70]) }, .content),
    ]

    @Test func `a journal that counts fewer synchronized parts must be durable`() {
        var old = Self.journal
        old.syncedParts = ByteRangeSet([60..<70])
        var next = old
        next.syncedParts = ByteRangeSet([60..<75])
        #expect(JournalRules.durability(replacing: old, by: next) == .content)
        next.syncedParts = ByteRangeSet([61..<75])
        #expect(JournalRules.durability(replacing: old, by: next) == .power)
        (next.synced, next.syncedParts) = (75, ByteRangeSet())
        #expect(JournalRules.durability(replacing: old, by: next) == .content)
        old.synced = 0
        next.synced = 65
        #expect(JournalRules.durability(replacing: old, by: next) == .power)
    }

    @Test func `a journal that counts fewer synchronized bytes must be durable`() {
        for (change, durability) in Self.changes {
            var next = Self.journal
            change(&next)
            #expect(JournalRules.durability(replacing: Self.journal, by: next) == durability)
            var unsynced = Self.journal
            unsynced.synced = 0
            #expect(JournalRules.durability(replacing: unsynced, by: next) == .process)
            #expect(JournalRules.durability(replacing: nil, by: next) == .process)
        }
    }

    @Test func `removing a journal that counts synchronized bytes must be durable`() {
        #expect(JournalRules.durability(replacing: Self.journal, by: nil) == .power)
        #expect(JournalRules.durability(replacing: nil, by: nil) == .process)
    }
}

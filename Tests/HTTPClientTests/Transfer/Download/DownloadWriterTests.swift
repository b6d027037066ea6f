import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests which bytes a download counts after its writes and synchronizations have failed.
@Suite struct DownloadWriterTests {
    private static let content = TestContent.bytes(1000)

    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    private func writer(
        _ files: any DownloadFiles,
        _ change: (inout DownloadWriter.Rules) -> Void = { _ in }
    ) throws -> DownloadWriter {
        var rules = DownloadWriter.Rules()
        rules.url = "http://a/"
        change(&rules)
        return try DownloadWriter(
            continuing: files,
            isNew: true,
            boot: BootIdentity.current,
            rules
        )
    }

    /// Receives the head of the whole content.
    private func begin(_ writer: inout DownloadWriter) throws {
        _ = try writer.receive(
            .ok,
            ["Content-Length": "1000", "ETag": "\"v1\""],
            from: "http://a",
            isVerbatim: true
        )
        try writer.claim()
    }

    /// The number of bytes that the next process finds.
    private func continued() throws -> Int {
        let file = try JournaledFile.open(beside: path)
        defer { file.release() }
        return try writer(file).state.completed
    }

    // MARK: - Synchronizing

    /// The kernel reports a lost write to one fsync(2) only, and the next one succeeds.
    @Test(arguments: [0, 600])
    func `bytes whose synchronization failed are not counted`(synced: Int) throws {
        let fails = Locked(false)
        let file = try JournaledFile.open(beside: path)
        let fail: @Sendable () throws(Errno) -> Void = { () throws(Errno) in
            let isFailing = fails.withLock { fails in
                defer { fails = false }
                return fails
            }
            if isFailing { throw .inputOutput }
        }
        let files = HookedFiles(file, onFlush: fail) { _, _ in nil }
        var writer = try writer(files) { rules in
            rules.intervals.sync = 600
            rules.intervals.save = 1
        }
        try begin(&writer)
        if synced > 0 { try writer.write(Array(Self.content[..<synced])) }
        fails.withLock { $0 = true }
        let error = #expect(throws: DownloadWriter.WriteError.self) {
            try writer.write(Array(Self.content[synced...]))
            _ = try writer.finish(path)
        }
        guard case .fileFailed(_, .synchronize, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(writer.state.completed == synced)
        guard case .resumable(let journal) = writer.suspend() else {
            #expect(synced == 0)
            return
        }
        #expect(journal.written == synced)
        #expect(try continued() == synced)
    }

    @Test func `a journal that counts bytes whose synchronization failed is not kept`() throws {
        let isBroken = Locked(false)
        let file = try JournaledFile.open(beside: path)
        let fail: @Sendable () throws(Errno) -> Void = { () throws(Errno) in
            if isBroken.withLock({ $0 }) { throw .inputOutput }
        }
        let files = HookedFiles(file, onJournal: fail, onFlush: fail) { _, _ in nil }
        var writer = try writer(files) { rules in
            rules.intervals.sync = 600
            rules.intervals.save = 100
        }
        try begin(&writer)
        try writer.write(Array(Self.content[..<600]))
        // The journal counts these as written, but not as synchronized.
        try writer.write(Array(Self.content[600..<800]))
        isBroken.withLock { $0 = true }
        #expect(throws: DownloadWriter.WriteError.self) { try writer.finish(path) }
        let remainder = writer.suspend()
        #expect(remainder == .useless)
    }

    /// The step that fails after a download.
    enum UncertainStep: CaseIterable {
        case none
        case flush
        case truncate
    }

    @Test(arguments: UncertainStep.allCases)
    func `a file without a journal is not kept if its bytes are uncertain`(
        failure: UncertainStep
    ) throws {
        let failing = Locked<UncertainStep?>(nil)
        let file = try OutputFile.create(beside: path)
        let flush: @Sendable () throws(Errno) -> Void = { () throws(Errno) in
            if failing.withLock({ $0 }) == .flush { throw .inputOutput }
        }
        let truncate: @Sendable () throws(Errno) -> Void = { () throws(Errno) in
            if failing.withLock({ $0 }) == .truncate { throw .inputOutput }
        }
        let files = HookedFiles(file, onFlush: flush, onTruncate: truncate) { _, _ in nil }
        var writer = try DownloadWriter(
            creating: files,
            .resumable,
            boot: nil,
            DownloadWriter.Rules()
        )
        try begin(&writer)
        try writer.write(Array(Self.content[..<600]))
        failing.withLock { $0 = failure }
        let remainder = writer.suspend()
        if failure == .none {
            guard case .resumable(let journal) = remainder else {
                Issue.record("\(remainder)")
                return
            }
            #expect(journal.written == 600 && journal.synced == 600)
        } else {
            #expect(remainder == .useless)
        }
    }

    // MARK: - Reserving space

    @Test(arguments: [
        (Errno.notSupported, false), (.noSpace, false), (Errno(rawValue: EDQUOT), false),
        (Errno(rawValue: EFBIG), false), (Errno(rawValue: ENOSYS), false), (.invalid, false),
        (.inputOutput, true),
    ])
    func `a file system that reserves no space is asked once, and the bytes are written`(
        error: Errno,
        fails: Bool
    ) throws {
        let count = Locked(0)
        let reserve: @Sendable () throws(Errno) -> Void = { () throws(Errno) in
            count.withLock { $0 += 1 }
            throw error
        }
        let file = try JournaledFile.open(beside: path)
        let files = HookedFiles(file, onPreallocate: reserve) { _, _ in nil }
        var writer = try writer(files) { $0.preallocation = .whenSizeIsKnown }
        guard !fails else {
            #expect(throws: DownloadWriter.WriteError.self) { try begin(&writer) }
            return
        }
        try begin(&writer)
        // The response begins again, and cuts off the bytes of the first one.
        try writer.write(Array(Self.content.prefix(10)))
        try begin(&writer)
        try writer.write(Self.content)
        _ = try writer.finish(path)
        #expect(count.withLock { $0 } == 1)
        #expect(TestFileSystem.contents(of: path) == Self.content)
    }

    // MARK: - Digests

    @Test(arguments: [0, 45])
    func `the digest is that of the bytes that were written last`(flipped: Int) throws {
        let file = try JournaledFile.open(beside: path)
        var writer = try writer(file) { rules in
            rules.digest = try? .sha256(of: Self.content)
        }
        try begin(&writer)
        try writer.write(Array(Self.content[..<60]))
        // Another part began before the end of the first one, and overwrites it.
        var rest = Array(Self.content[40...])
        if flipped > 0 { rest[flipped - 40] ^= 1 }
        try writer.write(rest, at: 40)
        guard flipped > 0 else {
            _ = try writer.finish(path)
            return
        }
        let error = #expect(throws: DownloadWriter.WriteError.self) { try writer.finish(path) }
        guard case .digestMismatch = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test(arguments: [false, true])
    func `no write reads much of the file again for the digest`(isWrong: Bool) throws {
        let content = TestContent.bytes(24 << 20)
        let read = Locked(0)
        let count: @Sendable (Int) -> Void = { bytes in read.withLock { $0 += bytes } }
        let files = HookedFiles(try JournaledFile.open(beside: path), onRead: count) { _, _ in nil }
        var writer = try writer(files) { rules in
            rules.digest = try? .sha256(of: content)
        }
        _ = try writer.receive(
            .ok,
            ["Content-Length": "\(content.count)", "ETag": "\"v1\""],
            from: "http://a",
            isVerbatim: true
        )
        try writer.claim()
        // Another connection has written all but the first and the last mebibytes.
        var middle = Array(content[1 << 20..<18 << 20])
        if isWrong { middle[5 << 20] ^= 1 }
        try writer.write(middle, at: 1 << 20)
        try writer.write(Array(content[..<(1 << 20)]))
        #expect(writer.state.written == 18 << 20)
        read.withLock { $0 = 0 }
        for start in stride(from: 18 << 20, to: content.count, by: 1 << 20) {
            try writer.write(Array(content[start..<start + (1 << 20)]))
            let bytes = read.withLock { bytes in
                defer { bytes = 0 }
                return bytes
            }
            #expect(bytes <= FileVerifier.maxRead)
        }
        guard isWrong else {
            _ = try writer.finish(path)
            // The writes have left little to be read.
            #expect(read.withLock { $0 } <= FileVerifier.maxRead)
            return
        }
        let error = #expect(throws: DownloadWriter.WriteError.self) { try writer.finish(path) }
        guard case .digestMismatch = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }
}

import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests that a download on a full disk continues when there is space again.
@Suite(.timeLimit(.minutes(10))) struct FullDiskTests {
    /// Whether this process may mount a small file system.
    private static let mayMount = geteuid() == 0

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Returns a download to `file` in the directory that receives `content`.
    private func writer(
        _ files: any DownloadFiles,
        isNew: Bool,
        of content: [UInt8]
    ) throws -> DownloadWriter {
        var rules = DownloadWriter.Rules()
        rules.url = "http://a/"
        var writer = try DownloadWriter(
            continuing: files,
            isNew: isNew,
            boot: BootIdentity.current,
            rules
        )
        let (offset, count) = (writer.state.written, content.count)
        let whole: HTTPHeaders = ["Content-Length": "\(count)", "ETag": "\"v1\""]
        let range = "bytes \(offset)-\(count - 1)/\(count)"
        _ = try writer.receive(
            offset == 0 ? .ok : 206,
            offset == 0 ? whole : ["Content-Range": range, "ETag": "\"v1\""],
            from: "http://a",
            isVerbatim: true
        )
        try writer.claim()
        return writer
    }

    /// A disk of a certain size that holds one partial file.
    struct Row: Sendable {
        /// The bytes of one write.
        let step: Int
        /// The bytes that the disk takes.
        let room: Int
        /// The bytes of the next call's partial file.
        let kept: Int
        /// The error of the system.
        var error = Errno.noSpace
    }

    @Test(arguments: [
        // The whole download is one write.
        Row(step: 1 << 20, room: 700_001, kept: 700_001),
        Row(step: 256 << 10, room: 700_001, kept: 700_001),
        Row(step: 1 << 20, room: 1, kept: 1),
        Row(step: 1000, room: 999_000, kept: 999_000),
        Row(step: 1 << 20, room: 700_001, kept: 700_001, error: Errno(rawValue: EDQUOT)),
        Row(step: 1 << 20, room: 700_001, kept: 700_001, error: Errno(rawValue: EFBIG)),
    ])
    func `the bytes that a full disk has taken are continued`(row: Row) throws {
        let content = TestContent.bytes(1 << 20)
        let path = directory.path + "/file"
        let file = try JournaledFile.open(beside: path)
        let files = HookedFiles(file, whenFull: row.error) { count, offset in
            offset + count > row.room ? row.room - offset : nil
        }
        var writer = try writer(files, isNew: file.isNew, of: content)
        let error = #expect(throws: DownloadWriter.WriteError.self) {
            for start in stride(from: 0, to: content.count, by: row.step) {
                try writer.write(Array(content[start...].prefix(row.step)))
            }
        }
        guard case .fileFailed(_, .write, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        guard case .resumable = writer.suspend() else {
            Issue.record("the file is not kept")
            return
        }
        let next = try JournaledFile.open(beside: path)
        var later = try self.writer(next, isNew: next.isNew, of: content)
        #expect(later.state.resumedOffset == row.kept)
        try later.write(Array(content[row.kept...]))
        _ = try later.finish(path)
        #expect(TestFileSystem.contents(of: path) == content)
    }

    @Test func `the last bytes make room for the journal`() throws {
        let content = TestContent.bytes(1 << 20)
        let path = directory.path + "/file"
        let file = try JournaledFile.open(beside: path)
        let isFull = Locked(false)
        let files = HookedFiles(file) { () throws(Errno) in
            // There is room for a journal when 4 KiB of the file are gone.
            let size = try file.size
            if isFull.withLock({ $0 }), size > 500_000 - 4096 { throw .noSpace }
        } onWrite: { count, offset in
            guard offset + count > 500_000 else { return nil }
            isFull.withLock { $0 = true }
            return 500_000 - offset
        }
        var writer = try writer(files, isNew: file.isNew, of: content)
        #expect(throws: DownloadWriter.WriteError.self) { try writer.write(content) }
        guard case .resumable = writer.suspend() else {
            Issue.record("the file is not kept")
            return
        }
        let next = try JournaledFile.open(beside: path)
        let later = try self.writer(next, isNew: next.isNew, of: content)
        #expect(later.state.resumedOffset == 500_000 - 64 << 10)
    }

    /// How the body reaches the file.
    enum Framing: CaseIterable, Sendable {
        /// Through a pipe.
        case length
        /// Through memory.
        case chunks
    }

    /// Mounts a disk of 1 MiB of which the file `other` takes 400 KiB.
    private func mountDisk() throws -> String {
        let target = directory.path + "/small"
        try #require(unsafe mkdir(target, 0o700) == 0)
        try #require(unsafe mount("tmpfs", target, "tmpfs", 0, "size=1m") == 0)
        let other = [UInt8](repeating: 1, count: 400 << 10)
        try TestFileSystem.write(other, to: target + "/other")
        return target
    }

    @Test(.enabled(if: mayMount, "only root can mount a file system"), arguments: Framing.allCases)
    func `a call continues what another call has written to a full disk`(
        framing: Framing
    ) async throws {
        let target = try mountDisk()
        defer { unsafe _ = umount2(target, 2) }
        let content = TestContent.bytes(900 << 10)
        let server = try await HTTPTestServer.start { request in
            let offset =
                request.headers[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            guard offset > 0 else {
                return framing == .length
                    ? .bytes(content).header(.etag, "\"v1\"")
                    : .chunks([content]).header(.etag, "\"v1\"")
            }
            return .bytes(Array(content[offset...]), status: 206).header(.etag, "\"v1\"")
                .header(.contentRange, "bytes \(offset)-\(content.count - 1)/\(content.count)")
        }
        let client = HTTPClient()
        for _ in 0..<2 {
            let error = await failure {
                try await client.download(server.url, to: target + "/file", options: .resume)
            }
            guard case .fileFailed(_, .write, let reason) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(reason == Errno.noSpace.description)
        }
        TestFileSystem.delete(target + "/other")
        let file = try await client.download(
            server.url,
            to: target + "/file",
            options: .resume
        )
        // Twice, 64 KiB made room for the journal.
        #expect(file.resumedOffset >= 480 << 10)
        #expect(TestFileSystem.contents(of: target + "/file") == content)
        #expect(TestFileSystem.names(in: target) == ["file"])
    }

    @Test(.enabled(if: mayMount, "only root can mount a file system"))
    func `the parts that a full disk has taken are continued`() async throws {
        let target = try mountDisk()
        defer { unsafe _ = umount2(target, 2) }
        let content = TestContent.bytes(900 << 10)
        let server = try await RangeServer.start(content)
        let client = HTTPClient()
        let options = HTTPDownloadOptions(
            journal: .on,
            segments: .upTo(4, minSize: 32 << 10)
        )
        let error = await failure {
            try await client.download(server.url, to: target + "/file", options: options)
        }
        guard case .fileFailed(_, .write, let reason) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(reason == Errno.noSpace.description)
        TestFileSystem.delete(target + "/other")
        let count = server.asked.count
        let file = try await client.download(
            server.url,
            to: target + "/file",
            options: options
        )
        // The last step of each connection may be lost.
        #expect(file.resumedOffset >= 300 << 10)
        #expect(!server.asked[count...].contains { $0.range == nil || $0.range?.lowerBound == 0 })
        #expect(TestFileSystem.contents(of: target + "/file") == content)
        #expect(TestFileSystem.names(in: target) == ["file"])
    }

    @Test(.enabled(if: mayMount, "only root can mount a file system"))
    func `the mode of new files is found without files that have no name`() throws {
        let target = directory.path + "/queues"
        try #require(unsafe mkdir(target, 0o700) == 0)
        // A file system that does not support O_TMPFILE.
        try #require(unsafe mount("none", target, "mqueue", 0, nil) == 0)
        defer { unsafe _ = umount2(target, 2) }
        let usual = try OutputFile.defaultPermissions(beside: directory.path + "/file")
        #expect(try OutputFile.defaultPermissions(beside: target + "/file") == usual)
        #expect(TestFileSystem.names(in: target) == [])
    }
}

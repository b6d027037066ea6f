import Glibc
import HTTPClient
import Support
import Testing
import Wire

/// Tests that a store in a directory never uses a damaged or foreign file, and removes it.
@Suite(.timeLimit(.minutes(10))) struct DamagedCacheTests {
    private let files: CacheFiles
    private let uri = "http://a/"

    init() throws {
        files = try CacheFiles()
    }

    private func isDamaged(_ error: any Error) -> Bool {
        if case .damaged? = error as? CacheStoreError { true } else { false }
    }

    /// Returns damaged copies of a file: each byte changed, each shorter length, and more bytes.
    private static func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
        var all: [[UInt8]] = [bytes + [0], bytes + bytes]
        for index in bytes.indices {
            all.append(Array(bytes[..<index]))
            for mask in [UInt8(1), 0x80, 0xFF] {
                var copy = bytes
                copy[index] ^= mask
                all.append(copy)
            }
        }
        return all
    }

    @Test func `metadata with any changed or missing byte is removed`() throws {
        try files.store.put(uri, [1, 2, 3], language: "de")
        let path = try files.only(".meta")
        let bytes = try #require(TestFileSystem.contents(of: path))
        for damaged in Self.damaged(bytes) {
            try TestFileSystem.write(damaged, to: path)
            #expect(throws: CacheStoreError.damaged(path: path)) {
                try files.store.entries(of: uri)
            }
            #expect(TestFileSystem.contents(of: path) == nil)
            #expect(try files.store.entries(of: uri) == [])
        }
    }

    @Test func `a content with any changed or missing byte is not used`() throws {
        let content = Samples.content(100)
        let entry = try files.store.put(uri, content)
        let (body, metadata) = (try files.only(".body"), try files.only(".meta"))
        let (bytes, head) = (
            try #require(TestFileSystem.contents(of: body)),
            try #require(TestFileSystem.contents(of: metadata))
        )
        for damaged in Self.damaged(bytes) {
            try TestFileSystem.write(damaged, to: body)
            try TestFileSystem.write(head, to: metadata)
            #expect(throws: CacheStoreError.damaged(path: body)) { try files.store.open(entry) }
            #expect(files.names == [])
        }
        // The undamaged files are accepted.
        try TestFileSystem.write(bytes, to: body)
        try TestFileSystem.write(head, to: metadata)
        #expect(try files.store.only(uri) == content)
    }

    @Test func `metadata with a valid digest and any other bytes does not crash`() throws {
        try files.store.put(uri, [1, 2, 3], language: "de")
        let bytes = try #require(TestFileSystem.contents(of: try files.only(".meta")))
        let body = Array(bytes.dropLast(CacheSeal.digestLength))
        var accepted = 0
        for damaged in Self.damaged(body) {
            let file = damaged + (try CacheSeal.digest(damaged))
            guard let metadata = CacheMetadata(decoding: file) else { continue }
            accepted += 1
            // What is accepted can be written again without a change of its meaning.
            #expect(CacheMetadata(decoding: try metadata.encoded()) == metadata)
        }
        // Such as another letter of the URI, or another time.
        #expect(accepted > 100)
    }

    @Test func `huge counts in metadata are rejected`() throws {
        var bytes = ByteEncoder()
        bytes.append(raw: Array("HTTPCACHE1".utf8))
        let isAppended = bytes.append(long: uri.utf8)
        #expect(isAppended)
        bytes.append(UInt32.max)
        let file = bytes.bytes + (try CacheSeal.digest(bytes.bytes))
        #expect(CacheMetadata(decoding: file) == nil)
        #expect(CacheMetadata(decoding: []) == nil)
        let long = [UInt8](repeating: 0, count: CacheMetadata.maxLength + 1)
        #expect(CacheMetadata(decoding: long) == nil)
    }

    @Test func `a damaged chunk of a large content is not read`() throws {
        let content = Samples.content(800_000)
        let entry = try files.store.put(uri, content)
        let body = try files.only(".body")
        var bytes = try #require(TestFileSystem.contents(of: body))
        bytes[300_000] ^= 1
        try TestFileSystem.write(bytes, to: body)
        let file = try #require(try files.store.open(entry))
        guard case .file = file else {
            Issue.record("not a file")
            return
        }
        #expect(try file.read(at: 0) == Array(content[..<262_144]))
        #expect(try file.read(at: 262_143) == [content[262_143]])
        #expect(throws: CacheStoreError.damaged(path: body)) { try file.read(at: 262_144) }
        #expect(throws: CacheStoreError.damaged(path: body)) { try file.read(at: 524_287) }
        #expect(throws: CacheStoreError.damaged(path: body)) { try file.verify() }
        #expect(try file.read(at: 524_288) == Array(content[524_288..<786_432]))
        #expect(try file.read(at: 799_999) == [content[799_999]])
        #expect(try file.read(at: 800_000) == [])
        // The file ends while it is read.
        TestFileSystem.truncate(body, to: 600_000)
        #expect(throws: CacheStoreError.damaged(path: body)) { try file.read(at: 524_288) }
    }

    @Test func `damaged digests of a large content are found when it is opened`() throws {
        let content = Samples.content(800_000)
        let entry = try files.store.put(uri, content)
        let (body, metadata) = (try files.only(".body"), try files.only(".meta"))
        let bytes = try #require(TestFileSystem.contents(of: body))
        let head = try #require(TestFileSystem.contents(of: metadata))
        for index in bytes.indices[800_000...] {
            var damaged = bytes
            damaged[index] ^= 0x10
            try TestFileSystem.write(damaged, to: body)
            try TestFileSystem.write(head, to: metadata)
            #expect(throws: CacheStoreError.damaged(path: body)) { try files.store.open(entry) }
        }
    }

    @Test(arguments: [5, 700_000]) func `swapped contents are not used`(length: Int) throws {
        try files.store.put("http://a/", Samples.content(length, seed: 1))
        try files.store.put("http://b/", Samples.content(length, seed: 1))
        let (a, b) = (try files.paths(of: "http://a/"), try files.paths(of: "http://b/"))
        TestFileSystem.rename(a.content, to: files.path + "/x")
        TestFileSystem.rename(b.content, to: a.content)
        TestFileSystem.rename(files.path + "/x", to: b.content)
        for uri in ["http://a/", "http://b/"] {
            #expect { try files.store.only(uri) } throws: { isDamaged($0) }
            #expect(try files.store.entries(of: uri) == [])
        }
        #expect(files.names == [])
    }

    @Test func `metadata of another URI is not used`() throws {
        try files.store.put("http://a/", [1])
        try files.store.put("http://b/", [2])
        let (a, b) = (try files.paths(of: "http://a/"), try files.paths(of: "http://b/"))
        TestFileSystem.rename(a.metadata, to: b.metadata)
        #expect(throws: CacheStoreError.damaged(path: b.metadata)) {
            try files.store.entries(of: "http://b/")
        }
        #expect(try files.store.entries(of: "http://b/") == [])
        #expect(try files.store.entries(of: "http://a/") == [])
    }

    @Test func `older metadata without its content is a miss`() throws {
        try files.store.put(uri, [1])
        let metadata = try files.only(".meta")
        let old = try #require(TestFileSystem.contents(of: metadata))
        try files.store.put(uri, [2])
        try TestFileSystem.write(old, to: metadata)
        #expect(try files.store.only(uri) == nil)
        #expect(try files.store.entries(of: uri) == [])
    }

    /// What can stand in the place of a file.
    enum Intruder: CaseIterable, Sendable {
        case symbolicLink
        case brokenLink
        case pipe
        case writableByOthers
        case otherOwner

        /// Replaces a file; returns false if this process may not do so.
        func replace(_ path: String, in directory: String) -> Bool {
            let moved = directory + "/moved"
            switch self {
            case .symbolicLink:
                TestFileSystem.rename(path, to: moved)
                TestFileSystem.symlink(moved, at: path)
            case .brokenLink:
                TestFileSystem.delete(path)
                TestFileSystem.symlink("/nonexistent", at: path)
            case .pipe:
                TestFileSystem.delete(path)
                return unsafe mkfifo(path, 0o600) == 0
            case .writableByOthers: TestFileSystem.setMode(0o620, of: path)
            case .otherOwner: return unsafe chown(path, 12345, 12345) == 0
            }
            return true
        }
    }

    @Test(arguments: Intruder.allCases, [".meta", ".body"])
    func `a file that others can have written is removed`(kind: Intruder, suffix: String) throws {
        let entry = try files.store.put(uri, [1, 2])
        let path = try files.only(suffix)
        // Only root may give a file away.
        guard kind.replace(path, in: files.directory.path) else { return }
        #expect(throws: CacheStoreError.damaged(path: path)) {
            _ = try files.store.entries(of: uri)
            _ = try files.store.open(entry)
        }
        #expect(TestFileSystem.mode(of: path) == nil)
        try files.store.put(uri, [3])
        #expect(try files.store.only(uri) == [3])
    }

    @Test(arguments: [".meta", ".body"])
    func `a directory in the place of a file is an error`(suffix: String) throws {
        let entry = try files.store.put(uri, [1, 2])
        let path = try files.only(suffix)
        TestFileSystem.delete(path)
        TestFileSystem.makeDirectory(path)
        #expect(throws: CacheStoreError.self) {
            _ = try files.store.entries(of: uri)
            _ = try files.store.open(entry)
        }
        _ = try files.store.list()
    }

    @Test func `a lookup of a pipe does not wait for its writer`() throws {
        try files.store.put(uri, [1])
        let path = try files.only(".meta")
        TestFileSystem.delete(path)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(throws: CacheStoreError.damaged(path: path)) { try files.store.entries(of: uri) }
    }
}

extension TestFileSystem {
    fileprivate static func truncate(_ path: String, to length: Int) {
        unsafe _ = Glibc.truncate(path, length)
    }
}

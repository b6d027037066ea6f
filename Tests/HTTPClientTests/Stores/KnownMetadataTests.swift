import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests that a store reads metadata again after each change of its file, and only then.
@Suite(.timeLimit(.minutes(10))) struct KnownMetadataTests {
    /// Files of a store that keeps metadata at once.
    private let files: CacheFiles
    private let uri = "http://a/"

    init() throws {
        files = try CacheFiles(settlingTime: -60)
    }

    /// Writes a file again and again until its status shows the change.
    private func rewrite(_ path: String, _ bytes: [UInt8]) throws {
        let old = try #require(try Directory.status(of: path))
        repeat {
            try TestFileSystem.write(bytes, to: path)
        } while try Directory.status(of: path) == old
    }

    /// Returns whether the store has verified all but the bytes of a content.
    private func isKnown(_ entry: CacheEntry) -> Bool {
        files.store.known.withLock { $0.content(of: entry) != nil }
    }

    @Test func `unchanged metadata is known, and its content by number`() throws {
        let entry = try files.store.put(uri, [1, 2, 3])
        #expect(files.store.knownEntries(of: uri) == nil)
        #expect(try files.store.entries(of: uri) == [entry])
        #expect(files.store.knownEntries(of: uri) == [entry])
        #expect(!isKnown(entry))
        #expect(try files.store.open(entry)?.bytes() == [1, 2, 3])
        #expect(isKnown(entry))
        #expect(try files.store.open(entry)?.bytes() == [1, 2, 3])
        let large = try files.store.put("http://b/", Samples.content(300_000))
        _ = try files.store.entries(of: "http://b/")
        _ = try files.store.open(large)
        #expect(!isKnown(large))
    }

    @Test func `metadata that was just changed is read again`() throws {
        // An hour, because a slow machine needs more than two seconds.
        let files = try CacheFiles(settlingTime: 3600)
        try files.store.put(uri, [1])
        _ = try files.store.entries(of: uri)
        #expect(files.store.knownEntries(of: uri) == nil)
    }

    @Test func `damaged metadata is found although it was known`() throws {
        let entry = try files.store.put(uri, [1, 2, 3])
        let path = try files.only(".meta")
        let bytes = try #require(TestFileSystem.contents(of: path))
        for index in stride(from: 0, to: bytes.count, by: 7) {
            #expect(try files.store.entries(of: uri) == [entry])
            var damaged = bytes
            damaged[index] ^= 1
            try rewrite(path, damaged)
            #expect(throws: CacheStoreError.damaged(path: path)) {
                try files.store.entries(of: uri)
            }
            #expect(try files.store.entries(of: uri) == [])
            try TestFileSystem.write(bytes, to: path)
        }
        // A file that others may write now.
        #expect(try files.store.entries(of: uri) == [entry])
        TestFileSystem.setMode(0o620, of: path)
        #expect(throws: CacheStoreError.damaged(path: path)) { try files.store.entries(of: uri) }
    }

    @Test func `a damaged content is found although it was known`() throws {
        let entry = try files.store.put(uri, Samples.content(100))
        let (body, metadata) = (try files.only(".body"), try files.only(".meta"))
        let bytes = try #require(TestFileSystem.contents(of: body))
        let head = try #require(TestFileSystem.contents(of: metadata))
        for index in bytes.indices {
            #expect(try files.store.only(uri) == Samples.content(100))
            #expect(isKnown(entry))
            var damaged = bytes
            damaged[index] ^= 0x10
            try TestFileSystem.write(damaged, to: body)
            #expect(throws: CacheStoreError.damaged(path: body)) { try files.store.open(entry) }
            try TestFileSystem.write(bytes, to: body)
            try TestFileSystem.write(head, to: metadata)
        }
    }

    @Test func `changes of another process are seen at once`() throws {
        let (store, other) = (files.store, files.other)
        try store.put(uri, [1])
        #expect(try store.only(uri) == [1])
        let new = try other.put(uri, [2])
        #expect(try store.only(uri) == [2])
        let newer = try #require(try other.update(new, to: Samples.response(1, second: 9)))
        #expect(try store.entries(of: uri) == [newer])
        try other.remove(newer)
        #expect(try store.entries(of: uri) == [])
        try store.put(uri, [3])
        #expect(try store.only(uri) == [3])
        try other.removeAll()
        #expect(try store.entries(of: uri) == [])
        try store.put(uri, [4])
        #expect(try store.only(uri) == [4])
        try store.removeAll()
        #expect(store.knownEntries(of: uri) == nil)
    }

    @Test func `an old number with another seal is verified again`() throws {
        let entry = try files.store.put(uri, [1, 2, 3])
        #expect(try files.store.only(uri) == [1, 2, 3])
        let seal = [UInt8](repeating: 7, count: 32)
        let forged = CacheEntry(
            uri: uri,
            number: entry.number,
            response: entry.response,
            seal: seal
        )
        let body = try files.only(".body")
        #expect(throws: CacheStoreError.damaged(path: body)) { try files.store.open(forged) }
    }

    @Test func `a use is recorded although the metadata is known`() throws {
        let files = try CacheFiles(useInterval: 60, settlingTime: -60)
        try files.store.put(uri, [1])
        let path = try files.only(".meta")
        CacheFiles.setTime(of: path, to: 5)
        _ = try files.store.entries(of: uri)
        #expect(try #require(try Directory.status(of: path)).modified > 5)
    }

    @Test func `the metadata that was used longest ago is forgotten`() throws {
        try files.store.put(uri, [1])
        let status = try #require(try Directory.status(of: try files.only(".meta")))
        var known = KnownMetadata(settlingTime: 2)
        let limit = KnownMetadata.maxCount
        for index in 0...limit {
            if index == limit { #expect(known.use("0") != nil) }
            let metadata = CacheMetadata(uri: "\(index)", entries: [])
            known.insert(metadata, "", status, at: status.changed + 3)
        }
        #expect(known.use("1") == nil)
        #expect([0, 2, limit].allSatisfy { known.use("\($0)") != nil })
        // Two seconds are not enough: both times are rounded.
        known.insert(CacheMetadata(uri: "new", entries: []), "", status, at: status.changed + 2)
        #expect(known.use("new") == nil)
        known.insert(CacheMetadata(uri: "0", entries: []), "", status, at: status.changed)
        #expect(known.use("0") == nil)
    }
}

import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests the files of the store in a directory: limits, leftovers and failures of the system.
@Suite(.timeLimit(.minutes(10))) struct DirectoryCacheStoreTests {
    /// Whether this process may mount a small file system.
    private static let mayMount = geteuid() == 0

    @Test func `only the user can read the files`() throws {
        let files = try CacheFiles()
        try files.store.put("http://a/", [1])
        #expect(TestFileSystem.mode(of: files.directory.path + "/cache") == 0o700)
        #expect(TestFileSystem.mode(of: files.path) == 0o700)
        #expect(files.names.count == 2)
        for name in files.names + [".store.lock"] {
            #expect(TestFileSystem.mode(of: "\(files.path)/\(name)") == 0o600)
        }
    }

    @Test func `a missing directory is an empty store`() throws {
        let files = try CacheFiles()
        #expect(try files.store.entries(of: "http://a/") == [])
        #expect(try files.store.list() == [])
        try files.store.removeAll()
        #expect(TestFileSystem.names(in: files.directory.path) == [])
        let lost = DirectoryCacheStore(files.directory.path + "/a/b", files.store.limits)
        let path = files.directory.path + "/a/b"
        #expect(throws: CacheStoreError.system(.noSuchFile, .create, path: path)) {
            try lost.write("http://a/", expecting: nil)
        }
    }

    @Test func `two stores over one directory share their entries`() throws {
        let files = try CacheFiles()
        let other = files.other
        let entry = try files.store.put("http://a/", [1])
        #expect(try other.entries(of: "http://a/") == [entry])
        #expect(try other.open(entry)?.bytes() == [1])
        let new = try other.put("http://a/", [2])
        #expect(try files.store.entries(of: "http://a/") == [new])
        #expect(try files.store.open(entry) == nil)
    }

    @Test func `the entries that were used longest ago are evicted`() throws {
        // Each entry takes two blocks.
        let files = try CacheFiles(maxBytes: 20 * 4096)
        for index in 0..<10 {
            try files.store.put("http://\(index)/", [1])
            CacheFiles.setTime(of: try files.paths(of: "http://\(index)/").metadata, to: index)
        }
        #expect(try files.store.list().count == 10)
        CacheFiles.setTime(of: try files.paths(of: "http://0/").metadata, to: 100)
        try files.other.put("http://10/", [1])
        let hosts = Set(try files.store.list().map(\.uri))
        // The sweep goes down to nine tenths of the limit.
        #expect(hosts == Set([0, 3, 4, 5, 6, 7, 8, 9, 10].map { "http://\($0)/" }))
        #expect(try files.store.statistics().bytes == 18 * 4096)
        #expect(files.names.count == 18)
    }

    @Test func `the directory stays near its limit in one process`() throws {
        let files = try CacheFiles(maxBytes: 1 << 20)
        for index in 0..<60 {
            try files.store.put("http://\(index)/", Samples.content(40_000))
            #expect(try files.store.statistics().bytes <= 1 << 20)
        }
        #expect(try files.store.list().count > 15)
    }

    @Test func `a lookup records the use after the interval`() throws {
        let files = try CacheFiles(useInterval: 0)
        try files.store.put("http://a/", [1])
        let path = try files.only(".meta")
        CacheFiles.setTime(of: path, to: 5)
        _ = try files.store.entries(of: "http://a/")
        #expect(try #require(try Directory.status(of: path)).modified > 5)
        let lazy = DirectoryCacheStore(
            files.directory.path + "/cache",
            DirectoryCacheStore.Limits(maxBytes: 1 << 20, useInterval: .max / 2)
        )
        CacheFiles.setTime(of: path, to: 5)
        _ = try lazy.entries(of: "http://a/")
        #expect(try #require(try Directory.status(of: path)).modified == 5)
    }

    @Test func `a sweep removes what no entry needs and nothing else`() throws {
        let files = try CacheFiles()
        try files.store.put("http://a/", [1], language: "de")
        try files.store.put("http://a/", [2], language: "en")
        let known = files.names
        let writer = try files.store.write("http://b/", expecting: nil)
        let used = Set(files.names).subtracting(known)
        #expect(used.count == 1)
        let base = try CacheDirectory.baseName(of: "http://a/")
        let lost = try CacheDirectory.baseName(of: "http://c/")
        try TestFileSystem.write([1], to: "\(files.path)/\(base)-0123456789abcdef.body")
        try TestFileSystem.write([1], to: "\(files.path)/\(lost)-0123456789abcdef.body")
        try TestFileSystem.write([1], to: "\(files.path)/.new.abcdefgh.part")
        TestFileSystem.symlink("/nonexistent", at: "\(files.path)/\(lost).meta")
        let foreign = ["README", "\(base).text", "\(base)-0123456789ABCDEF.body", ".new.part"]
        for name in foreign { try TestFileSystem.write([1], to: "\(files.path)/\(name)") }
        try files.other.put("http://d/", [1])
        let new = try files.paths(of: "http://d/")
        let expected = known + foreign + used + [new.metadata, new.content].map(\.lastName)
        #expect(files.names == expected.sorted())
        try writer.append([1, 2])
        _ = try writer.commit(Samples.response(2))
        #expect(try files.store.only("http://b/") == [1, 2])
        try files.store.removeAll()
        #expect(files.names == foreign.sorted())
    }

    @Test func `a content that a file system without locks left is removed after a day`() throws {
        let files = try CacheFiles()
        let directory = CacheDirectory(files.directory.path + "/cache")
        let writer = try files.store.write("http://a/", expecting: nil)
        let path = "\(files.path)/\(try #require(files.names.first))"
        CacheFiles.setTime(of: path, to: 100_000)
        _ = try directory.sweep(maxBytes: 1 << 20, now: 186_400)
        #expect(files.names.count == 1)
        _ = try directory.sweep(maxBytes: 1 << 20, now: 186_401)
        #expect(files.names == [])
        // The writer notices that its file is gone.
        #expect(throws: CacheStoreError.self) { try writer.commit(Samples.response(0)) }
        #expect(try files.store.list() == [])
    }

    @Test func `a field that HTTP cannot express is not stored`() throws {
        let files = try CacheFiles()
        for fields in [["a b": "1"], ["a": "1\n"]] as [HTTPHeaders] {
            let writer = try files.store.write("http://a/", expecting: nil)
            #expect(throws: CacheStoreError.invalidField) {
                try writer.commit(Samples.response(0, fields))
            }
        }
        #expect(files.names == [])
    }

    @Test func `a lock that another process holds is an error`() throws {
        let files = try CacheFiles()
        let entry = try files.store.put("http://a/", [1])
        let lock = try FileLock(for: files.path + "/store")
        let locked = CacheStoreError.locked(path: files.path + "/store")
        #expect(throws: locked) { try files.store.put("http://a/", [2]) }
        // Readers take no lock.
        #expect(try files.store.entries(of: "http://a/") == [entry])
        #expect(try files.store.only("http://a/") == [1])
        withExtendedLifetime(lock) {}
        #expect(files.names.count == 2)
    }

    /// Mounts a small disk, and returns its path and a store on it.
    private func mountDisk(
        in parent: TemporaryDirectory,
        size: String
    ) throws -> (path: String, store: DirectoryCacheStore) {
        let disk = parent.path + "/disk"
        TestFileSystem.makeDirectory(disk)
        try #require(unsafe mount("none", disk, "tmpfs", 0, "size=\(size)") == 0)
        let limits = DirectoryCacheStore.Limits(maxBytes: 1 << 30)
        return (disk, DirectoryCacheStore(disk + "/cache", limits))
    }

    @Test(.enabled(if: mayMount, "only root can mount a file system"))
    func `a full disk makes the store smaller`() throws {
        let parent = try TemporaryDirectory()
        let (disk, store) = try mountDisk(in: parent, size: "128k")
        defer { unsafe _ = umount2(disk, 2) }
        var stored = 0
        while (try? store.put("http://a/\(stored)", Samples.content(6000))) != nil { stored += 1 }
        #expect(stored > 5)
        // The leftover of the failed write is gone too.
        #expect(!TestFileSystem.names(in: disk + "/cache/v1").contains { $0.hasSuffix(".part") })
        let left = try store.list().count
        #expect(left < stored && left > stored / 2)
        _ = try store.put("http://new/", Samples.content(6000))
        #expect(try store.only("http://new/") == Samples.content(6000))
    }

    @Test(.enabled(if: mayMount, "only root can mount a file system"))
    func `a full disk and a read-only one are errors`() throws {
        let parent = try TemporaryDirectory()
        let (disk, store) = try mountDisk(in: parent, size: "64k")
        defer { unsafe _ = umount2(disk, 2) }
        let entry = try store.put("http://a/", [1])
        let writer = try store.write("http://b/", expecting: nil)
        #expect {
            for _ in 0..<100 { try writer.append(Samples.content(1000)) }
        } throws: {
            if case .system(.noSpace, .write, _)? = $0 as? CacheStoreError { true } else { false }
        }
        #expect(throws: CacheStoreError.closed) { try writer.append([1]) }
        #expect(TestFileSystem.names(in: disk + "/cache/v1").count == 3)
        #expect(try store.only("http://a/") == [1])

        try #require(
            unsafe mount("none", disk, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=64k") == 0
        )
        let readOnly = Errno(rawValue: EROFS)
        let file = disk + "/cache/v1/new"
        #expect(throws: CacheStoreError.output(.system(readOnly), .create, path: file)) {
            try store.write("http://b/", expecting: nil)
        }
        #expect(throws: CacheStoreError.self) { try store.remove(entry) }
        #expect(throws: CacheStoreError.self) { try store.removeAll() }
        #expect(try store.only("http://a/") == [1])
    }
}

extension String {
    /// The last component of the path.
    fileprivate var lastName: String { split(separator: "/").last.map(String.init) ?? "" }
}

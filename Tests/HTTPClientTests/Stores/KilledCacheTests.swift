import ClientSupport
import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests that a store survives processes that are killed while they change it.
///
/// The first test starts this program again with `KILLED_CACHE` set and kills it. There only the second test runs.
/// `KILLED_CACHE_ROUNDS` sets the number of rounds.
@Suite(.timeLimit(.minutes(10))) struct KilledCacheTests {
    private static let path = Environment.variable("KILLED_CACHE")
    private static let limits = DirectoryCacheStore.Limits(
        maxBytes: 4 << 20,
        maxVariants: 3
    )

    @Test(.enabled(if: path == nil))
    func `two processes that are killed leave only whole responses`() throws {
        let rounds = Environment.variable("KILLED_CACHE_ROUNDS").flatMap { Int($0) } ?? 3
        let (directory, log) = (try TemporaryDirectory(), try TemporaryDirectory())
        let store = DirectoryCacheStore(directory.path + "/cache", Self.limits)
        var random = SeededGenerator(seed: UInt64(WallClock.nanosecondsSince1970))
        var found = 0
        for round in 0..<rounds {
            let children = try (0..<2).map { index in
                try child("\(log.path)/\(round)-\(index)", store: directory.path + "/cache")
            }
            // This process uses the store until each child has made some changes.
            for (index, child) in children.enumerated() {
                let id = try waitForID("\(log.path)/\(round)-\(index)", of: child)
                let reads = Int.random(in: 1..<10, using: &random)
                for _ in 0..<reads { found += try verifyAll(store) }
                #expect(kill(id, SIGKILL) == 0)
                #expect(child.wait() == 128 + SIGKILL)
            }
            found += try verifyAll(store)
            // A commit of a new store sweeps: no file of the killed processes stays.
            try DirectoryCacheStore(directory.path + "/cache", Self.limits).put("http://z/", [])
            try expectNoLeftovers(store, directory.path + "/cache/v1")
        }
        #expect(found > 0)
    }

    private func child(_ log: String, store: String) throws -> ChildProcess {
        try ChildProcess(
            [
                "/usr/bin/env", "KILLED_CACHE=\(store)", "KILLED_CACHE_ID=\(log).id",
                try OwnProgram.path(), "--testing-library", "swift-testing", "--filter",
                "KilledCacheTests",
            ],
            output: log + ".output"
        )
    }

    private func waitForID(_ log: String, of child: ChildProcess) throws -> pid_t {
        while true {
            if let bytes = TestFileSystem.contents(of: log + ".id"), bytes.last == 10,
                let id = pid_t(String(decoding: bytes.dropLast(), as: UTF8.self))
            {
                return id
            }
            let output = TestFileSystem.contents(of: log + ".output") ?? []
            try #require(child.exitStatus == nil, "\(String(decoding: output, as: UTF8.self))")
            usleep(1000)
        }
    }

    /// Verifies each content that is there; returns their number.
    private func verifyAll(_ store: DirectoryCacheStore) throws -> Int {
        var count = 0
        for host in 0..<6 {
            for entry in try store.entries(of: "http://\(host)/") {
                guard let content = try store.open(entry) else { continue }
                let seed = try #require(entry.response.head.headers["X-Seed"].flatMap { Int($0) })
                #expect(try content.bytes() == Samples.content(entry.length, seed: seed))
                count += 1
            }
        }
        return count
    }

    private func expectNoLeftovers(_ store: DirectoryCacheStore, _ path: String) throws {
        var expected: Set<String> = [".store.lock"]
        for entry in try store.list() {
            let base = try CacheDirectory.baseName(of: entry.uri)
            expected.insert("\(base).meta")
            expected.insert(CacheDirectory.contentName(base, entry.number))
            // A content has its name before its metadata.
            #expect(try store.open(entry) != nil)
        }
        #expect(Set(TestFileSystem.names(in: path)).subtracting(expected) == [])
    }

    @Test(.enabled(if: path != nil)) func `child process: changes until it is killed`() throws {
        let store = DirectoryCacheStore(try #require(Self.path), Self.limits)
        let file = try #require(Environment.variable("KILLED_CACHE_ID"))
        var random = SeededGenerator(seed: UInt64(getpid()))
        for round in 0... {
            let seed = Int.random(in: 0..<1000, using: &random)
            let uri = "http://\(seed % 6)/"
            let length = seed.isMultiple(of: 10) ? 300_000 + seed : 20 * seed
            if seed.isMultiple(of: 13) {
                try store.removeAll(of: uri)
            } else if seed.isMultiple(of: 7), let entry = try store.entries(of: uri).first {
                _ = try store.update(entry, to: entry.response)
            } else if length <= store.limits.maxEntryBytes {
                let writer = try store.write(uri, expecting: nil)
                let content = Samples.content(length, seed: seed)
                try writer.append(Array(content[..<(length / 2)]))
                try writer.append(Array(content[(length / 2)...]))
                let language = "l\(seed % 5)"
                _ = try writer.commit(
                    Samples.response(length, language: language, ["X-Seed": "\(seed)"])
                )
            }
            if round == 10 { try TestFileSystem.write(Array("\(getpid())\n".utf8), to: file) }
        }
    }
}

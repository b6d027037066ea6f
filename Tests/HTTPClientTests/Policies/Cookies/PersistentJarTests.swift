import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct PersistentJarTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let url: URI

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/jar"
        url = try URI("https://a.example/")
    }

    private func add(_ name: String, to jar: CookieJar) throws {
        let line = try #require(SetCookie("\(name)=1; Max-Age=1000"))
        #expect(jar.set(line, from: url) == nil)
    }

    @Test func `changes are written automatically`() async throws {
        let jar = try CookieJar(persistentAt: path)
        for number in 0..<5 { try add("c\(number)", to: jar) }
        while TestFileSystem.contents(of: path) == nil { await moment() }
        let copy = try CookieJar(persistentAt: path)
        #expect(copy.cookies.map(\.name) == ["c0", "c1", "c2", "c3", "c4"])
    }

    @Test func `a released jar still writes its changes`() async throws {
        do {
            let jar = try CookieJar(persistentAt: path)
            try add("last", to: jar)
        }
        while TestFileSystem.contents(of: path) == nil { await moment() }
        #expect(try CookieJar(persistentAt: path).cookies.map(\.name) == ["last"])
    }

    @Test func `reading alone does not write the file`() throws {
        let jar = try CookieJar(persistentAt: path)
        try add("a", to: jar)
        try jar.flush()
        let spaced = (TestFileSystem.contents(of: path) ?? []) + Array("\n\n".utf8)
        try TestFileSystem.write(spaced, to: path)
        let other = try CookieJar(persistentAt: path)
        try other.flush()
        #expect(TestFileSystem.contents(of: path) == spaced)
        try add("b", to: other)
        try other.flush()
        #expect(TestFileSystem.contents(of: path) != spaced)
    }

    @Test func `a failed write is reported and repeated when the file becomes writable`() throws {
        let gone = "\(directory.path)/gone"
        let jar = try CookieJar(persistentAt: "\(gone)/jar")
        try add("a", to: jar)
        let error = #expect(throws: HTTPError.self) { try jar.flush() }
        guard case .fileFailed("\(gone)/jar", .create, _)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = try HTTPClient.Configuration.persistent(directory: gone)
        try jar.flush()
        #expect(jar.lastWriteError == nil)
        #expect(try CookieJar(persistentAt: "\(gone)/jar").cookies.count == 1)
    }

    @Test func `a failed flush keeps its error until a write succeeds`() throws {
        let gone = "\(directory.path)/gone"
        let jar = try CookieJar(persistentAt: "\(gone)/jar")
        try add("a", to: jar)
        #expect(throws: HTTPError.self) { try jar.flush() }
        #expect(jar.lastWriteError != nil)
        jar.removeAll()
        _ = try HTTPClient.Configuration.persistent(directory: gone)
        try jar.flush()
        #expect(jar.lastWriteError == nil)
    }

    @Test func `a device is not replaced by a file`() throws {
        let jar = CookieJar()
        try add("a", to: jar)
        // A symbolic link, so that a bug cannot replace the machine's device.
        #expect(unsafe symlink("/dev/null", path) == 0)
        let error = #expect(throws: HTTPError.self) { try jar.save(to: path) }
        guard case .fileFailed(path, .replace, _)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(OutputFile.isSpecial(path))
    }

    // MARK: - Several processes

    /// Adds cookies to two jars with one file, as two processes would.
    @Test func `two jars with one file lose no cookies`() throws {
        let first = try CookieJar(persistentAt: path)
        try add("old", to: first)
        try add("gone", to: first)
        try first.flush()
        let second = try CookieJar(persistentAt: path)
        try add("a", to: first)
        try add("b", to: second)
        try first.flush()
        try second.flush()
        #expect(try names() == ["a", "b", "gone", "old"])
        first.remove { $0.name == "gone" }
        try add("c", to: second)
        try first.flush()
        try second.flush()
        #expect(try names() == ["a", "b", "c", "old"])
        // Removing all cookies of one jar keeps a cookie that another jar has set in the meantime.
        let line = try #require(SetCookie("old=2; Max-Age=1000"))
        #expect(second.set(line, from: url) == nil)
        try second.flush()
        first.removeAll()
        try first.flush()
        let left = try CookieJar(persistentAt: path)
        #expect(left.cookies.filter { $0.name == "old" }.map(\.value) == ["2"])
        #expect(left.cookies.map(\.name).sorted() == ["b", "c", "old"])
    }

    @Test func `jars that write at the same time lose no cookies`() async throws {
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let jar = try CookieJar(persistentAt: path)
                    for number in 0..<10 {
                        let url = try URI("https://a\(number).example/")
                        let line = SetCookie("w\(writer)=1; Max-Age=1000")
                        #expect(try jar.set(#require(line), from: url) == nil)
                        try jar.flush()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try CookieJar(contentsOf: path).cookies.count == 40)
        #expect(TestFileSystem.names(in: directory.path) == [".jar.lock", "jar"])
    }

    @Test func `a locked file is not written`() throws {
        let jar = try CookieJar(persistentAt: path)
        try add("a", to: jar)
        do {
            let lock = try FileLock(for: path)
            #expect(throws: FileLock.LockError.heldElsewhere) { try FileLock(for: path) }
            #expect(throws: HTTPError.self) { try jar.flush() }
            #expect(TestFileSystem.contents(of: path) == nil)
            withExtendedLifetime(lock) {}
        }
        try jar.flush()
        #expect(try names() == ["a"])
    }

    @Test func `a file is written after its lock is released, without another change`()
        async throws
    {
        let jar = try CookieJar(persistentAt: path)
        do {
            let lock = try FileLock(for: path)
            try add("a", to: jar)
            while jar.lastWriteError == nil { await moment() }
            #expect(TestFileSystem.contents(of: path) == nil)
            withExtendedLifetime(lock) {}
        }
        while TestFileSystem.contents(of: path) == nil { await moment() }
        #expect(try names() == ["a"])
        while jar.lastWriteError != nil { await moment() }
    }

    private func names() throws -> [String] {
        try CookieJar(persistentAt: path).cookies.map(\.name).sorted()
    }

    @Test func `a jar without a file writes nothing`() throws {
        let jar = CookieJar()
        try add("a", to: jar)
        try jar.flush()
        #expect(jar.lastWriteError == nil && TestFileSystem.names(in: directory.path).isEmpty)
    }
}

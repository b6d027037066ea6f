import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(2))) struct PersistentJarTests {
    private let folder: TemporaryFolder
    private let path: String
    private let url: URI

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/jar"
        url = try URI("https://a.example/")
    }

    private func add(_ name: String, to jar: CookieJar) throws {
        let line = try #require(SetCookie("\(name)=1; Max-Age=1000"))
        #expect(jar.set(line, from: url) == nil)
    }

    @Test func `changes are written by themselves`() async throws {
        let jar = try CookieJar(persistentAt: path)
        for number in 0..<5 { try add("c\(number)", to: jar) }
        while Folder.contents(of: path) == nil { try await Task.sleep(for: .milliseconds(5)) }
        let copy = try CookieJar(persistentAt: path)
        #expect(copy.cookies.map(\.name) == ["c0", "c1", "c2", "c3", "c4"])
    }

    @Test func `a jar that is dropped is written nevertheless`() async throws {
        do {
            let jar = try CookieJar(persistentAt: path)
            try add("last", to: jar)
        }
        while Folder.contents(of: path) == nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try CookieJar(persistentAt: path).cookies.map(\.name) == ["last"])
    }

    @Test func `reading alone writes nothing`() throws {
        let jar = try CookieJar(persistentAt: path)
        try add("a", to: jar)
        try jar.flush()
        let spaced = (Folder.contents(of: path) ?? []) + Array("\n\n".utf8)
        try Folder.write(spaced, to: path)
        let other = try CookieJar(persistentAt: path)
        try other.flush()
        #expect(Folder.contents(of: path) == spaced)
        try add("b", to: other)
        try other.flush()
        #expect(Folder.contents(of: path) != spaced)
    }

    @Test func `a file that cannot be written is told, and written when it can be`() throws {
        let gone = "\(folder.path)/gone"
        let jar = try CookieJar(persistentAt: "\(gone)/jar")
        try add("a", to: jar)
        let error = #expect(throws: HTTPError.self) { try jar.flush() }
        guard case .fileFailed("\(gone)/jar", .create, _)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = try HTTPClient.Configuration.persistent(directory: gone)
        try jar.flush()
        #expect(jar.fileFailure == nil)
        #expect(try CookieJar(persistentAt: "\(gone)/jar").cookies.count == 1)
    }

    @Test func `what flushing failed with is kept, until the file is right again`() throws {
        let gone = "\(folder.path)/gone"
        let jar = try CookieJar(persistentAt: "\(gone)/jar")
        try add("a", to: jar)
        #expect(throws: HTTPError.self) { try jar.flush() }
        #expect(jar.fileFailure != nil)
        jar.removeAll()
        _ = try HTTPClient.Configuration.persistent(directory: gone)
        try jar.flush()
        #expect(jar.fileFailure == nil)
    }

    @Test func `a device is not replaced by a file`() throws {
        let jar = CookieJar()
        try add("a", to: jar)
        let error = #expect(throws: HTTPError.self) { try jar.save(to: "/dev/null") }
        guard case .fileFailed("/dev/null", .create, _)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(Folder.contents(of: "/dev/null") == [])
    }

    @Test func `a jar without a file has nothing to write`() throws {
        let jar = CookieJar()
        try add("a", to: jar)
        try jar.flush()
        #expect(jar.fileFailure == nil && Folder.names(in: folder.path).isEmpty)
    }
}

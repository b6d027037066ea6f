import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

/// Several processes whose jars are kept in one file.
///
/// The first test starts this program twice with `COOKIE_PROCESS_FILE` set, where the second test is the
/// only one to run.
@Suite(.timeLimit(.minutes(2))) struct CookieProcessesTests {
    private static let file = Environment.variable("COOKIE_PROCESS_FILE")
    private static let folder = Environment.variable("COOKIE_PROCESS_FOLDER")
    private static let cookies = 10

    @Test(.enabled(if: file == nil))
    func `two processes that write one cookie file lose nothing`() async throws {
        let (folder, log) = (try TemporaryFolder(), try TemporaryFolder())
        let path = folder.path + "/jar"
        let names = ["a", "b"]
        let children = try names.map { name in
            try ChildProcess(
                [
                    "/usr/bin/env", "COOKIE_PROCESS_FILE=\(path)", "COOKIE_PROCESS_NAME=\(name)",
                    "COOKIE_PROCESS_FOLDER=\(log.path)", try OwnProgram.path(),
                    "--testing-library", "swift-testing", "--filter", "CookieProcessesTests",
                ],
                output: log.path + "/output"
            )
        }
        // Both have read the file, which does not exist yet, before one of them writes it.
        while !Set(Folder.names(in: log.path)).isSuperset(of: names) {
            for child in children { try #require(child.exitStatus == nil, "\(said(log))") }
            await Task.yield()
        }
        try log.write("", as: "go")
        for child in children {
            // Other tests need the thread meanwhile.
            while child.exitStatus == nil { await Task.yield() }
            #expect(child.exitStatus == 0, "\(said(log))")
        }
        let expected = names.flatMap { name in (0..<Self.cookies).map { "\(name)\($0)" } }
        let kept = try CookieJar(contentsOf: path).cookies.map(\.name)
        #expect(kept.sorted() == expected.sorted())
    }

    @Test(.enabled(if: file != nil)) func `child process: a jar that is written often`() throws {
        let (path, folder) = (try #require(Self.file), try #require(Self.folder))
        let name = try #require(Environment.variable("COOKIE_PROCESS_NAME"))
        let jar = try CookieJar(persistentAt: path)
        try Folder.write([], to: "\(folder)/\(name)")
        while Folder.contents(of: "\(folder)/go") == nil { sched_yield() }
        let url = try URI("https://a.example/")
        for number in 0..<Self.cookies {
            let line = try #require(SetCookie("\(name)\(number)=1; Max-Age=1000"))
            #expect(jar.set(line, from: url) == nil)
            try jar.flush()
        }
    }

    private func said(_ log: TemporaryFolder) -> String {
        String(decoding: Folder.contents(of: log.path + "/output") ?? [], as: UTF8.self)
    }
}

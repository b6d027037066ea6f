import ClientSupport
import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests several processes that share one cookie file.
///
/// The first test starts this program twice with `COOKIE_PROCESS_FILE` set. There only the second
/// test runs.
@Suite(.timeLimit(.minutes(10))) struct CookieProcessesTests {
    private static let file = Environment.variable("COOKIE_PROCESS_FILE")
    private static let directory = Environment.variable("COOKIE_PROCESS_FOLDER")
    private static let cookies = 10

    @Test(.enabled(if: file == nil))
    func `two processes that write one cookie file lose no cookies`() async throws {
        let (directory, log) = (try TemporaryDirectory(), try TemporaryDirectory())
        let path = directory.path + "/jar"
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
        // Wait until both have read the file, which does not exist yet, before either of them writes it.
        while !Set(TestFileSystem.names(in: log.path)).isSuperset(of: names) {
            for child in children { try #require(child.exitStatus == nil, "\(output(of: log))") }
            await Task.yield()
        }
        try log.write("", as: "go")
        for child in children {
            // Yields instead of blocking, because other tests need the thread.
            while child.exitStatus == nil { await moment() }
            #expect(child.exitStatus == 0, "\(output(of: log))")
        }
        let expected = names.flatMap { name in (0..<Self.cookies).map { "\(name)\($0)" } }
        let kept = try CookieJar(contentsOf: path).cookies.map(\.name)
        #expect(kept.sorted() == expected.sorted())
    }

    @Test(.enabled(if: file != nil)) func `child process: a jar that is written often`() throws {
        let (path, directory) = (try #require(Self.file), try #require(Self.directory))
        let name = try #require(Environment.variable("COOKIE_PROCESS_NAME"))
        let jar = try CookieJar(persistentAt: path)
        try TestFileSystem.write([], to: "\(directory)/\(name)")
        while TestFileSystem.contents(of: "\(directory)/go") == nil { sched_yield() }
        let url = try URI("https://a.example/")
        for number in 0..<Self.cookies {
            let line = try #require(SetCookie("\(name)\(number)=1; Max-Age=1000"))
            #expect(jar.set(line, from: url) == nil)
            try jar.flush()
        }
    }

    private func output(of log: TemporaryDirectory) -> String {
        String(decoding: TestFileSystem.contents(of: log.path + "/output") ?? [], as: UTF8.self)
    }
}

import HTTPClient
import Support
import Testing

@Suite struct CookieFileTests {
    private let directory: TemporaryDirectory
    private let url: URI
    private static let now = 1_700_000_000

    init() throws {
        directory = try TemporaryDirectory()
        url = try URI("https://w.a.example/b/c")
    }

    private func filled() throws -> CookieJar {
        let jar = CookieJar(suffixes: .builtIn) { Self.now }
        for line in [
            "wide=1; Domain=a.example; Path=/; Max-Age=50",
            "secret=2; Secure; HttpOnly; Max-Age=60",
            "session=3; SameSite=Lax", "nameless-value; Max-Age=9",
            "empty=; Max-Age=9", "utf8=é\"\\; Max-Age=9",
        ] {
            #expect(jar.set(try #require(SetCookie(line)), from: url) == nil)
        }
        return jar
    }

    @Test func `a Netscape cookie file is written exactly`() throws {
        let path = "\(directory.path)/jar"
        try filled().save(to: path)
        let text = """
            # Netscape HTTP Cookie File
            # Written by HTTPClient; it may be edited.

            .a.example\tTRUE\t/\tFALSE\t1700000050\twide\t1
            #HttpOnly_w.a.example\tFALSE\t/b\tTRUE\t1700000060\tsecret\t2
            w.a.example\tFALSE\t/b\tFALSE\t1700000009\t\tnameless-value
            w.a.example\tFALSE\t/b\tFALSE\t1700000009\tempty\t
            w.a.example\tFALSE\t/b\tFALSE\t1700000009\tutf8\té"\\

            """
        #expect(
            TestFileSystem.contents(of: path).map { String(decoding: $0, as: UTF8.self) } == text
        )
        #expect(TestFileSystem.names(in: directory.path) == ["jar"])
    }

    @Test(arguments: [CookieJar.FileFormat.netscape, .json])
    func `a written cookie file is read back`(format: CookieJar.FileFormat) throws {
        let path = "\(directory.path)/jar"
        let jar = try filled()
        try jar.save(to: path, as: format, includeSessionCookies: true)
        let other = CookieJar(suffixes: .builtIn) { Self.now }
        try other.load(from: path)
        #expect(other.field(for: url) == jar.field(for: url))
        if format == .json {
            // Creating the fields above updated the time of last use in both jars.
            #expect(other.cookies == jar.cookies)
        } else {
            #expect(other.cookies.map(\.expires) == jar.cookies.map(\.expires))
        }
        // Loading the file a second time adds no duplicates.
        try other.load(from: path)
        #expect(other.cookies.count == 6)
        try jar.save(to: path, as: format)
        let third = CookieJar(suffixes: .builtIn) { Self.now }
        try third.load(from: path)
        #expect(third.cookies.count == 5)
        #expect(!third.cookies.contains { $0.name == "session" })
        // Cookies that have expired in the meantime are not loaded.
        let late = CookieJar(suffixes: .builtIn) { Self.now + 55 }
        try late.load(from: path)
        #expect(late.cookies.map(\.name) == ["secret"])
    }

    @Test func `a value with tabs cannot inject columns into a cookie file`() throws {
        let path = "\(directory.path)/jar"
        let jar = CookieJar(suffixes: .builtIn) { Self.now }
        let line = "a=b\tTRUE\t/\tFALSE\t0\tevil\tx; Max-Age=9"
        #expect(jar.set(try #require(SetCookie(line)), from: url) == nil)
        try jar.save(to: path)
        #expect(try CookieJar(contentsOf: path, suffixes: .builtIn).cookies.isEmpty)
        try jar.save(to: path, as: .json)
        let other = CookieJar(suffixes: .builtIn) { Self.now }
        try other.load(from: path)
        #expect(other.cookies.map(\.name) == ["a"])
    }

    @Test func `thousands of cookies are written and read back`() throws {
        let jar = CookieJar(suffixes: .builtIn) { Self.now }
        for number in 0..<3000 {
            let value = String(repeating: "v", count: number % 2000)
            let cookie = Cookie(
                "n\(number)",
                value,
                domain: "h\(number / 50).example",
                expires: Self.now + 5
            )
            jar.set(try #require(cookie))
        }
        for format in [CookieJar.FileFormat.netscape, .json] {
            try jar.save(to: "\(directory.path)/jar", as: format)
            let other = CookieJar(suffixes: .builtIn) { Self.now }
            try other.load(from: "\(directory.path)/jar")
            #expect(other.cookies == jar.cookies)
        }
    }

    @Test func `Netscape files of other programs are read`() throws {
        let text = """
            \u{FEFF}# HTTP Cookie File

            .a.example\ttrue\t/\tFalse\t\tpython\t1\r
            a.example\tTRUE\t/\tFALSE\t1800000000.25\tnode\t2
            # remark
            #HttpOnly_.w.a.example\tTRUE\t/\tTRUE\t0\tcurl\t3
            w.a.example\tFALSE\t/\tFALSE\t99999999999999999999\tfar\t4
            w.a.example\tFALSE\t/\tFALSE\t-1\tpast\t5
            w.a.example\tFALSE\t/\tFALSE\t0\tbare
            .co.uk\tTRUE\t/\tFALSE\t0\tsuffix\t6
            w.a.example\tFALSE\t/\tFALSE\t0\t__Host-x\t7
               \u{20}

            """
        let jar = CookieJar(suffixes: .builtIn) { Self.now }
        try jar.load(from: try directory.write(text, as: "jar"))
        #expect(jar.field(for: url) == "python=1; node=2; curl=3; far=4; bare=")
        #expect(jar.cookies.map(\.isHTTPOnly) == [false, false, true, false, false])
        let latin = Array("a.example\tFALSE\t/\tFALSE\t0\tn\tcaf".utf8) + [0xE9, 0x0A]
        #expect(try CookieJar.FileFormat.decode(latin).map(\.value) == ["café"])
        #expect(try CookieJar.FileFormat.decode([]) == [])
    }

    @Test(arguments: [
        ("rubbish", CookieJar.FileError.line(2, .columnCount(1))),
        ("a.example\tFALSE\t/\tFALSE\t0", .line(2, .columnCount(5))),
        ("a.example\tmaybe\t/\tFALSE\t0\ta\tgeheim", .line(2, .invalidFlag(column: 2))),
        ("a.example\tFALSE\t/\t\t0\ta\tgeheim", .line(2, .invalidFlag(column: 4))),
        ("a.example\tFALSE\t/\tTRUE\tsoon\ta\tgeheim", .line(2, .invalidExpiry)),
        ("a.example\tFALSE\t/\tTRUE\t+5\ta\tgeheim", .line(2, .invalidExpiry)),
        ("a.example\tFALSE\t/\tTRUE\t5.\ta\tgeheim", .line(2, .invalidExpiry)),
        ("a.example\tFALSE\tx\tTRUE\t5\ta\tgeheim", .line(2, .invalidCookie)),
        ("a.example\tFALSE\t/\tTRUE\t5\ta\tgeheim;b", .line(2, .invalidCookie)),
        ("a.example\tFALSE\t/\tTRUE\t5\ta\tgeheim\0", .line(2, .invalidCookie)),
        ("\tFALSE\t/\tTRUE\t5\ta\tgeheim", .line(2, .invalidCookie)),
    ])
    func `a damaged line is reported, and no cookie is loaded`(
        line: String,
        reason: CookieJar.FileError
    ) throws {
        let good = "a.example\tFALSE\t/\tFALSE\t0\tgood\t1"
        try expectError(reason, "\(good)\n\(line)\n\(good)\n")
    }

    @Test(arguments: [
        ("\"version\"", "\"v\"", CookieJar.FileError.unrecognizedFormat),
        ("1,", "2,", .unknownVersion),
        ("\"cookies\"", "\"c\"", .unrecognizedFormat),
        ("\"name\"", "\"n\"", .invalidMember("name", cookie: 0)),
        ("\"geheim\"", "7", .invalidMember("value", cookie: 0)),
        ("\"Lax\"", "\"lax\"", .invalidMember("sameSite", cookie: 0)),
        ("\"Lax\"", "1", .invalidMember("sameSite", cookie: 0)),
        ("\"path\":\"/\"", "\"path\":\"\"", .invalidCookie(0)),
        ("geheim", "geheim\\r\\nX: y", .invalidCookie(0)),
        ("5", "5.5", .invalidMember("expires", cookie: 0)),
    ])
    func `damaged JSON is reported, and no cookie is loaded`(
        part: String,
        other: String,
        reason: CookieJar.FileError
    ) throws {
        let cookie = try #require(
            Cookie("a", "geheim", domain: "a.example", expires: 5, sameSite: .lax)
        )
        let text = String(decoding: CookieJar.FileFormat.json.encode([cookie]), as: UTF8.self)
        #expect(try CookieJar.FileFormat.decode(Array(text.utf8)) == [cookie])
        let damaged = text.replacing(part, with: other, maxReplacements: 1)
        #expect(damaged != text)
        try expectError(reason, damaged)
    }

    private func expectError(_ reason: CookieJar.FileError, _ text: String) throws {
        let path = try directory.write(text, as: "jar")
        let jar = CookieJar(suffixes: .builtIn) { Self.now }
        jar.set("before", "1", for: url)
        let error = try #require(throws: HTTPError.self) { try jar.load(from: path) }
        #expect(error.underlying as? CookieJar.FileError == reason)
        #expect(
            error.kind == .fileFailed(path: path, .read, reason: reason.description)
        )
        #expect(!"\(error)".contains("geheim"))
        #expect(jar.cookies.map(\.name) == ["before"])
    }

    @Test func `truncated JSON is rejected at every length`() throws {
        let whole = CookieJar.FileFormat.json.encode(try filled().cookies)
        for count in 1..<(whole.count - 1) {
            let part = Array(whole[..<count])
            let error = #expect(throws: HTTPError.self) { try CookieJar.FileFormat.decode(part) }
            guard case .json(let reason) = error?.underlying as? CookieJar.FileError else {
                Issue.record("cut at \(count): \(String(describing: error))")
                continue
            }
            #expect(
                error?.kind == .invalidRequest(.cookieFile(reason: "it is not JSON: \(reason)"))
            )
        }
    }

    @Test func `missing and unwritable cookie files are errors`() throws {
        let missing = "\(directory.path)/missing"
        let jar = try filled()
        let error = #expect(throws: HTTPError.self) { try jar.load(from: missing) }
        #expect(
            error?.kind == .fileFailed(path: missing, .open, reason: "No such file or directory")
        )
        #expect(throws: HTTPError.self) { try CookieJar(contentsOf: missing) }
        #expect(try CookieJar(contentsOf: missing, onMissingFile: .treatAsEmpty).isEmpty)
        #expect(throws: HTTPError.self) {
            try CookieJar(contentsOf: directory.path, onMissingFile: .treatAsEmpty)
        }
        for path in [directory.path, "\(missing)/jar", ""] {
            #expect(throws: HTTPError.self) { try jar.save(to: path) }
        }
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test(.enabled(if: InstalledFile.isExpected("/usr/bin/curl"), "curl is not installed"))
    func `curl and a jar read each other's files`() throws {
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHeadWhere { _ in true },
                .reply(
                    "HTTP/1.1 204 No Content\r\nset-cookie: a=1; Path=/; Max-Age=1000\r\n"
                        + "set-cookie: b=x y; HttpOnly; Path=/p\r\n"
                        + "set-cookie: c=\"q\"\r\nconnection: close\r\n\r\n"
                ), .close,
            ],
            [
                .expectHeadWhere { head in
                    // curl orders cookies with paths of the same length differently.
                    ["b=x y", "own=2", "a=1"].allSatisfy(head.contains)
                },
                .reply("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"), .close,
            ],
        ])
        let path = "\(directory.path)/jar"
        try curl(["-c", path, "\(origin.url)/p/x"])
        let jar = try CookieJar(contentsOf: path)
        let target = try URI("\(origin.url)/p/y")
        // curl does not keep the order in its file either.
        let pairs = jar.field(for: target)?.split(separator: "; ").sorted()
        #expect(pairs == ["a=1", "b=x y", "c=\"q\""])
        #expect(jar.cookies.filter(\.isHTTPOnly).map(\.name) == ["b"])
        jar.remove { $0.name == "c" }
        jar.set("own", "2", for: target)
        try jar.save(to: path, includeSessionCookies: true)
        try curl(["-b", path, target.text])
        #expect(origin.failures == [])
    }

    private func curl(_ arguments: [String]) throws {
        let program = ["/usr/bin/curl", "-q", "-sS", "--noproxy", "*", "--max-time", "30"]
        let child = try ChildProcess(program + arguments, output: "\(directory.path)/log")
        #expect(child.wait() == 0)
    }
}

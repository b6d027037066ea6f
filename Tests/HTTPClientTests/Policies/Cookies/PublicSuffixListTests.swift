import HTTPClient
import Support
import Testing

@Suite struct PublicSuffixListTests {
    private static let list = PublicSuffixList(
        parsing: """
            // remark
            com
            uk\tremark
            co.uk and a remark
              jp\r
            *.ck
            !www.ck
            kawasaki.jp
            *.kawasaki.jp
            !city.kawasaki.jp
            公司.cn
            münchen.example
            *
            *.

            """
    )

    @Test(
        arguments: [
            ("com", nil), ("example.com", "example.com"), ("a.b.example.com", "example.com"),
            ("uk", nil), ("co.uk", nil), ("example.uk", "example.uk"),
            ("a.example.co.uk", "example.co.uk"),
            ("example.co.uk.", "example.co.uk"), ("ck", nil), ("a.ck", nil), ("b.a.ck", "b.a.ck"),
            ("c.b.a.ck", "b.a.ck"), ("www.ck", "www.ck"), ("a.www.ck", "www.ck"), ("jp", nil),
            ("kawasaki.jp", nil), ("a.kawasaki.jp", nil), ("b.a.kawasaki.jp", "b.a.kawasaki.jp"),
            ("a.city.kawasaki.jp", "city.kawasaki.jp"), ("xn--55qx5d.cn", nil),
            ("a.xn--55qx5d.cn", "a.xn--55qx5d.cn"), ("xn--mnchen-3ya.example", nil),
            ("unknown", nil), ("a.unknown", "a.unknown"), ("b.a.unknown", "a.unknown"), ("", nil),
            ("127.0.0.1", nil), ("::1", nil), (".com", nil), ("a..com", nil),
            ("example.com..", nil),
        ] as [(String, String?)]
    )
    func `a registrable domain is one label longer than its public suffix`(
        host: String,
        domain: String?
    ) {
        #expect(Self.list.registrableDomain(of: host) == domain)
        if !host.contains("0.0") {
            #expect(Self.list.isPublicSuffix(host) == (domain == nil))
        }
    }

    @Test(arguments: [
        ("co.uk", true), ("com.au", true), ("github.io", true), ("me.github.io", false),
        ("example.com", false), ("any.ck", true), ("www.ck", false), ("com", true),
        ("bbc.co.uk", false), ("co.jp", true), ("kobe.jp", false), ("a.kobe.jp", true),
        ("city.kobe.jp", false), ("co.zm", true), ("com.pg", true), ("xn--55qx5d.cn", true),
        ("s3.amazonaws.com", true), ("amazonaws.com", false), ("no_label.com", false),
        ("", true), ("aaa", true), ("zzzzzzzzz", true), ("a.zzzzzzzzz", false),
    ])
    func `the built-in list recognizes public suffixes`(name: String, isSuffix: Bool) {
        #expect(PublicSuffixList.builtIn.isPublicSuffix(name) == isSuffix)
    }

    @Test(arguments: [
        "co.zm", "a.kobe.jp", "com.pg", "co.uk", "github.io", "com.mm", "s3.amazonaws.com",
        "pages.dev", "gov.br", "web.app", "herokuapp.com", "co.ke", "com", "org.ac",
    ])
    func `a jar without the system's list rejects cookies for a public suffix`(
        suffix: String
    )
        throws
    {
        let jar = CookieJar(suffixes: .newest("/nowhere/public_suffix_list.dat"))
        let line = try #require(SetCookie("a=1; Domain=\(suffix)"))
        #expect(jar.set(line, from: try URI("http://a.evil.\(suffix)/")) == .publicSuffix)
        #expect(jar.field(for: try URI("http://b.victim.\(suffix)/")) == nil)
    }

    @Test func `the built-in table agrees with its rules read line by line`() {
        let rules = PublicSuffixList.builtIn.writtenRules
        #expect(rules.count > 10_000)
        compare(.builtIn, rules)
    }

    @Test func `the built-in table takes less than 100 KiB`() {
        #expect(PublicSuffixList.builtInSize < 100 << 10)
    }

    @Test func `the built-in table equals the output of its generator`() throws {
        let (status, output) = try run(["--check"])
        #expect(status == 0, "\(output)")
    }

    @Test(
        .enabled(
            if: InstalledFile.isExpected(PublicSuffixList.systemPath),
            "the package publicsuffix is not installed: run `make setup`"
        )
    )
    func `a table generated from the system's list agrees with the list`() throws {
        let list = try PublicSuffixList(contentsOf: PublicSuffixList.systemPath)
        let (status, output) = try run(["--table", PublicSuffixList.systemPath])
        try #require(status == 0, "\(output)")
        let words = output.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
        let length = try #require(words.first.flatMap { Int($0) })
        let text = try #require(words.last)
        let table = PublicSuffixList(SuffixTable(version: "", rootLength: length, text: text))
        #expect(table.writtenRules == list.writtenRules)
        compare(table, list.writtenRules)
    }

    /// Compares a list with one parsed from its rules.
    ///
    /// The names are those of the rules, similar names, and random names made of the same labels.
    private func compare(_ list: PublicSuffixList, _ rules: [String]) {
        let parsed = PublicSuffixList(parsing: rules.joined(separator: "\n"))
        let names = rules.map { $0.hasPrefix("*.") ? $0.dropFirst(2) : $0.drop { $0 == "!" } }
        let labels = names.flatMap { $0.split(separator: ".") }
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ count: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(count))
        }
        var differing: [String] = []
        for (index, name) in names.enumerated() {
            let labelCount = 1 + next(4)
            let random = (0..<labelCount).map { _ in labels[next(labels.count)] }
            let hosts = [
                String(name), "b.a.\(name)", "\(name)x",
                "\(name.dropFirst())", random.joined(separator: "."),
                "\(labels[next(labels.count)]).\(names[(index + 1) % names.count])",
            ]
            differing += hosts.filter {
                list.isPublicSuffix($0) != parsed.isPublicSuffix($0)
                    || list.registrableDomain(of: $0) != parsed.registrableDomain(of: $0)
            }
        }
        #expect(differing == [])
    }

    /// Runs the generator and returns its status and its output.
    private func run(_ arguments: [String]) throws -> (Int32, String) {
        let directory = try TemporaryDirectory()
        let script = "/" + "\(#filePath)".split(separator: "/").dropLast(5).joined(separator: "/")
        let output = "\(directory.path)/output"
        let program = try ChildProcess(
            ["\(script)/Tests/PublicSuffixes/make-suffixes"] + arguments,
            output: output
        )
        let status = program.wait()
        return (status, String(decoding: TestFileSystem.contents(of: output) ?? [], as: UTF8.self))
    }

    @Test(arguments: [
        ("// VERSION: 2099-01-01_00-00-00_UTC\nown.example\n", true),
        ("// VERSION: 2023-01-01_00-00-00_UTC\nown.example\n", false),
        ("own.example\n", false), ("// VERSION: 2099-01-01_00-00-00_UTC\n// none\n", false),
        ("// VERSION:\nown.example\n", false),
    ])
    func `the system's list is used if it is newer`(text: String, isUsed: Bool) throws {
        let directory = try TemporaryDirectory()
        let list = PublicSuffixList.newest(try directory.write(text, as: "list"))
        #expect(list.isPublicSuffix("own.example") == isUsed)
        #expect(list.isPublicSuffix("co.uk") != isUsed)
        #expect((list.version == PublicSuffixList.builtIn.version) != isUsed)
    }

    @Test(
        .enabled(
            if: InstalledFile.isExpected(PublicSuffixList.systemPath),
            "the package publicsuffix is not installed: run `make setup`"
        )
    )
    func `the system's list is read`() throws {
        let list = try PublicSuffixList(contentsOf: PublicSuffixList.systemPath)
        for (host, domain) in [
            ("www.example.co.uk", "example.co.uk"), ("a.b.github.io", "b.github.io"),
            ("a.city.kobe.jp", "city.kobe.jp"), ("a.b.c.kobe.jp", "b.c.kobe.jp"),
            ("x.y.xn--85x722f.com.cn", "xn--85x722f.com.cn"),
        ] {
            #expect(list.registrableDomain(of: host) == domain)
        }
        #expect(list.isPublicSuffix("xn--55qx5d.cn"))
        #expect(PublicSuffixList.system.isPublicSuffix("s3.amazonaws.com"))
    }

    @Test func `a missing or empty list is an error`() throws {
        let directory = try TemporaryDirectory()
        let empty = try directory.write("// nothing\n", as: "list")
        for path in [empty, "\(directory.path)/missing", directory.path] {
            let error = #expect(throws: HTTPError.self) { try PublicSuffixList(contentsOf: path) }
            #expect(error?.description.contains(path) == true)
        }
    }
}

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
    func `what is registered is one label more than a suffix`(host: String, domain: String?) {
        #expect(Self.list.registrableDomain(of: host) == domain)
        if !host.contains("0.0") {
            #expect(Self.list.isPublicSuffix(host) == (domain == nil))
        }
    }

    @Test(arguments: [
        ("co.uk", true), ("com.au", true), ("github.io", true), ("me.github.io", false),
        ("example.com", false), ("any.ck", true), ("www.ck", false), ("com", true),
        ("bbc.co.uk", false), ("co.jp", true),
    ])
    func `the short list knows the commonest`(name: String, isSuffix: Bool) {
        #expect(PublicSuffixList.builtIn.isPublicSuffix(name) == isSuffix)
    }

    @Test(
        .enabled(
            if: InstalledFile.isExpected(PublicSuffixList.systemPath),
            "the package publicsuffix is not installed: run `make setup`"
        )
    )
    func `the list of the machine is read, and the short one agrees with it`() throws {
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
        let missing = PublicSuffixList.builtInNames.filter { !list.isPublicSuffix($0) }
        // Lists of other years know some more or fewer.
        #expect(missing.count <= 5, "\(missing)")
    }

    @Test func `a list that is none is told`() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.write("// nothing\n", as: "list")
        for path in [empty, "\(folder.path)/missing", folder.path] {
            let error = #expect(throws: HTTPError.self) { try PublicSuffixList(contentsOf: path) }
            #expect(error?.description.contains(path) == true)
        }
    }
}

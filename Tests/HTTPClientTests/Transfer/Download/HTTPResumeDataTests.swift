import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

@Suite struct HTTPResumeDataTests {
    private static let good = JournalText.sealed(
        """
        HTTPClient download journal 1
        url: https://a.example/b?c=d
        origin: https://b.example
        validator: "x:y%25"
        total: 20
        written: 10
        synced: 8
        inode: 18446744073709551615
        target: /tmp/a%0ab%25
        file: .a%0ab%25.abcdefgh.part
        modified: 1700000000123456789

        """
    )

    /// The text after a change of one of its parts, with a fitting last line.
    private static func changed(_ part: String, _ replacement: String) -> String {
        JournalText.sealed(JournalText.unsealed(good).replacing(part, with: replacement))
    }

    @Test func `resume data is formatted and parsed`() throws {
        let data = try HTTPResumeData(Self.good)
        #expect(data.url == "https://a.example/b?c=d")
        #expect(data.validator == "\"x:y%\"")
        #expect(data.offset == 10)
        #expect(data.total == 20)
        #expect(data.origin == "https://b.example")
        #expect(data.target == "/tmp/a\nb%")
        #expect(data.file == "/tmp/.a\nb%.abcdefgh.part")
        #expect(data.identity == FileIdentity(inode: .max, modified: 1_700_000_000_123_456_789))
        #expect(data.text == Self.good)
        #expect(try HTTPResumeData(data.text) == data)
        let short = try HTTPResumeData(Self.changed("total: 20\n", ""))
        #expect(short.total == nil)
        #expect(try HTTPResumeData(short.text) == short)
        #expect(!"\(data) \(String(reflecting: data))".contains("c=d"))
        #expect("\(data)".hasPrefix("10 of 20 bytes in /tmp/"))
        #expect("\(short)".hasPrefix("10 of ? bytes in /tmp/"))
        #expect(try HTTPResumeData(String(Self.good.dropLast())) == data)
        let parts = try HTTPResumeData(Self.changed("inode", "parts: 12-15 17-17\ninode"))
        #expect(parts.offset == 10 && "\(parts)".hasPrefix("15 of 20 bytes"))
        let verified = try HTTPResumeData(Self.changed("validator: \"x:y%25\"\n", ""))
        #expect(verified.validator == nil)
    }

    /// The text of a journal names no partial file, because that of its target has one name.
    @Test(arguments: ["", "file: .a%0ab%25.TAG.part\n", "file: /x/.a%0ab%25.TAG.part\n"])
    func `the text of a journal is resume data`(line: String) throws {
        let path = try #require(PartialFileName(target: "/tmp/a\nb%")?.journaledPath)
        let tag = String(path.dropLast(5).suffix(8))
        let text = Self.changed(
            "file: .a%0ab%25.abcdefgh.part\nmodified: 1700000000123456789\n",
            line.replacing("TAG", with: tag)
        )
        let data = try HTTPResumeData(text)
        #expect(data.hasJournal)
        #expect(data.file == path)
        #expect(data.identity == nil)
        #expect(try HTTPResumeData(data.text) == data)
    }

    @Test(arguments: [
        ("", "", HTTPResumeData.ResumeError.notResumeData), ("HTTPClient", "curl", .notResumeData),
        ("download journal", "resume data", .notResumeData),
        ("journal 1", "journal 2", .unknownVersion), ("journal 1", "journal 11", .unknownVersion),
        ("modified: 1700000000123456789\n", "", .incomplete),
        ("d: 17", "d: -17", .incomplete), ("d: 17", "d: 1 7", .incomplete),
        ("d: 17", "d: 99999999999999999999", .incomplete),
        ("modified: 1700000000123456789", "modified: ", .incomplete),
        ("inode: 1", "inode: +1", .incomplete), ("inode: 1", "inode: 9", .incomplete),
        ("inode: 18446744073709551615\n", "", .incomplete),
        ("url: ", "uri: ", .malformed(line: 2)), ("url: ", "url:", .malformed(line: 2)),
        ("%0ab%25\nf", "%0x\nf", .malformed(line: 9)),
        ("%0ab%25\nf", "%0G\nf", .malformed(line: 9)),
        ("%0ab%25\nf", "\t\nf", .malformed(line: 9)), ("%0ab%25\nf", "%FF\nf", .malformed(line: 9)),
        ("total: 20", "written: 10", .malformed(line: 6)), ("total: 20", "", .malformed(line: 5)),
        ("written: 10\n", "", .incomplete), ("written: 10", "written: +10", .incomplete),
        ("written: 10", "written: 7", .incomplete), ("written: 10", "written: 21", .incomplete),
        ("written: 10", "written: 99999999999999999999", .incomplete),
        ("synced: 8\n", "", .incomplete), ("total: 20", "total: x", .incomplete),
        ("\"x:y%25\"", "W/\"x\"", .incomplete), ("\"x:y%25\"", "x", .incomplete),
        ("origin: https://b.example\n", "", .incomplete),
        ("url: https://a.example/b?c=d\n", "", .incomplete),
        ("target: /tmp/a%0ab%25\n", "", .incomplete),
        ("/tmp/", "tmp/", .incomplete), ("target: /tmp/a%0ab%25", "target: /tmp/", .incomplete),
        ("target: /tmp/a", "target: /tmp/b", .notPartialFile), (".part", ".txt", .notPartialFile),
        (".abcdefgh", "", .notPartialFile), (".abcdefgh", ".ABCDEFGH", .notPartialFile),
        (".a%0ab%25.abcdefgh.part", "/etc/passwd", .notPartialFile),
        ("/tmp/a%0ab%25", "/etc/passwd", .notPartialFile),
    ])
    func `damaged resume data is rejected`(
        part: String,
        replacement: String,
        reason: HTTPResumeData.ResumeError
    ) {
        let text = part.isEmpty ? "" : Self.changed(part, replacement)
        #expect(text != Self.good)
        #expect(invalidReason { try HTTPResumeData(text) } == .resumeData(reason))
    }

    @Test(arguments: [("20", "21"), ("a.example", "c.example"), ("check: ", "check: 0")])
    func `text that was changed is rejected`(part: String, replacement: String) {
        let text = Self.good.replacing(part, with: replacement)
        #expect(invalidReason { try HTTPResumeData(text) } == .resumeData(.damaged))
    }

    @Test func `a directory before the file name is ignored`() throws {
        let text = Self.changed("file: .a", "file: /etc/../root/.a")
        #expect(try HTTPResumeData(text) == HTTPResumeData(Self.good))
    }

    @Test func `discarding deletes the partial file, even if it is already missing`() throws {
        let directory = try TemporaryDirectory()
        let target = try directory.write("old", as: "file")
        let name = ".file.abcdefgh.part"
        try directory.write("abc", as: name)
        let data = HTTPResumeData(
            url: "http://a/",
            validator: "\"a\"",
            offset: 3,
            total: nil,
            target: target,
            name: name
        )
        try data.discard()
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        try data.discard()
    }

    @Test(arguments: ["file", "precious", ".file.part", "../file", "", "."])
    func `discarding deletes only a partial file`(name: String) throws {
        let directory = try TemporaryDirectory()
        let target = try directory.write("old", as: "file")
        try directory.write("abc", as: "precious")
        try directory.write("abc", as: ".file.part")
        let data = HTTPResumeData(
            url: "http://a/",
            validator: "\"a\"",
            offset: 3,
            total: nil,
            target: target,
            name: name
        )
        #expect(throws: HTTPError.self) { try data.discard() }
        #expect(TestFileSystem.names(in: directory.path) == [".file.part", "file", "precious"])
    }
}

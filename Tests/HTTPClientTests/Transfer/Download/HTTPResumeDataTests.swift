import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

@Suite struct HTTPResumeDataTests {
    private static let good = """
        HTTPClient resume data 3
        url: https://a.example/b?c=d
        origin: https://b.example
        validator: "x:y%25"
        offset: 10
        total: 20
        target: /tmp/a%0Ab%25
        file: .a%0Ab%25.abcdefgh.part
        part: 7 10 1700000000123456789

        """

    @Test func `resume data is formatted and parsed`() throws {
        let data = try HTTPResumeData(Self.good)
        #expect(data.url == "https://a.example/b?c=d")
        #expect(data.validator == "\"x:y%\"")
        #expect(data.offset == 10)
        #expect(data.total == 20)
        #expect(data.origin == "https://b.example")
        #expect(data.target == "/tmp/a\nb%")
        #expect(data.file == "/tmp/.a\nb%.abcdefgh.part")
        #expect(data.part == FileIdentity(inode: 7, size: 10, modified: 1_700_000_000_123_456_789))
        #expect(data.text == Self.good.replacing("%0A", with: "%0a"))
        #expect(try HTTPResumeData(data.text) == data)
        let short = try HTTPResumeData(Self.good.replacing("total: 20\n", with: ""))
        #expect(short.total == nil)
        #expect(try HTTPResumeData(short.text) == short)
        #expect(!"\(data) \(String(reflecting: data))".contains("c=d"))
    }

    @Test(arguments: [
        ("", "", HTTPResumeDataError.notResumeData), ("HTTPClient", "curl", .notResumeData),
        ("data 3", "data 1", .unknownVersion), ("data 3", "data 2", .unknownVersion),
        ("data 3", "data 33", .unknownVersion), ("part: 7", "part: ", .incomplete),
        ("part: 7 10 1700000000123456789\n", "", .incomplete), ("7 10", "7 x", .incomplete),
        ("7 10", "7", .incomplete), ("7 10", "7 10 11", .incomplete),
        ("7 10", "7  10", .incomplete),
        ("7 10", "-7 10", .incomplete), ("7 10", "7 99999999999999999999", .incomplete),
        ("url: ", "uri: ", .malformed(line: 2)), ("url: ", "url:", .malformed(line: 2)),
        ("%0A", "%0x", .malformed(line: 7)), ("%0A", "%0G", .malformed(line: 7)),
        ("%0A", "\t", .malformed(line: 7)), ("%0A", "%FF", .malformed(line: 7)),
        ("total: 20", "offset: 10", .malformed(line: 6)), ("total: 20", "", .malformed(line: 6)),
        ("offset: 10\n", "", .incomplete), ("offset: 10", "offset: +10", .incomplete),
        ("offset: 10", "offset: 0", .incomplete), ("offset: 10", "offset: 21", .incomplete),
        ("offset: 10", "offset: 99999999999999999999", .incomplete),
        ("total: 20", "total: x", .incomplete), ("\"x:y%25\"", "W/\"x\"", .incomplete),
        ("\"x:y%25\"", "x", .incomplete), ("file: .a%0Ab%25.abcdefgh.part\n", "", .incomplete),
        ("origin: https://b.example\n", "", .incomplete),
        ("target: /tmp/a%0Ab%25\n", "", .incomplete),
        ("/tmp/", "tmp/", .incomplete), ("target: /tmp/a%0Ab%25", "target: /tmp/", .incomplete),
        ("target: /tmp/a", "target: /tmp/b", .notPartialFile), (".part", ".txt", .notPartialFile),
        (".abcdefgh", "", .notPartialFile), (".abcdefgh", ".ABCDEFGH", .notPartialFile),
        (".a%0Ab%25.abcdefgh.part", "/etc/passwd", .notPartialFile),
        ("/tmp/a%0Ab%25", "/etc/passwd", .notPartialFile),
    ])
    func `damaged resume data is rejected`(
        part: String,
        replacement: String,
        fault: HTTPResumeDataError
    ) {
        let text = part.isEmpty ? "" : Self.good.replacing(part, with: replacement)
        #expect(invalidReason { try HTTPResumeData(text) } == .resumeData(fault))
    }

    @Test func `a directory before the file name is ignored`() throws {
        let text = Self.good.replacing("file: .a", with: "file: /etc/../root/.a")
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

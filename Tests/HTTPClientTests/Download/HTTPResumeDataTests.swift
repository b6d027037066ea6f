import HTTPClient
import Support
import Testing

@Suite struct HTTPResumeDataTests {
    private static let good = """
        HTTPClient resume data 1
        url: https://a.example/b?c=d
        validator: "x:y%25"
        offset: 10
        total: 20
        file: /tmp/a%0Ab%25

        """

    @Test func `what is formatted is read back`() throws {
        let data = try HTTPResumeData(Self.good)
        #expect(data.url == "https://a.example/b?c=d")
        #expect(data.validator == "\"x:y%\"")
        #expect(data.offset == 10)
        #expect(data.total == 20)
        #expect(data.file == "/tmp/a\nb%")
        #expect(data.text == Self.good.replacing("%0A", with: "%0a"))
        #expect(try HTTPResumeData(data.text) == data)
        let short = try HTTPResumeData(Self.good.replacing("total: 20\n", with: ""))
        #expect(short.total == nil)
        #expect(try HTTPResumeData(short.text) == short)
        #expect(!"\(data) \(String(reflecting: data))".contains("c=d"))
    }

    @Test(arguments: [
        ("", "", ResumeFault.foreign), ("HTTPClient", "curl", .foreign),
        ("data 1", "data 2", .unknownVersion), ("data 1", "data 11", .unknownVersion),
        ("url: ", "uri: ", .malformed(line: 2)), ("url: ", "url:", .malformed(line: 2)),
        ("%0A", "%0x", .malformed(line: 6)), ("%0A", "%0G", .malformed(line: 6)),
        ("%0A", "\t", .malformed(line: 6)), ("%0A", "%FF", .malformed(line: 6)),
        ("total: 20", "offset: 10", .malformed(line: 5)), ("total: 20", "", .malformed(line: 5)),
        ("offset: 10\n", "", .incomplete), ("offset: 10", "offset: +10", .incomplete),
        ("offset: 10", "offset: 0", .incomplete), ("offset: 10", "offset: 21", .incomplete),
        ("offset: 10", "offset: 99999999999999999999", .incomplete),
        ("total: 20", "total: x", .incomplete), ("\"x:y%25\"", "W/\"x\"", .incomplete),
        ("\"x:y%25\"", "x", .incomplete), ("file: /tmp/a%0Ab%25\n", "", .incomplete),
    ])
    func `damaged data is refused`(part: String, replacement: String, fault: ResumeFault) {
        let text = part.isEmpty ? "" : Self.good.replacing(part, with: replacement)
        #expect(throws: fault) { try HTTPResumeData(text) }
    }

    @Test func `discarding deletes the file, also when it is gone`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("abc", as: "part")
        let data = HTTPResumeData(
            url: "http://a/",
            validator: "\"a\"",
            offset: 3,
            total: nil,
            file: file
        )
        try data.discard()
        #expect(Folder.names(in: folder.path) == [])
        try data.discard()
        let foreign = HTTPResumeData(
            url: "http://a/",
            validator: "\"a\"",
            offset: 3,
            total: nil,
            file: folder.path
        )
        #expect(throws: HTTPError.self) { try foreign.discard() }
    }
}

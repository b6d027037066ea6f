import HTTPClient
import Support
import Testing

/// Tests the bytes of encoded multipart forms.
@Suite struct MultipartEncoderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let build: @Sendable (inout MultipartForm) -> Void
        let expected: String

        var testDescription: String { name }
    }

    private static let rows: [Row] = [
        Row(name: "a form without parts", build: { _ in }, expected: "--b--\r\n"),
        Row(
            name: "text has no content type",
            build: { $0.add(string: "320x240", name: "size") },
            expected: """
                --b\r
                Content-Disposition: form-data; name="size"\r
                \r
                320x240\r
                --b--\r

                """
        ),
        Row(
            name: "text is sent as UTF-8 and keeps its line breaks",
            build: { $0.add(string: "é\n\r", name: "ü") },
            expected: "--b\r\nContent-Disposition: form-data; name=\"ü\"\r\n\r\né\n\r\r\n--b--\r\n"
        ),
        Row(
            name: "only quotes and line breaks in names are percent-encoded",
            build: { $0.add(string: "", name: "a\"b\\c%22;'") },
            expected:
                "--b\r\nContent-Disposition: form-data; name=\"a%22b\\c%22;'\"\r\n\r\n\r\n--b--\r\n"
        ),
        Row(
            name: "a lone CR or LF in a name becomes CRLF",
            build: { $0.add(string: "", name: "\r1\n2\r\n3\r\r4\n") },
            expected: "--b\r\nContent-Disposition: form-data; "
                + "name=\"%0D%0A1%0D%0A2%0D%0A3%0D%0A%0D%0A4%0D%0A\"\r\n\r\n\r\n--b--\r\n"
        ),
        Row(
            name: "a file name keeps its line breaks, encoded",
            build: {
                $0.add(bytes: Array("x".utf8), name: "f", fileName: "a\"\n\r.png")
            },
            expected: """
                --b\r
                Content-Disposition: form-data; name="f"; filename="a%22%0A%0D.png"\r
                Content-Type: image/png\r
                \r
                x\r
                --b--\r

                """
        ),
        Row(
            name: "bytes without a file name have the type application/octet-stream",
            build: { $0.add(bytes: Array("x".utf8), name: "f") },
            expected: """
                --b\r
                Content-Disposition: form-data; name="f"\r
                Content-Type: application/octet-stream\r
                \r
                x\r
                --b--\r

                """
        ),
        Row(
            name: "parts keep their order, and custom fields follow the default ones",
            build: { form in
                form.add(string: "1", name: "a", contentType: "text/csv")
                form.parts[0].headers = ["Content-Language": "de", "X-A": "b"]
                form.add(string: "2", name: "a")
            },
            expected: """
                --b\r
                Content-Disposition: form-data; name="a"\r
                Content-Type: text/csv\r
                Content-Language: de\r
                X-A: b\r
                \r
                1\r
                --b\r
                Content-Disposition: form-data; name="a"\r
                \r
                2\r
                --b--\r

                """
        ),
        Row(
            name: "custom fields replace the default ones",
            build: { form in
                form.add(
                    bytes: Array("x".utf8),
                    headers: ["content-disposition": "form-data; name=own", "Content-Type": "a/b"]
                )
            },
            expected: """
                --b\r
                content-disposition: form-data; name=own\r
                Content-Type: a/b\r
                \r
                x\r
                --b--\r

                """
        ),
        Row(
            name: "a preamble precedes the first delimiter",
            build: { form in
                form.preamble = "for old readers"
                form.add(string: "1", name: "a")
            },
            expected: """
                for old readers\r
                --b\r
                Content-Disposition: form-data; name="a"\r
                \r
                1\r
                --b--\r

                """
        ),
        Row(
            name: "a boundary within a line does not end the part",
            build: { $0.add(string: "x--b\r\n -b", name: "a") },
            expected: """
                --b\r
                Content-Disposition: form-data; name="a"\r
                \r
                x--b\r
                 -b\r
                --b--\r

                """
        ),
    ]

    @Test(arguments: rows)
    func `a form is written as in RFC 7578 and the HTML Standard`(row: Row) throws {
        var form = MultipartForm(boundary: "b")
        row.build(&form)
        let encoder = try MultipartEncoder(form, boundary: "unused")
        #expect(text(encoder.segments) == row.expected)
        #expect(encoder.contentType == "multipart/form-data; boundary=b")
        let body = HTTPBody.multipart(form)
        #expect(String(decoding: body.bytes, as: UTF8.self) == row.expected)
        #expect(body.length == row.expected.utf8.count && body.isReplayable)
        #expect(body.contentType == encoder.contentType)
    }

    private func text(_ segments: [BodySegment]) -> String {
        segments.map { segment in
            guard case .bytes(let bytes) = segment else { return "<not in memory>" }
            return String(decoding: bytes, as: UTF8.self)
        }.joined()
    }

    @Test func `files and large contents are separate segments`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([UInt8](repeating: 1, count: 1000), as: "a \"b\".tar.gz")
        let large = [UInt8](repeating: 2, count: 100_000)
        var form = MultipartForm(boundary: "b")
        form.add(file: path, name: "f")
        form.add(bytes: large, name: "l")
        let segments = try MultipartEncoder(form, boundary: "").segments
        try #require(segments.count == 5)
        guard case .bytes(let head) = segments[0], case .file(let file) = segments[1],
            case .bytes(let between) = segments[2], case .bytes(let bytes) = segments[3],
            case .bytes(let end) = segments[4]
        else {
            Issue.record("unexpected segments")
            return
        }
        #expect(
            String(decoding: head, as: UTF8.self) == """
                --b\r
                Content-Disposition: form-data; name="f"; filename="a %22b%22.tar.gz"\r
                Content-Type: application/gzip\r
                \r

                """
        )
        #expect(file.path == path && file.range == nil)
        #expect(String(decoding: between, as: UTF8.self).hasPrefix("\r\n--b\r\n"))
        #expect(bytes == large)
        #expect(String(decoding: end, as: UTF8.self) == "\r\n--b--\r\n")
        let whole = head.count + 1000 + between.count + large.count + end.count
        #expect(HTTPBody.multipart(form).length == whole)
    }

    @Test func `a form takes unknown length and missing replayability from its streams`() {
        let pieces = AsyncStream<[UInt8]> { $0.finish() }
        var form = MultipartForm()
        form.add(stream: pieces, length: 7, name: "a")
        #expect(HTTPBody.multipart(form).length != nil)
        #expect(!HTTPBody.multipart(form).isReplayable)
        form.add(name: "b") { pieces }
        #expect(HTTPBody.multipart(form).length == nil)
        form.parts.removeFirst()
        #expect(HTTPBody.multipart(form).isReplayable)
    }

    @Test func `a random boundary differs each time and is valid in Content-Type`() throws {
        let form = MultipartForm()
        let first = try #require(HTTPBody.multipart(form).contentType)
        let second = try #require(HTTPBody.multipart(form).contentType)
        #expect(first != second)
        let boundary = try #require(MediaType(first.rawValue)?.boundary)
        #expect(boundary.utf8.count == 37)
        let again = try MultipartEncoder(MultipartForm(boundary: boundary), boundary: "")
        #expect(again.contentType == first)
    }

    @Test func `a boundary that is not a token is quoted`() throws {
        let encoder = try MultipartEncoder(MultipartForm(boundary: "a b:c"), boundary: "")
        #expect(encoder.contentType == "multipart/form-data; boundary=\"a b:c\"")
    }

    @Test(arguments: [
        "", "a ", "ü", "a\r\nb", "a\"b", "a;b", String(repeating: "a", count: 71),
    ])
    func `a boundary that violates RFC 2046 is rejected`(boundary: String) {
        #expect(throws: MultipartForm.EncodingError.invalidBoundary(boundary)) {
            try MultipartEncoder(MultipartForm(boundary: boundary), boundary: "")
        }
    }

    @Test(arguments: ["--b", "x\n--b", "x\r\n--bc\r\ny", "\n\n--b--"])
    func `a custom boundary that starts a line of the content is rejected`(content: String) {
        var form = MultipartForm(boundary: "b")
        form.add(string: "1", name: "a")
        form.add(string: content, name: "c")
        #expect(throws: MultipartForm.EncodingError.boundaryInContent(part: 1)) {
            try MultipartEncoder(form, boundary: "")
        }
        form.parts.removeLast()
        form.preamble = content
        #expect(throws: MultipartForm.EncodingError.boundaryInContent(part: nil)) {
            try MultipartEncoder(form, boundary: "")
        }
    }

    @Test func `a part without a name or with invalid fields is rejected`() {
        var form = MultipartForm(boundary: "b")
        form.add(bytes: [], headers: ["X": "y"])
        #expect(throws: MultipartForm.EncodingError.missingName(part: 0)) {
            try MultipartEncoder(form, boundary: "")
        }
        for headers: HTTPHeaders in [["a b": "c"], ["x": "c\r\nd"], ["x": "c\u{0}"]] {
            form.parts[0].name = "n"
            form.parts[0].headers = headers
            let name = headers.first?.name ?? ""
            #expect(throws: MultipartForm.EncodingError.invalidHeader(part: 0, name: name)) {
                try MultipartEncoder(form, boundary: "")
            }
        }
        form.parts[0].headers = [:]
        form.parts[0].contentType = "a/b\r\nX: y"
        #expect(throws: MultipartForm.EncodingError.invalidHeader(part: 0, name: "Content-Type")) {
            try MultipartEncoder(form, boundary: "")
        }
    }
}

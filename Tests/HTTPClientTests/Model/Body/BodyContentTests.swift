import ClientSupport
import HTTPClient
import Support
import Testing

@Suite struct BodyContentTests {
    @Test(
        arguments: [
            (.empty, ""), (.string("é"), "é"), (.string("é", charset: .latin1), "é"),
            (.json(["a": 1]), #"{"a":1}"#), (.bytes([0xff], contentType: nil), nil),
            (.bytes([65], contentType: "text/plain; charset=unknown"), nil),
            (.file("/etc/hostname"), nil), (.json(.number(.nan)), nil),
        ] as [(HTTPBody, String?)]
    )
    func `text is that of the charset`(body: HTTPBody, text: String?) {
        #expect(body.text == text)
    }

    @Test func `JSON is read back`() {
        #expect(HTTPBody.json(["a": [1, nil]]).json == ["a": [1, nil]])
        #expect(HTTPBody.string("[]").json == [])
        #expect(HTTPBody.string("{").json == nil)
        #expect(HTTPBody.file("/etc/hostname").json == nil)
    }

    @Test func `the items of a form are read back`() {
        let body = HTTPBody.form(["a b": "1+2&3=", "tags": ["x", "y"], "empty": "", "é": true])
        let items: HTTPParameters = [
            "a b": "1+2&3=", "tags[]": "x", "tags[]": "y", "empty": "", "é": "1",
        ]
        #expect(body.formItems == items)
        #expect(HTTPBody.string("a=1").formItems == nil)
    }

    @Test func `the path of a file is read back`() {
        #expect(HTTPBody.file("a/b.txt").filePath == "a/b.txt")
        #expect(HTTPBody.file("a/b.txt", range: 1..<2).filePath == "a/b.txt")
        #expect(HTTPBody.string("a").filePath == nil)
    }

    @Test func `a small form is read from its bytes`() throws {
        let body = HTTPBody.multipart { form in
            form.add(string: "1\r\n2", name: "a \"b\"")
            form.add(bytes: [0, 255], name: "c", fileName: "c\n.png")
            form.add(bytes: [], headers: ["Content-Disposition": "form-data; name=d", "X-A": "1"])
        }
        #expect(!body.bytes.isEmpty)
        let parts = try #require(body.multipartForm).parts
        #expect(parts.map(\.name) == ["a \"b\"", "c", "d"])
        #expect(parts.map(\.fileName) == [nil, "c\n.png", nil])
        #expect(parts.map(\.contentType) == [nil, .png, nil])
        #expect(parts.map(\.body.bytes) == [Array("1\r\n2".utf8), [0, 255], []])
        #expect(parts[2].headers == ["X-A": "1"])
        let form = try #require(body.multipartForm)
        #expect(HTTPBody.multipart(form).text == nil)
        #expect(try #require(HTTPBody.multipart(form).multipartForm).parts.count == 3)
    }

    @Test func `a form with a file is returned as it was given`() throws {
        let body = HTTPBody.multipart { form in
            form.add(string: "1", name: "a")
            form.add(file: "/missing/b.png", name: "b")
        }
        let parts = try #require(body.multipartForm).parts
        #expect(parts.map(\.name) == ["a", "b"])
        #expect(parts.map(\.body.filePath) == [nil, "/missing/b.png"])
        #expect(parts[0].body.text == "1")
        #expect(body.text == nil && HTTPBody.string("a").multipartForm == nil)
    }
}

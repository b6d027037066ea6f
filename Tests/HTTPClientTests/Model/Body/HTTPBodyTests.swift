import ClientSupport
import HTTPClient
import Support
import Testing

@Suite struct HTTPBodyTests {
    private func text(_ body: HTTPBody) -> String { String(decoding: body.bytes, as: UTF8.self) }

    @Test func `each body kind has its content type, length and replayability`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("hello", as: "a.JSON")
        let once = AsyncStream<[UInt8]> { $0.finish() }
        let rows: [(HTTPBody, HTTPContentType?, Int?, Bool)] = [
            (.empty, nil, 0, true),
            (.bytes([1, 2]), "application/octet-stream", 2, true),
            (.bytes([1], contentType: "image/png"), .png, 1, true),
            (.bytes([1], contentType: nil), nil, 1, true),
            (.string("ü"), "text/plain; charset=utf-8", 2, true),
            (.json(text: "{}"), "application/json", 2, true),
            (.json(["a": 1]), "application/json", 7, true),
            (.form([:]), "application/x-www-form-urlencoded", 0, true),
            (.file(path), "application/json", 5, true),
            (.file(path, range: 1..<3, contentType: .text), .text, 2, true),
            (.file(path, range: 1..<6), "application/json", nil, true),
            (.file(directory.path + "/none"), "application/octet-stream", nil, true),
            (.stream(once), "application/octet-stream", nil, false),
            (.stream(once, length: 9, contentType: .gzip), .gzip, 9, false),
            (.stream(length: 3) { once }, "application/octet-stream", 3, true),
            (.multipart(MultipartForm(boundary: "b")), "multipart/form-data; boundary=b", 7, true),
        ]
        for (index, (body, type, length, isReplayable)) in rows.enumerated() {
            #expect(body.contentType == type, "row \(index)")
            #expect(body.length == length, "row \(index)")
            #expect(body.isReplayable == isReplayable, "row \(index)")
        }
        #expect(HTTPBody.string("ü").bytes == [0xC3, 0xBC])
    }

    @Test(arguments: [
        ([("a", "1"), ("b", "2"), ("a", "3")], "a=1&b=2&a=3"),
        ([("q", "a b&c=d")], "q=a+b%26c%3Dd"),
        ([("ü", "~/*-._")], "%C3%BC=%7E%2F*-._"),
        ([("", "")], "="),
        ([], ""),
    ])
    func `a form is encoded as the URL Standard specifies`(
        fields: [(String, String)],
        expected: String
    ) {
        #expect(text(.form(HTTPParameters(fields.map { ($0.0, $0.1) }))) == expected)
    }

    @Test(
        arguments: [
            ("aé😃", HTTPCharset.utf8, [0x61, 0xC3, 0xA9, 0xF0, 0x9F, 0x98, 0x83]),
            ("a~\u{7f}", .ascii, [0x61, 0x7E, 0x7F]),
            ("aé\u{ff}\u{80}", .latin1, [0x61, 0xE9, 0xFF, 0x80]),
            ("aé😃", .utf16BigEndian, [0, 0x61, 0, 0xE9, 0xD8, 0x3D, 0xDE, 0x03]),
            ("aé😃", .utf16LittleEndian, [0x61, 0, 0xE9, 0, 0x3D, 0xD8, 0x03, 0xDE]),
            ("\r\n", .latin1, [13, 10]), ("a€é", .windows1252, [0x61, 0x80, 0xE9]),
            ("a€", .utf16, [0xFE, 0xFF, 0, 0x61, 0x20, 0xAC]),
        ] as [(String, HTTPCharset, [UInt8])]
    )
    func `text is encoded in its charset`(
        text: String,
        charset: HTTPCharset,
        bytes: [UInt8]
    ) {
        let body = HTTPBody.string(text, charset: charset)
        #expect(body.bytes == bytes)
        #expect(body.contentType?.rawValue == "text/plain; charset=\(charset.name)")
    }

    @Test(arguments: [
        ("text/html", HTTPCharset.utf8, "text/html; charset=utf-8"),
        ("text/html; Charset=UTF-8", .utf8, "text/html; Charset=UTF-8"),
        ("application/json", .utf8, "application/json"),
        ("application/xml", .latin1, "application/xml; charset=iso-8859-1"),
    ])
    func `the content type of text names the charset`(
        type: String,
        charset: HTTPCharset,
        expected: String
    ) {
        let body = HTTPBody.string("a", contentType: HTTPContentType(type), charset: charset)
        #expect(body.contentType?.rawValue == expected)
    }

    @Test(arguments: [
        ("a\u{80}é", HTTPCharset.ascii, "\u{80}"), ("né€", .latin1, "€"),
        ("e\u{301}", .latin1, "\u{301}"), ("€\u{81}", .windows1252, "\u{81}"),
        ("€😀", .windows1252, "😀"),
    ])
    func `a character outside the charset is a caller error`(
        text: String,
        charset: HTTPCharset,
        character: String
    ) async {
        let body = HTTPBody.string(text, charset: charset)
        let request = HTTPRequest("http://127.0.0.1:1/", method: .post, body: body)
        let error = await failure { try await HTTPClient().send(request) }
        let reason = HTTPError.InvalidRequestReason.unencodableText(
            character,
            charset: charset.name
        )
        #expect(error?.kind == .invalidRequest(reason))
        #expect(error?.blame == .caller && error?.phase == .preparing)
    }

    @Test(arguments: [
        ("a.png", HTTPContentType.png), ("/x/y.tar.GZ", .gzip), ("a.JPG", .jpeg), ("a.JSON", .json),
        ("a", .octetStream), ("", .octetStream), (".png", .octetStream), ("/x.d/a", .octetStream),
        ("a.", .octetStream), ("a.\u{212A}", .octetStream), ("x.m4a", "audio/mp4"),
    ])
    func `a file name extension determines the content type`(name: String, type: HTTPContentType) {
        #expect(HTTPContentType(fileName: name) == type)
    }

    #if Foundation
    private struct User: Encodable {
        var name = "Ada"
    }

    @Test func `JSON literals keep their order, and other values use their encoder`() {
        let id = 7
        let any: [String: Any] = [
            "s": "a", "b": true, "i": Int8(1), "d": 1.5, "n": Int?.none as Any, "u": User(),
            "l": [1, "x", [String: Any]()] as [Any],
        ]
        #expect(text(.json(["b": 1, "a": "x"])) == #"{"b":1,"a":"x"}"#)
        #expect(text(.json(User())) == #"{"name":"Ada"}"#)
        #expect(text(.json(["id": id])) == #"{"id":7}"#)
        #expect(text(.json(["id": id, "a": "b"])) == #"{"id":7,"a":"b"}"#)
        #expect(
            text(.json(any: any))
                == #"{"b":true,"d":1.5,"i":1,"l":[1,"x",{}],"n":null,"s":"a","u":{"name":"Ada"}}"#
        )
    }

    @Test func `a value that cannot be encoded as JSON is reported with path and type`() async {
        struct Opaque {}
        let rows: [(HTTPBody, String)] = [
            (.json(any: ["a": [1, Opaque()] as [Any]]), "$.a[1]"),
            (.json(any: [1, ["x": Opaque()] as [String: Any]] as [Any]), "$[1].x"),
            (.json(any: ["a": Double.nan] as [String: Any]), "$.a"),
            (.json([["a": Double.nan]]), "$[0].a"),
        ]
        for (body, path) in rows {
            let request = HTTPRequest("http://127.0.0.1:1/", method: .post, body: body)
            let error = await failure { try await HTTPClient().send(request) }
            guard case .invalidRequest(.body(let reason)) = error?.kind else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason.contains(path))
        }
    }
    #endif
}

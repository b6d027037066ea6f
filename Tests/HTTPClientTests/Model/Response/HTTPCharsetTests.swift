import ClientSupport
import HTTPClient
import HTTPTestServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPCharsetTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let charset: String
        let bytes: [UInt8]
        let text: String
        var errorOffset: Int?
        var testDescription: String { "\(charset) \(bytes)" }

        init(_ charset: String, _ bytes: [UInt8], _ text: String, errorOffset: Int? = nil) {
            self.charset = charset
            self.bytes = bytes
            self.text = text
            self.errorOffset = errorOffset
        }
    }

    @Test(arguments: [
        Row("utf-8", [], ""),
        Row("utf-8", Array("añ€😀".utf8), "añ€😀"),
        Row("UTF8", [0xEF, 0xBB, 0xBF, 0x61], "a"),
        Row("utf-8", [0x61, 0xFF, 0x62], "a\u{FFFD}b", errorOffset: 1),
        Row("utf-8", [0xEF, 0xBB, 0xBF, 0x61, 0xC3], "a\u{FFFD}", errorOffset: 4),
        Row("utf-8", [0xC3, 0xA9, 0xED, 0xA0, 0x80], "é\u{FFFD}\u{FFFD}\u{FFFD}", errorOffset: 2),
        Row("us-ascii", [0x41, 0x7F], "A\u{7F}"),
        Row("ASCII", [0x41, 0x80, 0x42], "A\u{FFFD}B", errorOffset: 1),
        Row("iso-8859-1", [0x41, 0xE9, 0x80, 0xFF], "Aé\u{80}ÿ"),
        Row("Latin1", [0xA4], "¤"),
        Row("windows-1252", [0x80, 0x93, 0xE9, 0x9F], "€\u{201C}é\u{178}"),
        Row("cp1252", [0x41, 0x81], "A\u{FFFD}", errorOffset: 1),
        Row("utf-16", [0xFE, 0xFF, 0x00, 0x41, 0x20, 0xAC], "A€"),
        Row("utf-16", [0xFF, 0xFE, 0x41, 0x00, 0xAC, 0x20], "A€"),
        Row("utf-16", [0x00, 0x41], "A"),
        Row("utf-16be", [0xFE, 0xFF, 0x00, 0x41], "A"),
        Row("utf-16be", [0xD8, 0x3D, 0xDE, 0x00], "😀"),
        Row("utf-16le", [0x3D, 0xD8, 0x00, 0xDE], "😀"),
        Row("utf-16le", [0xFF, 0xFE, 0x41, 0x00], "A"),
        Row("utf-16be", [0x00, 0x41, 0xD8, 0x3D, 0x00, 0x42], "A\u{FFFD}B", errorOffset: 2),
        Row("utf-16be", [0x00, 0x41, 0x00], "A\u{FFFD}", errorOffset: 2),
        Row("utf-16", [0xFE], "\u{FFFD}", errorOffset: 0),
    ])
    func `a charset decodes its text and reports the first invalid byte`(row: Row) throws {
        let charset = try #require(HTTPCharset(row.charset))
        var errorOffset: Int?
        #expect(charset.decode(row.bytes, errorOffset: &errorOffset) == row.text)
        #expect(errorOffset == row.errorOffset)
    }

    @Test(arguments: ["", "utf-7", "koi8-r", "iso-8859-15", "utf-8 ", "ütf-8"])
    func `an unknown charset is nil`(name: String) {
        #expect(HTTPCharset(name) == nil)
    }

    @Test func `every byte of windows-1252 that has a character survives decoding and encoding`() {
        for byte in UInt8.min...UInt8.max {
            var errorOffset: Int?
            let text = HTTPCharset.windows1252.decode([byte], errorOffset: &errorOffset)
            guard errorOffset == nil else { continue }
            #expect(HTTPBody.string(text, charset: .windows1252).bytes == [byte])
        }
    }

    @Test func `text is decoded by the charset of Content-Type, and string throws if invalid`()
        async throws
    {
        let server = try await HTTPTestServer.start { request in
            .bytes(
                [0x41, 0xE9],
                contentType: request.query.map { "text/plain; charset=\($0)" }
            )
        }
        func get(_ path: String) async throws -> HTTPResponse {
            try await HTTPRequest(server.url + path).send(in: HTTPClient())
        }
        let latin = try await get("/?ISO-8859-1")
        #expect(latin.text == "Aé")
        #expect(try latin.string() == "Aé")
        #expect(latin.contentType?.charset == "iso-8859-1")
        #expect(latin.isSuccess)

        let silent = try await get("/")
        #expect(silent.contentType == nil)
        #expect(silent.text == "A\u{FFFD}")
        #expect(try silent.string(in: "latin1") == "Aé")
        let malformed = await failure { try silent.string() }
        #expect(
            malformed?.kind == .undecodableText(.malformed(charset: "utf-8", offset: 1))
        )
        #expect(malformed?.partialBody == [0x41, 0xE9])

        let strange = try await get("/?koi8-r")
        #expect(strange.text == "A\u{FFFD}")
        let unknown = await failure { try strange.string() }
        #expect(unknown?.kind == .undecodableText(.unknownCharset("koi8-r")))
        #expect(unknown?.blame == .peer)
    }
}

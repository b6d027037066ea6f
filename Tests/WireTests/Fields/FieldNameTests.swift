import Testing
import Wire

@Suite struct FieldNameTests {
    @Test func `names are compared without ASCII case`() {
        #expect(("content-LENGTH" as FieldName) == .contentLength)
        #expect(("X-Own" as FieldName) == "x-oWN")
        #expect(Set<FieldName>(["X-Own", "x-own", .host, "HOST"]).count == 2)
        #expect(("x-own" as FieldName) != "x-owm")
        #expect(("\u{e9}" as FieldName) != "\u{c9}")
        // A byte that differs from a letter in bit 5 is not always a letter.
        #expect(("@" as FieldName) != "`")
        #expect(FieldName("Hos\u{54}") == .host && FieldName("Hos\u{14}") != .host)
        #expect(FieldName("I\u{66}\u{0d}Match") != .ifMatch)
    }

    @Test func `a name keeps its spelling`() {
        #expect(("cOOkie" as FieldName).rawName == "cOOkie")
        #expect(FieldName.etag.rawName == "ETag" && FieldName.te.rawName == "TE")
        #expect("\(FieldName.wwwAuthenticate)" == "WWW-Authenticate")
    }

    @Test(arguments: [("A", true), ("!#$%&'*+-.^_`|~", true), ("", false), ("a b", false)])
    func `a name is recognized as a token or not`(name: String, isToken: Bool) {
        #expect(FieldName(name).isToken == isToken)
    }

    @Test func `every byte is classified by the token grammar`() {
        let marks = Array("!#$%&'*+-.^_`|~".utf8)
        for byte in UInt8(0)...127 {
            let isLetterOrDigit =
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte)
            let name = FieldName("a" + String(UnicodeScalar(byte)))
            #expect(name.isToken == (isLetterOrDigit || marks.contains(byte)), "\(byte)")
        }
    }

    @Test func `a known name is found in a received head`() throws {
        var decoder = ResponseHeadDecoder()
        let text = Array("HTTP/1.1 200 OK\r\nCONTENT-type: a\r\nAlt-svc: b\r\n\r\n".utf8)
        let head = try #require(try decoder.decode(text.span).head)
        #expect(head.headers[.contentType] == "a" && head.headers["alt-svc"] == "b")
        #expect(head.headers[.contentLength] == nil)
    }

    @Test func `every known name is found by its spelling`() {
        #expect(FieldName.allKnown.count == 64)
        for name in FieldName.allKnown {
            #expect(FieldName(name.rawName).knownNumber == name.knownNumber)
            #expect(FieldName(name.rawName + "x").knownNumber == 0)
        }
        #expect(FieldName.allKnown.map(\.knownNumber) == (1...64).map(UInt16.init))
    }
}

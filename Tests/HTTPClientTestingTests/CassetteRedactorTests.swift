import ClientSupport
import HTTPClient
import HTTPClientTesting
import HTTPTestServer
import Support
import Testing

/// A body that contains the secret "s3cret", and a part of it that redaction must keep.
struct SecretContent: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: String
    let body: [UInt8]
    let kept: String

    init(_ name: String, _ type: String, _ body: String, kept: String = "***") {
        self.init(name, type, Array(body.utf8), kept: kept)
    }

    init(_ name: String, _ type: String, _ body: [UInt8], kept: String = "***") {
        testDescription = name
        self.type = type
        self.body = body
        self.kept = kept
    }
}

private let json = "application/json"
private let form = "application/x-www-form-urlencoded"
private let multipart = "multipart/form-data; boundary=b"

private func part(_ head: String, _ content: String, end: String = "\r\n") -> String {
    "--b\(end)\(head)\(end)\(end)\(content)\(end)--b--\(end)"
}

private let contents: [SecretContent] = [
    SecretContent(
        "repeated members",
        json,
        #"{"a":1,"token":"s3cret","token":"s3cret"}"#,
        kept: "a"
    ),
    SecretContent("half a pair", json, #"{"a":"\ud800","password":"s3cret"}"#),
    SecretContent("an escaped name", json, #"{"a":"\ud800","p\u0061ssword":"s3cret"}"#),
    SecretContent("a mark before", json, "\u{FEFF}{\"password\":\"s3cret\",\"b\":1}", kept: "b"),
    SecretContent("lines", "text/plain", "{\"pwd\":\"s3cret\"}\n{\"c\":1}\n", kept: "c"),
    SecretContent("cut", json, #"{"password":"s3cret"#),
    SecretContent(
        "too deep",
        json,
        String(repeating: "[", count: 600) + #"{"token":"s3cret"}"#
            + String(repeating: "]", count: 600)
    ),
    SecretContent(
        "UTF-16",
        json,
        #"{"token":"s3cret"}"#.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] }
    ),
    SecretContent("events", "text/event-stream", "data: {\"idToken\": \"s3cret\"}\n\n"),
    SecretContent("a text of JSON", json, #"{"d":"{\"password\": \"s3cret\"}"}"#, kept: "d"),
    SecretContent("an object", json, #"{"client-secret":{"e":["s3cret"]}}"#, kept: "e"),
    SecretContent(
        "a form of bytes",
        form,
        Array("f=".utf8) + [0xFF] + Array("&pwd=s3cret".utf8),
        kept: "base64"
    ),
    SecretContent("a form in brackets", form, "user%5Bpassword%5D=s3cret&g=1", kept: "g=1"),
    SecretContent("JSON as text", "text/plain", #"{"pwd":"s3cret","k":"l&token=m"}"#, kept: "l&"),
    SecretContent("a form as text", "text/plain", "client_secret=s3cret&j=1", kept: "j=1"),
    SecretContent(
        "parts without a boundary",
        "multipart/form-data",
        part("Content-Disposition: form-data; name=\"password\"", "s3cret")
    ),
    SecretContent(
        "parts of another boundary",
        "multipart/form-data; boundary=c",
        part("Content-Disposition: form-data; name=\"password\"", "s3cret")
    ),
    SecretContent(
        "a bare name",
        multipart,
        part("Content-Disposition: form-data; name=password", "s3cret"),
        kept: "name=password"
    ),
    SecretContent(
        "a name without a space before it",
        multipart,
        part("content-disposition:form-data;name=\"client_secret\"", "s3cret")
    ),
    SecretContent(
        "a folded name",
        multipart,
        part("Content-Disposition: form-data;\r\n name=\"password\"", "s3cret")
    ),
    SecretContent(
        "bare line feeds",
        multipart,
        part("Content-Disposition: form-data; name=\"password\"", "s3cret", end: "\n")
    ),
    SecretContent(
        "an ambiguous name",
        multipart,
        part("Content-Disposition: form-data; name=\"a\"; name=\"password\"", "s3cret")
    ),
    SecretContent(
        "a part of JSON",
        multipart,
        part(
            "Content-Disposition: form-data; name=h\r\nContent-Type: application/json",
            #"{"accessToken":"s3cret","i":1}"#
        ),
        kept: #"\"i\":1"#
    ),
]

@Suite(.timeLimit(.minutes(10))) struct CassetteRedactorTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/cassette.json" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func client(
        _ mode: HTTPCassette.Mode = .replay,
        redacting names: [String] = []
    ) throws -> HTTPClient {
        let cassette = try HTTPCassette(path, mode: mode, redacting: names)
        return HTTPClient().with { $0.stubs = HTTPStubs(cassette: cassette) }
    }

    private func written() throws -> String {
        String(decoding: try #require(TestFileSystem.contents(of: path)), as: UTF8.self)
    }

    @Test(arguments: contents)
    func `a body that cannot be parsed is not recorded`(_ row: SecretContent) async throws {
        let server = try await HTTPTestServer.start { request in
            .bytes(request.body, contentType: row.type)
        }
        let type = HTTPContentType(row.type)
        let request = HTTPRequest(
            server.url,
            method: .post,
            body: .bytes(row.body, contentType: type)
        )
        let recorded = try await client(.recordAll).send(request)
        #expect(recorded.body == row.body)
        await server.stop()
        let text = try written()
        #expect(!text.contains("s3cret") && !text.contains("czNjcmV0"), "\(text)")
        #expect(text.contains(row.kept), "\(text)")
        #expect(try await client().send(request).status == .ok)
    }

    @Test func `an encoded body is decoded and redacted, or not recorded`() async throws {
        let secret = #"{"token":"s3cret","a":1}"#
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/secret": .json(secret).gzipped()
            case "/plain": .json(#"{"a":1}"#).gzipped()
            default: .text("s3cret").header(.contentEncoding, "br")
            }
        }
        let recorder = try client(.recordAll).with { $0.decompression = .off }
        let player = {
            try client().with { $0.decompression = .off }
        }
        for path in ["/secret", "/plain", "/unknown"] {
            _ = try await recorder.send(HTTPRequest(server.url + path))
        }
        await server.stop()
        #expect(!(try written()).contains("s3cret"))
        let played = try player()
        let shown = try await played.send(HTTPRequest(server.url + "/secret"))
        #expect(shown.text == #"{"token":"***","a":1}"#)
        #expect(!shown.headers.contains(.contentEncoding))
        let plain = try await played.send(HTTPRequest(server.url + "/plain"))
        #expect(plain.headers[.contentEncoding] == "gzip" && plain.body.first == 0x1F)
        #expect(try await played.send(HTTPRequest(server.url + "/unknown")).text == "***")
    }

    @Test func `redacted JSON values keep their type`() async throws {
        let text = #"{"token":5,"password":null,"secret":true,"pin":{"a":[1.5,"s3cret"]},"n":5}"#
        let server = try await HTTPTestServer.start { _ in .json(text) }
        _ = try await client(.recordAll, redacting: ["PIN"]).send(HTTPRequest(server.url))
        await server.stop()
        let played = try await client(redacting: ["PIN"]).send(HTTPRequest(server.url))
        #expect(
            played.text
                == #"{"token":0,"password":null,"secret":true,"pin":{"a":[0,"***"]},"n":5}"#
        )
    }

    @Test func `unnamed cookies and configured fields are redacted`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("").header(.setCookie, "s3cret; Path=/").header(.setCookie, "b=s3cret=; Secure")
                .header(.location, "/s3cret")
        }
        let request = HTTPRequest(
            server.url,
            headers: [.cookie: "s3cret; a=s3cret", .referer: "http://a/s3cret"]
        )
        let names = ["Location", "referer"]
        _ = try await client(.recordAll, redacting: names).send(request)
        let text = try written()
        #expect(!text.contains("s3cret"), "\(text)")
        for kept in [#""***; Path=/""#, #""b=***; Secure""#, #""***; a=***""#] {
            #expect(text.contains(kept), "\(kept)")
        }
    }
}

#if Foundation
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Support
import Testing

private struct Credentials: Codable, Sendable, Equatable {
    var username: String
    var pwd: String
}

private struct Receipt: Decodable, Sendable {
    var method: String
    var body: String
}

@Suite("IndomioHTTP: HTTP Request, content", .timeLimit(.minutes(10))) struct IndomioContentTests {
    @Test func `Set JSON Body: a literal`() async throws {
        let server = try await echoServer()
        let (user, password) = ("markdelillo", "mypass")
        let request = HTTPRequest(server.url)
            .method(.post)
            .json(["username": user, "password": password])
        let receipt = try await request.fetch(Receipt.self)
        #expect(receipt.method == "POST")
        let body = try HTTPJSON(parsing: receipt.body)
        #expect(body["username"] == "markdelillo" && body["password"] == "mypass")
        #expect(server.requests.first?.headers[.contentType] == "application/json")
    }

    @Test func `Set JSON Body: an Encodable value`() async throws {
        let server = try await echoServer()
        let user = Credentials(username: "markdelillo", pwd: "mypass")
        let request = HTTPRequest(server.url).method(.post).json(user)
        #expect(try await request.fetch(Receipt.self).method == "POST")
        let body = Data(try #require(server.requests.first?.body))
        #expect(try JSONDecoder().decode(Credentials.self, from: body) == user)
    }

    @Test func `Set Form URL Encoded`() async throws {
        let server = try await echoServer()
        let (user, password) = ("mark delillo", "a&b=c")
        let request = HTTPRequest(server.url)
            .method(.post)
            .form(["username": user, "password": password, "p": 1, "p2": 3])
        let form = "username=mark+delillo&password=a%26b%3Dc&p=1&p2=3"
        #expect(try await request.fetch(Receipt.self).body == form)
        let seen = try #require(server.requests.first)
        #expect(seen.headers[.contentType] == "application/x-www-form-urlencoded")
        #expect(seen.headers.contentLength == form.utf8.count)
    }

    @Test func `Set Multipart Form`() async throws {
        let server = try await echoServer()
        let directory = try TemporaryDirectory()
        let fileURL = URL(filePath: try directory.write("screen", as: "screen.png"))
        let someData = Data([0x00, 0x01])
        let stream = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("in ".utf8))
            continuation.yield(Array("pieces".utf8))
            continuation.finish()
        }
        let request = HTTPRequest(server.url)
            .method(.post)
            .multipart {
                $0.add(file: fileURL, name: "screen")
                $0.add(string: "bug", name: "report_type")
                $0.add(bytes: someData, name: "binary_data")
                $0.add(stream: stream, name: "blob")
            }
        #expect(try await request.fetch(Receipt.self).method == "POST")
        let seen = try #require(server.requests.first)
        let type = try #require(seen.headers.contentType)
        #expect(type.essence == "multipart/form-data")
        let boundary = try #require(type.boundary)
        let expected = """
            --\(boundary)
            Content-Disposition: form-data; name="screen"; filename="screen.png"
            Content-Type: image/png

            screen
            --\(boundary)
            Content-Disposition: form-data; name="report_type"

            bug
            --\(boundary)
            Content-Disposition: form-data; name="binary_data"
            Content-Type: application/octet-stream

            \u{0}\u{1}
            --\(boundary)
            Content-Disposition: form-data; name="blob"
            Content-Type: application/octet-stream

            in pieces
            --\(boundary)--

            """
        #expect(
            seen.text
                == expected.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\r\n")
        )
        // The length of the stream is unknown, so the length of the body is unknown too.
        #expect(seen.headers[.transferEncoding] == "chunked")
    }

    @Test func `Modify a URLRequest`() async throws {
        let server = try await echoServer()
        var request = HTTPRequest(server.url).header("X-Draft", "1")
        request.headModifier = { head in
            head.headers.remove("X-Draft")
            head.headers["X-Signature"] = "17"
        }
        let seen = try await request.send().json()["headers"]
        #expect(seen["X-Signature"] == "17")
        #expect(server.requests.first?.headers.contains("X-Draft") == false)
    }

    // MARK: - Large data

    @Test func `Upload Large Data`() async throws {
        let server = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let data = Data(repeating: 7, count: 3_000_000)
        let client = HTTPClient()
        let request = HTTPRequest(server.url).method(.post).data(data)
        let notes = EventRecorder<HTTPProgress>()
        let call = request.returning(.text).start(in: client).onProgress { notes.add($0) }
        #expect(try await call.value == "3000000")
        #expect(server.requests.first?.body.count == 3_000_000)
        let last = try #require(await notes.first { $0.direction == .upload && $0.isFinal })
        #expect(last.completed == 3_000_000 && last.fraction == 1)
    }

    @Test func `Upload Multi-part form with stream of file`() async throws {
        let server = try await echoServer()
        let directory = try TemporaryDirectory()
        let path = try directory.write(String(repeating: "bytes ", count: 20_000), as: "big.txt")
        let request = HTTPRequest(server.url)
            .method(.post)
            .multipart {
                $0.add(
                    file: URL(filePath: path),
                    headers: [
                        .contentDisposition: #"form-data; name="big"; filename="b.txt""#,
                        .contentType: "text/plain",
                    ]
                )
            }
        #expect(try await request.fetch(Receipt.self).body.contains("bytes bytes"))
        let seen = try #require(server.requests.first)
        // The length of the file is known, so the exact length of the body is announced.
        #expect(seen.headers.contentLength == seen.body.count)
        #expect(seen.body.count > 120_000)
        #expect(seen.text.contains(#"form-data; name="big"; filename="b.txt""#))
    }

    @Test func `Upload File Stream`() async throws {
        let server = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let directory = try TemporaryDirectory()
        let content = [UInt8](repeating: 0x61, count: 500_000)
        let fileURL = URL(filePath: try directory.write(content, as: "bigFile.txt"))
        let client = HTTPClient()
        let notes = EventRecorder<String>()
        HTTPRequest(.post, server.url).file(fileURL).start(in: client)
            .onResponse { notes.add($0.text) }
        #expect(await notes.first(1) == ["500000"])
        #expect(server.requests.first?.body == content)
        #expect(server.requests.first?.headers.contentLength == 500_000)
        let fromMemory = HTTPRequest(.post, server.url).data(Data(content))
        #expect(try await fromMemory.send(in: client).text == "500000")
        #expect(server.requests.last?.body == content)
    }
}
#endif

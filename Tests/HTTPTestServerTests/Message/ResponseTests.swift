import Glibc
import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite struct ResponseTests {
    private func get(_ response: HTTPTestServer.Response) async throws -> HTTPResponse {
        let server = try await HTTPTestServer.start { _ in response }
        return try await HTTPClient().send(HTTPRequest(server.url))
    }

    private func failure(_ response: HTTPTestServer.Response) async throws -> HTTPError? {
        let server = try await HTTPTestServer.start { _ in response }
        do {
            let response = try await HTTPClient().send(HTTPRequest(server.url))
            Issue.record("expected a failure, got \(response.status)")
            return nil
        } catch {
            return error
        }
    }

    @Test func `gzip with stored blocks is decoded by the client`() async throws {
        for count in [0, 1, 65_535, 65_536, 200_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let response = try await get(.bytes(bytes).gzipped())
            #expect(response.headers[.contentEncoding] == "gzip")
            #expect(response.body == bytes, "\(count) bytes")
        }
    }

    @Test func `a modifier changes the status`() async throws {
        let response = try await get(.text("no").status(.notFound).header("X-A", "1"))
        #expect(response.status == .notFound && response.text == "no")
        #expect(response.headers["X-A"] == "1")
    }

    @Test func `a file is sent, and one that cannot be read is an error of the server`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = try directory.write("hello", as: "file")
        let sent = try await get(.file(path, contentType: "text/plain", status: .created))
        #expect(sent.text == "hello" && sent.status == .created)
        #expect(sent.headers[.contentType] == "text/plain")
        #expect(sent.headers[.contentLength] == "5")
        let missing = try await get(.file(path + "x"))
        #expect(missing.status == .internalServerError)
        #expect(missing.text == "\(path)x cannot be sent: No such file or directory")
        let directoryItself = try await get(.file(directory.path))
        #expect(directoryItself.text.hasSuffix(": it is not a regular file"))
        let large = try directory.write("", as: "large")
        #expect(unsafe truncate(large, (64 << 20) + 1) == 0)
        #expect(try await get(.file(large)).text.hasSuffix("it has more than 67108864 bytes"))
    }

    #if Foundation
    @Test func `a value is sent as JSON with sorted members, and a string as JSON text`()
        async throws
    {
        let object = try await get(.json(["b": 2, "a": 1], status: .created))
        #expect(object.text == #"{"a":1,"b":2}"# && object.status == .created)
        #expect(object.headers[.contentType] == "application/json")
        #expect(try await get(.json([1, 2])).text == "[1,2]")
        #expect(try await get(.json(#"{"a":1}"#)).text == #"{"a":1}"#)
        let impossible = try await get(.json([Double.nan]))
        #expect(impossible.status == .internalServerError)
        #expect(impossible.text.hasPrefix("the value is not JSON: "))
    }
    #endif

    @Test func `non-empty pieces are sent as chunks`() async throws {
        let response = try await get(.chunks(["one", "", "two"]))
        #expect(response.headers[.transferEncoding] == "chunked")
        #expect(response.text == "onetwo")
    }

    @Test func `a sequence is streamed as it produces elements`() async throws {
        let (pieces, source) = AsyncStream<[UInt8]>.makeStream()
        let server = try await HTTPTestServer.start { _ in .stream(pieces) }
        let response = try await HTTPClient().stream(HTTPRequest(server.url))
        var iterator = response.body.makeAsyncIterator()
        source.yield([1, 2])
        #expect(try await iterator.next() == [1, 2])
        source.yield([3])
        #expect(try await iterator.next() == [3])
        source.finish()
        #expect(try await iterator.next() == nil)
    }

    @Test func `a stream that throws gives a truncated body`() async throws {
        struct TestError: Error {}
        let error = try await failure(
            .stream { writer in
                try await writer.write("some")
                throw TestError()
            }
        )
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: 4, expected: nil)))
    }

    @Test func `a truncated body declares its full length and sends a part`() async throws {
        let error = try await failure(.text("Hello, world").truncated(to: 5))
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: 5, expected: 12)))
        #expect(error?.partialBody == Array("Hello".utf8))
    }

    @Test func `a close and a reset are reported differently`() async throws {
        let closed = try await failure(.close)
        #expect(closed?.kind == .truncatedResponse(.closedBeforeResponse))
        let reset = try await failure(.reset)
        guard case .connectionLost = reset?.kind else {
            Issue.record("expected a lost connection, got \(String(describing: reset))")
            return
        }
    }

    @Test func `raw bytes are sent unchanged`() async throws {
        guard case .malformedResponse = try await failure(.raw("ICY 200 OK\r\n\r\n"))?.kind else {
            Issue.record("expected a malformed response")
            return
        }
    }

    @Test func `a stalled server is detected by the client's timeout`() async throws {
        let server = try await HTTPTestServer.start { _ in .stall }
        var request = HTTPRequest(server.url)
        request.timeouts = HTTPTimeouts(total: .milliseconds(40))
        let error = await #expect(throws: HTTPError.self) { try await HTTPClient().send(request) }
        guard case .timedOut = error?.kind else {
            Issue.record("expected a timeout")
            return
        }
    }

    @Test func `a delay postpones the response`() async throws {
        let start = ContinuousClock.now
        let response = try await get(.text("late").delayed(by: .milliseconds(30)))
        #expect(response.text == "late")
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test func `a response to HEAD has the fields and no body`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("four") }
        let client = HTTPClient()
        let response = try await client.send(HTTPRequest(server.url, method: .head))
        #expect(response.headers[.contentLength] == "4")
        #expect(response.body.isEmpty)
        #expect(try await client.send(HTTPRequest(server.url)).text == "four")
        #expect(server.connectionCount == 1)
    }

    @Test func `an echo describes the request`() async throws {
        let server = try await HTTPTestServer.start { .echo($0) }
        let text = "a\"\\\n\u{1}é"
        var request = HTTPRequest(server.url + "/p?q=1", method: .post, body: .string(text))
        request.headers.append("X-Twice", "1")
        request.headers.append("X-Twice", "2")
        let echo = try await HTTPClient().send(request).json()
        #expect(echo["method"] == "POST")
        #expect(echo["target"] == "/p?q=1")
        #expect(echo["headers"]["X-Twice"] == "1, 2")
        #expect(echo["body"].string == text)
        #expect(echo["connection"] == 1)
    }
}

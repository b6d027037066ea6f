import ClientSupport
import HTTPClient
import Support
import Testing
import Wire

/// Tests the parts of multipart bodies that a server sends.
@Suite(.timeLimit(.minutes(10))) struct HTTPPartTests {
    private let client = HTTPClient()

    private func reply(_ body: String, type: String = "multipart/mixed; boundary=b") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private let two = "--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n"

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `parts have fields and content, however they arrive`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(reply(two)), .expectHead, .replyByteByByte(reply(two)),
        ])
        for _ in 0..<2 {
            var parts: [String] = []
            for try await part in try await client.stream(origin.url).parts() {
                let content = text(try await part.body.collect())
                parts.append("\(part.headers["A"] ?? "-") \(content)")
            }
            #expect(parts == ["1 one", "- two"])
        }
        #expect(origin.failures == [])
    }

    @Test func `content is read as it arrives, and unread content is skipped`() async throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "--b\r\nA: 1\r\n\r\nhello"), .pause(gate),
            .reply(" world\r\n--b\r\nA: 2\r\n\r\nskipped\r\n--b\r\nA: 3\r\n\r\nlast\r\n--b--"),
        ])
        var parts = try await client.stream(origin.url).parts().makeAsyncIterator()
        let first = try await parts.next()
        var body = try #require(first).body.makeAsyncIterator()
        #expect(try await body.next().map(text) == "hello")
        gate.open()
        #expect(try await parts.next()?.headers["A"] == "2")
        // The first part is no longer the current one.
        #expect(await failure { try await body.next() }?.kind == .invalidRequest(.skippedPart))
        let last = try #require(try await parts.next())
        #expect(last.headers["A"] == "3")
        #expect(text(try await last.body.collect()) == "last")
        #expect(try await last.body.collect() == [])
        #expect(try await parts.next() == nil)
        #expect(try await last.body.collect() == [])
    }

    @Test func `parts of ranges have the length of their Content-Range`() async throws {
        let body = "--b\r\nContent-Range: bytes 0-5/9\r\n\r\na\r\n--b\r\n--b--"
        let type = "Multipart/ByteRanges; boundary=\"b\""
        let origin = try ScriptedOrigin(.always(reply(body, type: type)))
        var count = 0
        for try await part in try await client.stream(origin.url).parts() {
            #expect(part.headers.contentRange == .part(0...5, of: 9))
            #expect(text(try await part.body.collect()) == "a\r\n--b")
            count += 1
        }
        #expect(count == 1)
    }

    @Test(
        arguments: [
            ("text/plain", "x", .notMultipart(contentType: "text/plain")),
            ("multipart/mixed", "x", .malformedMultipart(.malformedBoundary)),
            ("multipart/mixed; boundary=b", "x", .malformedMultipart(.missingDelimiter(offset: 0))),
            ("multipart/mixed; boundary=b", "--b--", .malformedMultipart(.missingPart)),
            (
                "multipart/mixed; boundary=b", "--b\r\n\r\nx",
                .malformedMultipart(.truncated(offset: 8))
            ),
            (
                "multipart/mixed; boundary=b", "--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b\r\n",
                .malformedMultipart(.tooManyParts)
            ),
        ] as [(String, String, HTTPRecordError)]
    )
    func `a malformed body throws once and ends the stream`(
        type: String,
        body: String,
        error: HTTPRecordError
    ) async throws {
        let origin = try ScriptedOrigin(.always(reply(body, type: type)))
        var parts = try await client.stream(origin.url).parts(maxParts: 2).makeAsyncIterator()
        let thrown = await failure { while (try await parts.next()) != nil {} }
        #expect(thrown?.kind == .recordFailed(error) && thrown?.head?.status == .ok)
        #expect(try await parts.next() == nil)
    }

    @Test func `an error of the body is thrown to the reader of a part`() async throws {
        let half =
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Length: 99\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(half + "--b\r\n\r\nhello"), .close,
        ])
        var parts = try await client.stream(origin.url).parts().makeAsyncIterator()
        var body = try #require(try await parts.next()).body.makeAsyncIterator()
        #expect(try await body.next().map(text) == "hello")
        let error = await failure { try await body.next() }
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: 12, expected: 99)))
        #expect(try await body.next() == nil)
        #expect(try await parts.next() == nil)
    }

    @Test func `the limits of the client apply to the fields of a part`() async throws {
        let origin = try ScriptedOrigin(
            .always(reply("--b\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\nx"))
        )
        var configuration = HTTPClient.Configuration()
        configuration.limits.fieldCount = 3
        var parts = try await HTTPClient(configuration).stream(origin.url).parts()
            .makeAsyncIterator()
        let error = await failure { try await parts.next() }
        let reason = MultipartError.malformedFields(.limitExceeded(.fieldCount(3)), offset: 5)
        #expect(error?.kind == .recordFailed(.malformedMultipart(reason)))
        // A body that an interceptor has made has the same limits.
        let made = HTTPClient(configuration).with {
            $0.interceptors = [MadeParts()]
        }
        var others = try await made.stream(origin.url).parts().makeAsyncIterator()
        let other = await failure { try await others.next() }
        #expect(other?.kind == .recordFailed(.malformedMultipart(reason)))
    }

    @Test func `a thread reads parts`() async throws {
        let origin = try ScriptedOrigin(.always(reply(two)))
        let url = origin.url
        let contents = await onThread { [client] () -> [[UInt8]] in
            var contents: [[UInt8]] = []
            do throws(HTTPError) {
                let parts = try client.blocking.stream(url).parts().blocking
                while let part = try parts.next() {
                    contents.append(try part.body.blocking.collect())
                }
            } catch {
                Issue.record("\(error)")
            }
            return contents
        }
        #expect(contents.map(text) == ["one", "two"])
    }

    // MARK: - After the last part

    @Test func `the digest of the whole body is verified after the last part`() async throws {
        let wrong = try HTTPDigest.sha256(of: [1])
        let field = "Content-Digest: \(DigestFields.value(of: [wrong]))\r\n"
        let origin = try ScriptedOrigin(
            .always(reply(two).replacing("Content-Length", with: field + "Content-Length"))
        )
        let request = HTTPRequest(origin.url).verifyingDigests(.required)
        var parts = try await client.stream(request).parts().makeAsyncIterator()
        var count = 0
        let error = await failure {
            while try await parts.next() != nil { count += 1 }
        }
        #expect(count == 2)
        let right = try HTTPDigest.sha256(of: Array(two.utf8))
        #expect(error?.kind == .digestMismatch(expected: wrong, received: right))
    }

    @Test func `trailers are known after the last part, and the connection is free`() async throws {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed; boundary=b\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n"
        let size = String(two.utf8.count, radix: 16)
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("\(head)\(size)\r\n\(two)\r\n"), .pause(gate),
            .reply("8\r\nepilogue\r\n0\r\nA: b\r\n\r\n"), .expectHead, .reply(reply(two)),
        ])
        for _ in 0..<2 {
            let response = try await client.stream(origin.url)
            var parts = response.parts().makeAsyncIterator()
            for _ in 0..<2 { #expect(try await parts.next() != nil) }
            // The rest of the body arrives when the caller asks for a third part.
            Task { gate.open() }
            #expect(try await parts.next() == nil)
            #expect(response.trailers != nil)
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `a body that is cut after its last part is truncated`() async throws {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Length: 99\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(head + two), .close])
        var parts = try await client.stream(origin.url).parts().makeAsyncIterator()
        for _ in 0..<2 { #expect(try await parts.next() != nil) }
        let error = await failure { try await parts.next() }
        let received = two.utf8.count
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: received, expected: 99)))
        #expect(try await parts.next() == nil)
    }

    @Test func `the rest of a long epilogue is not waited for`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Length: 999999\r\n\r\n"
        let epilogue = String(repeating: "e", count: 200 << 10)
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + two + epilogue), .pause(gate),
        ])
        var parts = try await client.stream(origin.url).parts().makeAsyncIterator()
        for _ in 0..<2 { #expect(try await parts.next() != nil) }
        #expect(try await parts.next() == nil)
    }

    @Test func `a thread skips parts, and gets the error of one that is cut`() async throws {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Length: 99\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply(head + "--b\r\n\r\nskipped\r\n--b\r\nA: 2\r\n\r\nhello"), .close,
        ])
        let url = origin.url
        await onThread { [client] in
            do throws(HTTPError) {
                let parts = try client.blocking.stream(url).parts().blocking
                let skipped = try parts.next()
                #expect(skipped != nil)
                let cut = try parts.next()
                #expect(cut?.headers["A"] == "2")
                let body = cut?.body.blocking
                #expect(try body?.next().map(text) == "hello")
                let error = #expect(throws: HTTPError.self) { try body?.next() }
                #expect(
                    error?.kind == .truncatedResponse(.bodyTruncated(received: 34, expected: 99))
                )
                let after = try parts.next()
                #expect(after == nil)
            } catch {
                Issue.record("\(error)")
            }
        }
    }
}

/// Answers every request with a part of four fields.
private struct MadeParts: HTTPInterceptor {
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        .response(
            try HTTPResponse(
                status: .ok,
                headers: [.contentType: "multipart/mixed; boundary=b"],
                body: Array("--b\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\nx".utf8),
                for: request
            )
        )
    }
}

import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests successful uploads of bodies produced while they are sent.
@Suite(.timeLimit(.minutes(10))) struct StreamedUploadTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private func bare() -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.headers = [:]
        configuration.decompression = .off
        return HTTPClient(configuration)
    }

    private func put(_ url: String, _ body: HTTPBody) -> HTTPRequest {
        HTTPRequest(url, method: .put, body: body)
    }

    /// Content without repetition, so that lost or reordered bytes are detected.
    private static let content = {
        var bytes = [UInt8](repeating: 0, count: 1_000_003)
        for index in bytes.indices {
            bytes[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 8 ^ index >> 16)
        }
        return bytes
    }()

    @Test func `a file is sent with its length`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("0123456789", as: "a.txt")
        let origin = try ScriptedOrigin([
            .expect(through: "\r\n\r\n"), .expect("0123456789"), .reply(Self.hello),
            .expect(through: "\r\n\r\n"), .expect("345"), .reply(Self.hello),
        ])
        let client = bare()
        _ = try await client.send(put(origin.url, .file(path)))
        _ = try await client.send(put(origin.url, .file(path, range: 3..<6, contentType: "a/b")))
        #expect(origin.failures == [])
        let host = "Host: \(origin.authority)\r\n"
        #expect(
            origin.text()
                == "PUT / HTTP/1.1\r\n\(host)Content-Type: text/plain\r\nContent-Length: 10\r\n\r\n"
                + "0123456789"
                + "PUT / HTTP/1.1\r\n\(host)Content-Type: a/b\r\nContent-Length: 3\r\n\r\n345"
        )
        #expect(origin.connectionCount == 1)
    }

    @Test func `a sequence without a length is sent in chunks, and one with a length as it is`()
        async throws
    {
        let origin = try ScriptedOrigin([
            .expect(through: "0\r\n\r\n"), .reply(Self.hello), .expect(through: "abcabc"),
            .reply(Self.hello), .expectHead, .reply(Self.hello),
        ])
        let client = bare()
        let gate = AsyncStream.makeStream(of: [UInt8].self)
        let url = origin.url
        let call = Task { try await client.send(put(url, .stream(gate.stream))) }
        gate.continuation.yield(Array("one".utf8))
        gate.continuation.yield([])
        gate.continuation.finish()
        #expect(try await call.value.text == "hello")
        let known = WatchedPieces(Array("abc".utf8), 2)
        let body = HTTPBody.stream(known, length: 6, contentType: nil)
        #expect(try await client.send(put(url, body)).text == "hello")
        let empty = HTTPBody.stream(WatchedPieces([], 3), length: 0, contentType: nil)
        #expect(try await client.send(put(url, empty)).metrics.isReused)
        let host = "Host: \(origin.authority)\r\n"
        #expect(
            origin.text()
                == "PUT / HTTP/1.1\r\n\(host)Content-Type: application/octet-stream\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
                + "PUT / HTTP/1.1\r\n\(host)Content-Length: 6\r\n\r\nabcabc"
                + "PUT / HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n"
        )
    }

    @Test func `an empty body of unknown length is sent as the last chunk only`() async throws {
        let origin = try ScriptedOrigin([.expect(through: "\r\n\r\n0\r\n\r\n"), .reply(Self.hello)])
        let body = HTTPBody.stream(WatchedPieces([1], 0))
        #expect(try await bare().send(put(origin.url, body)).text == "hello")
    }

    enum SendingMethod: Sendable, CaseIterable {
        case send
        case stream
        case blocking
        case onTheLoop
    }

    enum BodyKind: Sendable, CaseIterable {
        case file
        case known
        case unknown
        case multipart
    }

    @Test(.serialized, arguments: SendingMethod.allCases, BodyKind.allCases)
    func `a large body arrives completely, for every kind and sending method`(
        sendingMethod: SendingMethod,
        bodyKind: BodyKind
    ) async throws {
        let server = try await HTTPTestServer.start { request in .text("\(request.body.count)") }
        let bytes = Self.content
        let directory = try TemporaryDirectory()
        let path = try directory.write(bytes, as: "large.bin")
        // Pieces of many sizes, some larger than the channel's capacity.
        let pieces = AsyncStream<ArraySlice<UInt8>> { continuation in
            var rest = bytes[...]
            var size = 1
            while !rest.isEmpty {
                continuation.yield(rest.prefix(size))
                rest = rest.dropFirst(size)
                size = size > 400_000 ? 1 : size * 3
            }
            continuation.finish()
        }
        let body: HTTPBody
        switch bodyKind {
        case .file: body = .file(path)
        case .known: body = .stream(pieces, length: bytes.count)
        case .unknown: body = .stream(pieces)
        case .multipart:
            var form = MultipartForm(boundary: "b")
            form.add(file: path, name: "f")
            form.add(stream: pieces, length: bytes.count, name: "s")
            body = .multipart(form)
        }
        let client = HTTPClient()
        let request = put(server.url, body)
        let text: String
        switch sendingMethod {
        case .send: text = try await client.send(request).text
        case .stream:
            let response = try await client.stream(request)
            text = String(decoding: try await response.body.collect(), as: UTF8.self)
        case .blocking:
            let response = await onThread {
                Result { () throws(HTTPError) in try client.blocking.send(request) }
            }
            text = try response.get().text
        case .onTheLoop:
            let task = Task(executorPreference: client.executor) {
                try await client.send(request).text
            }
            text = try await task.value
        }
        let received = try #require(server.requests.first)
        #expect(text == "\(received.body.count)")
        if bodyKind == .multipart {
            #expect(received.body.count == body.length)
            let first = Array("Content-Type: application/octet-stream\r\n\r\n".utf8) + bytes
            #expect(received.body.count > 2 * bytes.count)
            let start = received.body.firstIndex(of: 13).map { $0 } ?? 0
            #expect(start == 3)
            let headEnd = try #require(
                received.body.indices.first { received.body[$0...].starts(with: first.prefix(44)) }
            )
            #expect(received.body[headEnd...].starts(with: first))
        } else {
            #expect(received.body == bytes)
            #expect(received.headers.contains(.contentLength) == (bodyKind != .unknown))
        }
    }

    @Test func `a large body arrives completely over TLS`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { request in
            .text("\(request.body.count)")
        }
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(server.certificateAuthorityPEM)
        let client = HTTPClient(configuration)
        let bytes = Self.content
        let directory = try TemporaryDirectory()
        let path = try directory.write(bytes, as: "a")
        let pieces = WatchedPieces([UInt8](repeating: 5, count: 70_000), 30)
        #expect(try await client.send(put(server.url, .file(path))).text == "1000003")
        let second = try await client.send(put(server.url, .stream(pieces)))
        #expect(second.text == "2100000" && second.metrics.isReused)
        #expect(server.requests.first?.body == bytes)
    }

    @Test(
        arguments: [
            // Around the shortest and the longest region of a file.
            (256 << 10, nil), ((256 << 10) + 1, nil), ((8 << 20) + (256 << 10), nil),
            ((8 << 20) + (256 << 10) + 1, nil), (17 << 20, nil), (9 << 20, 4097..<(9 << 20) - 3),
        ] as [(Int, Range<Int>?)]
    )
    func `a file is sent completely, for every number of regions`(
        size: Int,
        range: Range<Int>?
    ) async throws {
        let directory = try TemporaryDirectory()
        let bytes = TestContent.bytes(size)
        let path = try directory.write(bytes, as: "a")
        let sent = range.map { Array(bytes[$0]) } ?? bytes
        let origin = try ScriptedOrigin([
            .expect(through: "\r\n\r\n"), .expect(count: sent.count), .reply(Self.hello),
            .expectHead, .reply(Self.hello),
        ])
        let client = bare()
        let response = try await client.send(put(origin.url, .file(path, range: range)))
        #expect(response.text == "hello")
        #expect(response.metrics.attempts.first?.bodyBytesSent == sent.count)
        #expect(Array(origin.received().suffix(sent.count)) == sent)
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test func `files and bytes are sent in order`() async throws {
        let server = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let directory = try TemporaryDirectory()
        let bytes = TestContent.bytes(1 << 20)
        let path = try directory.write(bytes, as: "a")
        var form = MultipartForm(boundary: "b")
        form.add(file: path, name: "f")
        form.add(string: "middle", name: "m")
        form.add(file: path, name: "g")
        _ = try await HTTPClient().send(put(server.url, .multipart(form)))
        let received = try #require(server.requests.first).body
        let part = "Content-Disposition: form-data; name=\"g\"; filename=\"a\"\r\n"
        #expect(received.count == HTTPBody.multipart(form).length)
        let end = Array("\r\n--b--\r\n".utf8)
        #expect(received.suffix(end.count).elementsEqual(end))
        #expect(Array(received.dropLast(end.count).suffix(bytes.count)) == bytes)
        let blank = Array("\r\n\r\n".utf8)
        let head = received.indices.first { received[$0...].starts(with: blank) }
        let start = try #require(head) + blank.count
        #expect(Array(received[start..<start + bytes.count]) == bytes)
        let middle = String(
            decoding: received[(start + bytes.count)...].prefix(300),
            as: UTF8.self
        )
        #expect(middle.contains("\r\n\r\nmiddle\r\n--b\r\n\(part)"))
    }

    @Test func `a file that sendfile cannot send is read instead`() async throws {
        let gate = Gate()
        let size = 12 << 20
        let directory = try TemporaryDirectory()
        let bytes = TestContent.bytes(size)
        let path = try directory.write(bytes, as: "a")
        let origin = try ScriptedOrigin([
            .expect(through: "\r\n\r\n"), .pause(gate), .expect(count: size),
            .reply(Self.hello),
        ])
        let client = bare()
        let request = put(origin.url, .file(path))
        let call = Task { try await client.send(request).text }
        await gate.arrival()
        // The kernel refuses sendfile to a descriptor with this flag (EINVAL).
        DescriptorCount.add(O_APPEND, toSocketsWithPeerPort: origin.port)
        gate.open()
        #expect(try await call.value == "hello")
        #expect(Array(origin.received().suffix(size)) == bytes)
    }

    @Test func `producing a body does not block the loop`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let server = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let client = HTTPClient()
        let otherCall = Gate()
        let (url, sink) = (origin.url, server.url)
        // The producer blocks its thread until another call of the same client has ended. That call
        // needs the loop, but no thread of the task pool.
        let body = HTTPBody.stream {
            Task(executorPreference: client.executor) {
                _ = try await client.send(HTTPRequest(url))
                otherCall.open()
            }
            otherCall.block()
            return WatchedPieces([1, 2, 3], 1)
        }
        let request = put(sink, body)
        let upload = Task(executorPreference: client.executor) {
            try await client.send(request).text
        }
        #expect(try await upload.value == "3")
    }

    @Test func `a producer is paused while peer and channel are full`() async throws {
        let gate = Gate()
        let size = 64 << 10
        let count = 1024
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .expect(count: size * count), .reply(Self.hello),
        ])
        let pieces = WatchedPieces([UInt8](repeating: 1, count: size), count)
        let request = put(origin.url, .stream(pieces, length: size * count))
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.writeIdle = nil
        let client = HTTPClient(configuration)
        let call = Task { try await client.send(request) }
        await gate.arrival()
        // The count rises until the socket buffers and the channel are full, and then stays the same.
        var last = -1
        var unchanged = 0
        while unchanged < 300 {
            let now = pieces.takenCount
            unchanged = now == last ? unchanged + 1 : 0
            last = now
            await moment()
        }
        #expect(pieces.takenCount < count / 2)
        gate.open()
        #expect(try await call.value.metrics.attempts.first?.bodyBytesSent == size * count)
        await pieces.iteratorReleased()
        #expect(origin.failures == [])
    }

    @Test func `a response body is delivered while the request body is produced`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"),
            .expect("4\r\nping\r\n"), .reply("3\r\ntwo\r\n"), .expect("0\r\n\r\n"),
            .reply("0\r\n\r\n"), .expectHead, .reply(Self.hello),
        ])
        let (stream, maker) = AsyncStream.makeStream(of: [UInt8].self)
        let client = HTTPClient()
        let response = try await client.stream(put(origin.url, .stream(stream)))
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Array("one".utf8))
        maker.yield(Array("ping".utf8))
        #expect(try await chunks.next() == Array("two".utf8))
        maker.finish()
        #expect(try await chunks.next() == nil)
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test func `a complete response waits for the rest of the body`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.hello), .expect("3\r\nend\r\n0\r\n\r\n"), .expectHead,
            .reply(Self.hello),
        ])
        let (stream, maker) = AsyncStream.makeStream(of: [UInt8].self)
        let client = HTTPClient()
        let request = put(origin.url, .stream(stream))
        let response = try await client.stream(request)
        maker.yield(Array("end".utf8))
        maker.finish()
        #expect(try await response.body.collect() == Array("hello".utf8))
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test func `a protocol switch waits until the whole body was sent`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"),
            .expect("3\r\nabc\r\n0\r\n\r\n"), .reply("there"),
        ])
        let (stream, maker) = AsyncStream.makeStream(of: [UInt8].self)
        maker.yield(Array("abc".utf8))
        let client = HTTPClient()
        let request = put(origin.url, .stream(stream))
        let call = Task { try await client.upgrade(request, to: "echo") }
        maker.finish()
        guard case .upgraded(let duplex) = try await call.value else {
            Issue.record("the protocol did not change")
            return
        }
        #expect(try await duplex.read() == Array("there".utf8))
        #expect(origin.failures == [])
    }

    @Test func `an early error response is delivered, and the producer stops`() async throws {
        let refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"
        let done = Gate()
        defer { done.open() }
        let origin = try ScriptedOrigin([.expectHead, .reply(refusal), .pause(done)])
        for pieces in [
            WatchedPieces([UInt8](repeating: 7, count: 10_000)),
            WatchedPieces([1], 1, then: .silence),
        ] {
            let client = HTTPClient()
            let response = try await client.send(put(origin.url, .stream(pieces)))
            #expect(response.status == .contentTooLarge && response.text == "big")
            await pieces.iteratorReleased()
            #expect(await client.pool.snapshot().origins.isEmpty)
        }
    }

    @Test func `a peer that responds and closes during the body gives a response`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.hello), .close])
        let pieces = WatchedPieces([UInt8](repeating: 7, count: 100_000))
        let client = HTTPClient()
        let response = try await client.stream(put(origin.url, .stream(pieces)))
        #expect(try await response.body.collect() == Array("hello".utf8))
        await pieces.iteratorReleased()
        #expect(await client.pool.snapshot().origins.isEmpty)
    }
}

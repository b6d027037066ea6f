import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests the records of bodies that a server sends.
@Suite(.timeLimit(.minutes(10))) struct HTTPRecordStreamTests {
    private let client = HTTPClient()

    private func reply(_ body: String, type: String = "text/plain") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `lines are returned as they arrive, and the connection is reused after the last`()
        async throws
    {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "6\r\none\ntw\r\n"), .pause(gate),
            .reply("9\r\no\r\nthree\r\r\n0\r\nA: b\r\n\r\n"), .expectHead, .reply(reply("x")),
        ])
        let response = try await client.stream(origin.url)
        let stream = response.lines()
        var lines = stream.makeAsyncIterator()
        #expect(try await lines.next() == "one")
        gate.open()
        // A second iterator continues where the first stopped.
        var rest: [String] = []
        for try await line in stream { rest.append(line) }
        #expect(rest == ["two", "three\r"])
        #expect(try await lines.next() == nil)
        #expect(response.trailers?["A"] == "b")
        #expect(try await client.send(origin.url).text == "x")
        #expect(origin.connectionCount == 1 && origin.failures == [])
    }

    @Test func `a body that arrives byte by byte has the same lines`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .replyByteByByte(reply("a\r\n\nä€\nlast")),
        ])
        var lines: [String] = []
        for try await line in try await client.stream(origin.url).lines() { lines.append(line) }
        #expect(lines == ["a", "", "ä€", "last"])
    }

    @Test func `the format of JSON values follows from Content-Type`() async throws {
        let lines = "{\"name\":\"Ada\"}\n{\"name\":\"Bob\"}\n"
        let sequence = "\u{1E}{\"name\":\n\"Ada\"}\n\u{1E}{\"name\":\"Bob\"}\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(reply(lines, type: "application/x-ndjson")),
            .expectHead, .reply(reply(sequence, type: "Application/JSON-seq; a=b")),
            .expectHead, .reply(reply(sequence)),
        ])
        for format in [nil, nil, .sequence] as [HTTPJSON.RecordFormat?] {
            let response = try await client.stream(origin.url)
            var names: [String?] = []
            for try await value in response.jsonRecords(format: format) {
                names.append(value["name"].string)
            }
            #expect(names == ["Ada", "Bob"])
        }
        #expect(origin.failures == [])
    }

    #if Foundation
    private struct User: Decodable, Equatable, Sendable {
        var name: String
    }

    @Test func `values are decoded as another type`() async throws {
        let body = "{\"name\":\"Ada\"}\n{\"name\":\"Bob\"}\n"
        let origin = try ScriptedOrigin(.always(reply(body)))
        var users: [User] = []
        let response = try await client.stream(origin.url)
        for try await user in response.jsonRecords(User.self) { users.append(user) }
        #expect(users == [User(name: "Ada"), User(name: "Bob")])
    }

    @Test func `a malformed value throws with its bytes, and the next call continues`() async throws
    {
        let body = "{\"name\":\"Ada\"}\n{\"nam\":1}\n{\"name\":\"Bob\"}\n"
        let origin = try ScriptedOrigin(.always(reply(body)))
        var users = try await client.stream(origin.url).jsonRecords(User.self).makeAsyncIterator()
        #expect(try await users.next()?.name == "Ada")
        do {
            _ = try await users.next()
            Issue.record("nothing was thrown")
        } catch {
            guard case .decodingFailed(let reason) = error.kind else { throw error }
            #expect(reason.hasPrefix("value 2: the key \"name\" is missing at $, "))
            #expect(error.partialBody == Array("{\"nam\":1}".utf8))
            #expect(error.underlying is DecodingError && error.phase == .decoding)
            #expect(error.request == "GET \(origin.url)/" && error.head?.status == .ok)
        }
        #expect(try await users.next()?.name == "Bob")
        #expect(try await users.next() == nil)
    }
    #endif

    @Test func `a line without an end throws at the limit and closes the connection`() async throws
    {
        let head = "HTTP/1.1 200 OK\r\n\r\nshort\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head), .replyForever([UInt8](repeating: 0x61, count: 4096)),
        ])
        var lines = try await client.stream(origin.url).lines(maxLength: 1 << 20)
            .makeAsyncIterator()
        #expect(try await lines.next() == "short")
        let error = await failure { try await lines.next() }
        #expect(error?.kind == .recordFailed(.lineTooLong(limit: 1 << 20)))
        #expect(error?.blame == .peer && error?.isRetrySafe == false)
        #expect(try await lines.next() == nil)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `an error in the body is thrown once, after the lines before it`() async throws {
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na\nb"
        let origin = try ScriptedOrigin([.expectHead, .reply(half), .close])
        var lines = try await client.stream(origin.url).lines().makeAsyncIterator()
        #expect(try await lines.next() == "a")
        let error = await failure { try await lines.next() }
        #expect(
            error?.kind == .truncatedResponse(.bodyTruncated(received: 3, expected: 10))
        )
        #expect(try await lines.next() == nil)
    }

    @Test func `only as much is read as the caller requests`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"),
            .replyForever(Array("a line of thirty-two characters\n".utf8)),
        ])
        let response = try await client.stream(origin.url)
        var lines = response.lines().makeAsyncIterator()
        for _ in 0..<3 { #expect(try await lines.next() == "a line of thirty-two characters") }
        // One element of the body has at most 512 KiB.
        #expect(response.metrics.bodyBytesReceived <= 2 << 20)
        response.cancel()
        var count = 0
        let error = await failure {
            while try await lines.next() != nil { count += 1 }
        }
        #expect(error?.kind == .cancelled && count < 3 << 16)
    }

    @Test func `canceling the task ends a read`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\na\nb"), .pause(gate),
        ])
        let stream = try await client.stream(origin.url).lines()
        let (seen, sees) = AsyncStream<String>.makeStream()
        let task = Task {
            for try await line in stream { sees.yield(line) }
        }
        for await line in seen {
            #expect(line == "a")
            break
        }
        task.cancel()
        #expect(await failure { try await task.value }?.kind == .cancelled)
    }

    @Test func `a read that overlaps another throws, and the first one continues`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\na\n"), .pause(gate), .reply("b\n"), .close,
        ])
        let stream = try await client.stream(origin.url).lines()
        var lines = stream.makeAsyncIterator()
        #expect(try await lines.next() == "a")
        await withTaskGroup(of: Result<String?, HTTPError>.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var lines = stream.makeAsyncIterator()
                    do throws(HTTPError) {
                        return .success(try await lines.next())
                    } catch {
                        return .failure(error)
                    }
                }
            }
            // One of the reads waits for the gate, so the other one ends first.
            let first = await group.next()
            gate.open()
            let second = await group.next()
            guard case .failure(let error) = first, case .success(let line) = second else {
                Issue.record("got \(String(describing: first)) and \(String(describing: second))")
                return
            }
            #expect(error.kind == .invalidRequest(.overlappingRead) && line == "b")
        }
        #expect(try await lines.next() == nil)
    }

    private actor Counter {
        private(set) var count = 0

        func add(_ lines: some AsyncSequence<String, HTTPError>) async throws {
            for try await _ in lines { add() }
        }

        func add(_ lines: HTTPRecordStream<String>) async throws {
            for try await _ in lines { add() }
        }

        private func add() {
            preconditionIsolated()
            count += 1
        }
    }

    @Test func `a loop of an actor stays on it`() async throws {
        let body = String(repeating: "line\n", count: 200)
        let origin = try ScriptedOrigin(.always(reply(body)))
        let counter = Counter()
        let stream = try await client.stream(origin.url).lines()
        try await counter.add(stream)
        let other: some AsyncSequence<String, HTTPError> = try await client.stream(origin.url)
            .lines()
        try await counter.add(other)
        #expect(await counter.count == 400)
    }

    @Test func `a response of an interceptor has records`() async throws {
        struct Answering: HTTPInterceptor {
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                .response(try HTTPResponse(body: Array("a\nb".utf8), for: request))
            }
        }
        let request = HTTPRequest("http://a.test/").interceptor(Answering())
        var lines: [String] = []
        for try await line in try await client.stream(request).lines() { lines.append(line) }
        #expect(lines == ["a", "b"])
    }

    // MARK: - Blocking

    @Test func `a thread reads records, and then the error of the body`() async throws {
        let body = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n1\n2\nx\n3\n"
        let origin = try ScriptedOrigin([.expectHead, .replyByteByByte(body), .close])
        let url = origin.url
        let reads = await onThread { [client] () -> [String] in
            var reads: [String] = []
            do throws(HTTPError) {
                let values = try client.blocking.stream(url).jsonRecords().blocking
                while reads.count < 6 {
                    do throws(HTTPError) {
                        reads.append(try values.next().map { "\($0.int ?? 0)" } ?? "end")
                    } catch {
                        reads.append(error.kind.label)
                    }
                }
            } catch {
                reads.append("\(error)")
            }
            return reads
        }
        #expect(reads == ["1", "2", "decodingFailed", "3", "truncatedResponse", "end"])
    }

    @Test func `a blocking read throws inside a task, even if a record has arrived`() async throws {
        let origin = try ScriptedOrigin(.always(reply("a\nb\n")))
        let stream = try await client.stream(origin.url).lines()
        var lines = stream.makeAsyncIterator()
        #expect(try await lines.next() == "a")
        do {
            _ = try stream.blocking.next()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.kind == .invalidRequest(.blockingInsideTask))
        }
        #expect(try await lines.next() == "b")
    }
}

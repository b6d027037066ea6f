import ClientSupport
import HTTPClient
import Support
import Testing
import Wire

@Suite(.timeLimit(.minutes(10))) struct HTTPBodyTransformerTests {
    /// Turns each pair of bytes around, and adds a mark at the end.
    private struct Swapping: HTTPBodyTransformer {
        var held: UInt8?
        var mark: [UInt8] = [0x21]

        mutating func transform(_ chunk: [UInt8]) -> [UInt8] {
            var output: [UInt8] = []
            for byte in chunk {
                if let first = held {
                    output += [byte, first]
                    held = nil
                } else {
                    held = byte
                }
            }
            return output
        }

        mutating func finish() -> [UInt8] {
            defer { held = nil }
            return (held.map { [$0] } ?? []) + mark
        }
    }

    private struct Failing: HTTPBodyTransformer {
        var limit: Int
        var error: any Error = Broken()

        mutating func transform(_ chunk: [UInt8]) throws -> [UInt8] {
            limit -= chunk.count
            if limit < 0 { throw error }
            return chunk
        }

        mutating func finish() throws -> [UInt8] { throw error }
    }

    private struct Broken: Error, Equatable {}

    private static let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde"

    private func client(
        _ transformers: [@Sendable (inout HTTPResponse) throws -> Void]
    ) -> HTTPClient {
        HTTPClient().with { settings in
            settings.transformers = transformers.map { change in
                HTTPResponseTransformer { response, _ in try change(&response) }
            }
        }
    }

    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin([.forever([.expectHead, .replyByteByByte(Self.reply)])])
    }

    @Test func `a collected and a streamed body are transformed alike`() async throws {
        let origin = try origin()
        let client = client([{ try $0.transformBody(Swapping()) }])
        #expect(try await client.send(HTTPRequest(origin.url)).text == "badce!")
        for _ in 0..<2 {
            let response = try await client.stream(HTTPRequest(origin.url))
            #expect(response.expectedContentLength == nil)
            #expect(try await response.body.collect() == Array("badce!".utf8))
            var rest = response.body.makeAsyncIterator()
            #expect(try await rest.next() == nil)
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `an interceptor transforms before the transformers`() async throws {
        struct Interceptor: HTTPInterceptor {
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                var result = try await next(request)
                try result.response?.transformBody(Swapping(mark: [0x31]))
                return result
            }
        }
        let origin = try origin()
        let client = client([
            { try $0.transformBody(Swapping(mark: [0x32])) },
            { try $0.transformBody(Swapping(mark: [0x33])) },
        ])
        let request = HTTPRequest(origin.url).interceptor(Interceptor())
        var expected = Array("abcde".utf8)
        for mark in [0x31, 0x32, 0x33] as [UInt8] {
            var swapping = Swapping(mark: [mark])
            let output = swapping.transform(expected)
            expected = output + swapping.finish()
        }
        #expect(try await client.send(request).body == expected)
        #expect(try await client.stream(request).body.collect() == expected)
    }

    @Test func `a response of an interceptor and a body without bytes are transformed`()
        async throws
    {
        let empty = try ScriptedOrigin(.always("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let client = client([{ try $0.transformBody(Swapping()) }])
        #expect(try await client.send(HTTPRequest(empty.url)).text == "!")
        #expect(try await client.stream(HTTPRequest(empty.url)).body.collect() == [0x21])
        struct Answering: HTTPInterceptor {
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                .response(try HTTPResponse(body: Array("ab".utf8), for: request))
            }
        }
        let request = HTTPRequest(empty.url).interceptor(Answering())
        #expect(try await client.stream(request).body.collect() == Array("ba!".utf8))
    }

    @Test func `setting the body removes the transformers before it`() async throws {
        let origin = try origin()
        let client = client([
            { try $0.transformBody(Swapping()) },
            { $0.body = Array("new".utf8) },
        ])
        #expect(
            try await client.stream(HTTPRequest(origin.url)).body.collect() == Array("new".utf8)
        )
    }

    @Test func `a streamed response can be transformed by its reader`() async throws {
        let origin = try origin()
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        let swapped = response.transformingBody(Swapping()).transformingBody(Swapping(mark: []))
        #expect(try await swapped.body.collect() == Array("abcd!e".utf8))
        #expect(swapped.trailers != nil)
        #expect(swapped.metrics.bodyBytesReceived == 5)
    }

    @Test func `an error of a transformer ends the stream once`()
        async throws
    {
        let origin = try origin()
        let client = client([{ try $0.transformBody(Failing(limit: 3)) }])
        let response = try await client.stream(HTTPRequest(origin.url))
        var body = response.body.makeAsyncIterator()
        let error = await failure {
            while try await body.next() != nil {}
        }
        #expect(error?.kind == .interceptorFailed(reason: "Broken()"))
        #expect(error?.underlying is Broken)
        #expect(error?.head?.status == .ok)
        #expect(try await body.next() == nil)
        let collected = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(collected?.underlying is Broken)
        let own = HTTPError.Kind.rejectedStatus(.conflict)
        let request = HTTPRequest(origin.url)
        let failing = try await HTTPClient().stream(request)
            .transformingBody(
                Failing(
                    limit: 9,
                    error: try HTTPResponse(status: .conflict, for: request).failure()
                )
            )
        #expect(await failure { try await failing.body.collect() }?.kind == own)
    }

    @Test func `a read that overlaps another throws and does not disturb it`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), .pause(gate),
            .reply("abcde"),
        ])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
            .transformingBody(Swapping())
        await withTaskGroup(of: HTTPError.Kind?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do throws(HTTPError) {
                        var body = response.body.makeAsyncIterator()
                        var received: [UInt8] = []
                        while let chunk = try await body.next() { received += chunk }
                        #expect(received == Array("badce!".utf8))
                        return nil
                    } catch {
                        return error.kind
                    }
                }
            }
            // The server has sent no byte of the body, so only this error can end a read.
            let first = await group.next()
            #expect(first == .some(.invalidRequest(.overlappingRead)))
            gate.open()
            let second = await group.next()
            #expect(second == .some(nil))
        }
    }
}

extension HTTPResponse {
    fileprivate func failure() throws -> HTTPError {
        do throws(HTTPError) {
            _ = try requireSuccess()
        } catch {
            return error
        }
        throw CancellationError()
    }
}

import ClientSupport
import HTTPClient
import Support
import Testing
import Wire

#if Foundation
import FoundationEssentials
#endif

/// Tests event streams whose data is decoded.
@Suite(.timeLimit(.minutes(10))) struct DecodedEventsTests {
    private let client = HTTPClient()
    private let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    private func post(_ origin: ScriptedOrigin) -> HTTPRequest {
        HTTPRequest(origin.url, method: .post)
    }

    @Test func `the text after until ends the stream of a server that keeps the connection open`()
        async throws
    {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply(head + "data: {\"a\":1}\n\ndata: [2,\ndata: 3]\n\ndata: [DONE]\n\ndata: 4\n\n"),
            .pause(gate),
        ])
        var values: [HTTPJSON] = []
        for try await value in client.events(post(origin), as: HTTPJSON.self, until: "[DONE]") {
            values.append(value)
        }
        #expect(values == [["a": 1], [2, 3]])
    }

    @Test func `without until the server ends the stream`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "data: 1\n\ndata: \"[DONE]\"\n\n"), .close,
        ])
        var events = client.events(post(origin), as: HTTPJSON.self).makeAsyncIterator()
        #expect(try await events.next() == 1)
        #expect(try await events.next() == "[DONE]")
        #expect(try await events.next() == nil)
        #expect(try await events.next() == nil)
    }

    @Test func `an event that is not JSON is reported once, after the values before it`()
        async throws
    {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "data: 1\n\ndata: {\n\ndata: 3\n\n"), .close,
        ])
        var events = client.events(post(origin), as: HTTPJSON.self).makeAsyncIterator()
        #expect(try await events.next() == 1)
        let error = await failure { try await events.next() }
        guard case .decodingFailed(let reason) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("event 2: ") && reason.hasSuffix("in \"{\""))
        #expect(error?.partialBody == Array("{".utf8) && error?.phase == .decoding)
        #expect(error?.request == "POST \(origin.url)")
        #expect(error?.underlying is HTTPJSON.ParsingError)
        #expect(try await events.next() == 3)
        #expect(try await events.next() == nil)
    }

    @Test func `the error of the stream follows the values before it`() async throws {
        let length = head.replacing("\r\n\r\n", with: "\r\nContent-Length: 99\r\n\r\n")
        let origin = try ScriptedOrigin([
            .expectHead, .reply(length + "data: 1\n\ndata: 2\n\n"), .close,
        ])
        var events = client.events(post(origin), as: HTTPJSON.self).makeAsyncIterator()
        #expect(try await events.next() == 1)
        #expect(try await events.next() == 2)
        let error = await failure { try await events.next() }
        guard case .truncatedResponse = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await events.next() == nil)
    }

    @Test func `a blocking caller reads values too`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "data: 1\n\ndata: 2\n\ndata: end\n\n"), .close,
        ])
        let events = client.events(post(origin), as: HTTPJSON.self, until: "end").blocking
        let values = await onThread {
            var values: [HTTPJSON] = []
            while let value = try? events.next() { values.append(value) }
            return values
        }
        #expect(values == [1, 2])
    }

    #if Foundation
    private struct Chunk: Decodable, Sendable, Equatable {
        var tokenText: String
    }

    @Test func `values of a type are decoded by the client's decoder, or by another`() async throws
    {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let api = client.with { $0.jsonDecoder = decoder }
        for given in [nil, JSONDecoder()] {
            let key = given == nil ? "token_text" : "tokenText"
            let origin = try ScriptedOrigin([
                .expectHead,
                .reply(head + "data: {\"\(key)\":\"a\"}\n\ndata: {}\n\ndata: [DONE]\n\n"), .close,
            ])
            var chunks = api.events(post(origin), as: Chunk.self, until: "[DONE]", decoder: given)
                .makeAsyncIterator()
            #expect(try await chunks.next() == Chunk(tokenText: "a"))
            let error = await failure { try await chunks.next() }
            #expect(
                error?.description.contains("event 2: the key \"tokenText\" is missing at $")
                    == true
            )
            #expect(try await chunks.next() == nil)
        }
    }
    #endif
}

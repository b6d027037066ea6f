import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct ErrorEvidenceTests {
    /// A server's reaction to a request, and whether the request is safe to retry afterwards.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: HTTPMethod
        let script: OriginScript
        let isRetrySafe: Bool

        init(_ name: String, _ method: HTTPMethod, _ script: OriginScript, isRetrySafe: Bool) {
            testDescription = "\(method) \(name)"
            self.method = method
            self.script = script
            self.isRetrySafe = isRetrySafe
        }
    }

    private static let closing: OriginScript = [.expectHead, .close]
    private static let part: OriginScript = [.expectHead, .reply("HTTP/1.1 200"), .close]
    private static let interim: OriginScript = [
        .expectHead, .reply("HTTP/1.1 103 Early Hints\r\n\r\n"), .close,
    ]

    @Test(arguments: [
        Row("no response bytes", .get, closing, isRetrySafe: true),
        Row("no response bytes", .put, closing, isRetrySafe: true),
        Row("no response bytes", .post, closing, isRetrySafe: false),
        Row("no response bytes", .patch, closing, isRetrySafe: false),
        Row("part of a response", .get, part, isRetrySafe: false),
        Row("an interim response", .get, interim, isRetrySafe: false),
    ])
    func `an error is safe to retry only if the request cannot have been processed`(
        row: Row
    ) async throws {
        let origin = try ScriptedOrigin(row.script)
        let request = HTTPRequest(origin.url, method: row.method)
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.isRetrySafe == row.isRetrySafe)
        #expect(error?.isCancellation == false)
    }

    @Test func `an error before anything was sent is safe to retry`() async throws {
        let port = try UnreachablePorts.refusing()
        let refused = await failure {
            try await HTTPRequest("http://127.0.0.1:\(port)/", method: .post).send()
        }
        #expect(refused?.isRetrySafe == true)
        let invalid = await failure { try await HTTPRequest("/", method: .post).send() }
        #expect(invalid?.isRetrySafe == true)
    }

    @Test func `an error after a received response is not safe to retry`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("x", status: .serviceUnavailable) }
        let rejected = await failure {
            try await HTTPRequest(server.url).send(in: HTTPClient()).requireSuccess()
        }
        #expect(rejected?.isRetrySafe == false)
        let response = try await HTTPClient().stream(HTTPRequest(server.url))
        let tooLarge = await failure { try await response.body.collect(upTo: 0) }
        #expect(tooLarge?.isRetrySafe == false)
    }

    @Test func `a CancellationError is converted to a cancelled error`() {
        let error = HTTPError(CancellationError())
        #expect(error.isCancellation)
        #expect(error.blame == .caller)
        #expect(error.underlying is CancellationError)
    }

    @Test(arguments: [
        WireError.invalidURI(.invalidPort, offset: 9), .invalidURI(.nonASCII, offset: 0),
        .invalidFieldValue(index: 2), .foreignProtocol(.tls),
        .unsupportedVersion(major: 2, minor: 0),
        .limitExceeded(.headBytes(9)), .limitExceeded(.expansionRatio(100)), .headTruncated,
        .bodyTruncated(received: 1, expected: 2), .bodyTruncated(received: 1, expected: nil),
        .malformedChunkEnd(offset: 3), .corruptCoding(.gzip), .missingColon(offset: 1),
        .conflictingContentLengths, .malformedHost, .invalidMethod, .codingOutOfMemory,
        .unofferedUpgrade, .bodyTooShort(declared: 2, sent: 1),
    ])
    func `message errors are described in words`(reason: WireError) {
        let text = HTTPError.Kind.malformedResponse(reason).description
        #expect(text == "the response is malformed: \(reason)")
        // The description must not be the debug dump, which begins with the name of the case.
        #expect("\(reason)".prefix { $0 != "(" }.contains(" "))
    }
}

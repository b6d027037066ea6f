import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing
import Wire

/// Tests bodies that are sent from an offset on.
@Suite(.timeLimit(.minutes(10))) struct BodyOffsetTests {
    /// Returns pieces of three bytes of `content`, from an offset on.
    private static func pieces(_ content: [UInt8], from offset: Int) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for start in stride(from: offset, to: content.count, by: 3) {
                continuation.yield(Array(content[start..<min(start + 3, content.count)]))
            }
            continuation.finish()
        }
    }

    private static func seekable(_ content: [UInt8]) -> HTTPBody {
        .seekable(length: content.count) { offset in pieces(content, from: offset) }
    }

    private static let content = Array("0123456789".utf8)

    enum Kind: CaseIterable, Sendable {
        case empty
        case bytes
        case text
        case json
        case form
        case file
        case fileRange
        case seekable
        case multipart

        func body(in directory: TemporaryDirectory) throws -> HTTPBody {
            switch self {
            case .empty: return .empty
            case .bytes: return .bytes(content)
            case .text: return .string("0123456789")
            case .json: return .json(text: "[1, 2, 3]")
            case .form: return .form(["a": "b", "c": "d"])
            case .file: return .file(try directory.write(content, as: "a.txt"))
            case .fileRange: return .file(try directory.write(content, as: "b.txt"), range: 2..<9)
            case .seekable: return BodyOffsetTests.seekable(content)
            case .multipart:
                let path = try directory.write(content, as: "c.txt")
                return HTTPBody.multipart(boundary: "x") { form in
                    form.add(string: "value", name: "name")
                    form.add(file: path, name: "file")
                }
            }
        }
    }

    @Test(arguments: Kind.allCases) func `a body is the same from every offset`(
        kind: Kind
    ) async throws {
        let directory = try TemporaryDirectory()
        let server = try await HTTPTestServer.start { request in .bytes(request.body) }
        let client = HTTPClient()
        let body = try kind.body(in: directory)
        #expect(body.isSeekable)
        @Sendable func sent(_ body: HTTPBody) async throws -> [UInt8] {
            try await client.send(HTTPRequest(server.url, method: .put, body: body)).body
        }
        let whole = try await sent(body)
        #expect(body.length == whole.count)
        for offset in 0...whole.count {
            let rest = try body.suffix(from: offset)
            #expect(rest.length == whole.count - offset)
            #expect(rest.contentType == body.contentType)
            #expect(rest.isSeekable && rest.isReplayable)
            // Twice, because a replay begins at the offset again.
            for _ in 0..<2 {
                #expect(try await sent(rest) == Array(whole[offset...]))
            }
            let middle = (whole.count - offset) / 2
            let last = try rest.suffix(from: middle)
            #expect(try await sent(last) == Array(whole[(offset + middle)...]))
        }
    }

    private static let sequences: [HTTPBody] = [
        .stream(pieces(content, from: 0)), .stream { pieces(content, from: 0) },
        .stream(length: 10) { pieces(content, from: 0) },
        HTTPBody.bytes(content).trailers(["X-A"]) { ["X-A": "b"] },
        seekable(content).trailers(["X-A"]) { ["X-A": "b"] }, .json([1, 2] as [Int]),
    ]

    @Test(arguments: sequences.indices) func `a body that has one beginning is refused`(
        index: Int
    ) throws {
        let body = Self.sequences[index]
        #expect(!body.isSeekable)
        for offset in [0, 3] {
            let error = #expect(throws: HTTPError.self) { try body.suffix(from: offset) }
            guard case .invalidRequest(.bodyOffset(offset, _)) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(error?.blame == .caller)
            #expect(error?.phase == .preparing)
        }
    }

    @Test(arguments: [HTTPBody.bytes(content), seekable(content)], [-1, 11, .min, .max])
    func `an offset outside the body is refused`(body: HTTPBody, offset: Int) throws {
        let error = #expect(throws: HTTPError.self) { try body.suffix(from: offset) }
        let reason = "it has 10 bytes"
        #expect(error?.kind == .invalidRequest(.bodyOffset(offset, reason: reason)))
    }

    @Test func `an invalid body keeps its reason`() async throws {
        let missing = #expect(throws: HTTPError.self) {
            try HTTPBody.file("/missing/file").suffix(from: 1)
        }
        guard case .invalidRequest(.bodyFile("/missing/file", _)) = missing?.kind else {
            Issue.record("got \(String(describing: missing))")
            return
        }
        let negative = #expect(throws: HTTPError.self) {
            try HTTPBody.seekable(length: -1) { _ in Self.pieces([], from: 0) }.suffix(from: 0)
        }
        #expect(negative?.kind == .invalidRequest(.bodyLength(-1)))
    }

    @Test func `a file that has grown meanwhile is not sent`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        let path = try directory.write(Self.content, as: "a.txt")
        let rest = try HTTPBody.file(path).suffix(from: 4)
        _ = try directory.write(Self.content + [1], as: "a.txt")
        let request = HTTPRequest(server.url, method: .put, body: rest)
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .bodyFailed(.file(path, .changed)))
    }

    @Test(arguments: [
        (0, HTTPError.BodyReason.tooLong(expected: 6)), (7, .tooShort(expected: 6, sent: 3)),
    ])
    func `a sequence that is shorter or longer than the rest fails`(
        start: Int,
        reason: HTTPError.BodyReason
    ) async throws {
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        let body = HTTPBody.seekable(length: 10) { _ in Self.pieces(Self.content, from: start) }
        let request = HTTPRequest(server.url, method: .put, body: try body.suffix(from: 4))
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .bodyFailed(reason))
    }

    @Test func `an upload goes on where the server lost it`() async throws {
        // The server keeps the first 4 bytes, as if the connection had been lost, and later the rest.
        let stored = SharedLog<UInt8>()
        let server = try await HTTPTestServer.start { request in
            switch request.method {
            case .head:
                return .status(.noContent).header("Upload-Offset", "\(stored.entries.count)")
            case .patch:
                guard request.headers["Upload-Offset"] == "\(stored.entries.count)" else {
                    return .status(.conflict)
                }
                for byte in request.body { stored.add(byte) }
                return .status(.noContent)
            default:
                for byte in request.body.prefix(4) { stored.add(byte) }
                return .status(.serviceUnavailable)
            }
        }
        let client = HTTPClient()
        let body = Self.seekable(Self.content)
        let first = try await client.send(HTTPRequest(server.url, method: .put, body: body))
        #expect(first.status == .serviceUnavailable)
        let head = try await client.send(HTTPRequest(server.url, method: .head))
        let offset = try #require(head.headers["Upload-Offset"].flatMap { Int($0) })
        var rest = HTTPRequest(server.url, method: .patch, body: try body.suffix(from: offset))
        rest.headers["Upload-Offset"] = "\(offset)"
        #expect(try await client.send(rest).status == .noContent)
        #expect(stored.entries == Self.content)
    }
}

import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests encoded bodies that cannot be decoded, or that decode to too little or too much.
@Suite(.timeLimit(.minutes(10))) struct ContentCodingTests {
    private func reply(_ codings: String, _ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(codings)\r\n".utf8)
            + Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    @Test(arguments: [
        ("x-none", HTTPError.Kind.codingFailed(.unknownContentCoding)),
        ("gzip, x-none", .codingFailed(.unknownContentCoding)),
        ("gzip, gzip, gzip, gzip, gzip", .limitExceeded(.limitExceeded(.codingCount(4)))),
    ])
    func `a body that cannot be decoded is an error, and is never delivered encoded`(
        codings: String,
        kind: HTTPError.Kind
    ) async throws {
        for body in [Array("abc".utf8), [UInt8](repeating: 1, count: 100_000)] {
            let bytes = reply(codings, body)
            let origin = try ScriptedOrigin([.forever([.expectHead, .reply(bytes)])])
            let client = HTTPClient()
            let request = HTTPRequest(origin.url)
            let error = await failure { try await client.send(request) }
            #expect(error?.kind == kind)
            #expect(error?.partialBody == [])
            let stream = try await client.stream(request)
            let streamError = await failure { _ = try await stream.body.collect() }
            #expect(streamError?.kind == kind)
            let plain = client.with { $0.decompression = .off }
            #expect(try await plain.send(request).body == body)
        }
        // Without content there is nothing to decode.
        let empty = try ScriptedOrigin([.forever([.expectHead, .reply(reply(codings, []))])])
        #expect(try await HTTPClient().send(HTTPRequest(empty.url)).body == [])
    }

    // MARK: - Ranges

    /// The ways in which a request gets a Range field.
    enum RangeSource: CaseIterable {
        case modifier
        case field
        case defaults
        case interceptor
        case headModifier
    }

    private struct RangeInterceptor: HTTPInterceptor {
        func intercept(
            _ request: HTTPRequest,
            _ context: HTTPContext,
            next: HTTPNext
        ) async throws -> HTTPInterceptorResult {
            var request = request
            request.headers[.range] = "bytes=0-3"
            return try await next(request)
        }
    }

    private func client(
        _ source: RangeSource,
        accepting codings: String?
    ) -> HTTPClient {
        HTTPClient().with { settings in
            if source == .defaults { settings.headers[.range] = "bytes=0-3" }
            if let codings { settings.headers[.acceptEncoding] = codings }
            guard source == .interceptor else { return }
            settings.interceptors = [RangeInterceptor()]
        }
    }

    private func request(_ url: String, _ source: RangeSource) -> HTTPRequest {
        var request = HTTPRequest(url)
        switch source {
        case .modifier: request = request.range(0...3)
        case .field: request.headers[.range] = "bytes=0-3"
        case .headModifier:
            request = request.headModifier { $0.headers.append(.range, "bytes=0-3") }
        case .defaults, .interceptor: break
        }
        return request
    }

    /// A part of a gzip body, which cannot be decoded.
    private static let part =
        "HTTP/1.1 206 Part\r\nContent-Encoding: gzip\r\nContent-Range: bytes 0-3/9\r\n"
        + "Content-Length: 4\r\n\r\npart"

    @Test(arguments: RangeSource.allCases)
    func `a request for a range asks for identity, and its part is delivered as received`(
        source: RangeSource
    ) async throws {
        let origin = try ScriptedOrigin([
            .forever([
                .expectHead(lines: "Range: bytes=0-3", "Accept-Encoding: identity"),
                .reply(Self.part),
            ])
        ])
        let client = client(source, accepting: nil)
        let request = request(origin.url, source)
        let response = try await client.send(request)
        #expect(response.text == "part" && response.headers[.contentEncoding] == "gzip")
        let stream = try await client.stream(request)
        #expect(stream.expectedContentLength == 4)
        #expect(try await stream.body.collect() == Array("part".utf8))
        let verified = client.with { $0.digestVerification = .ifPresent }
        #expect(try await verified.send(request).text == "part")
        #expect(origin.failures == [] && !origin.text().contains("gzip"))
    }

    @Test(arguments: RangeSource.allCases)
    func `a request for a range keeps the codings that the caller accepts`(
        source: RangeSource
    ) async throws {
        let origin = try ScriptedOrigin([
            .forever([.expectHead(lines: "Accept-Encoding: gzip"), .reply(Self.part)])
        ])
        var request = request(origin.url, source)
        request.headers[.acceptEncoding] = "gzip"
        #expect(try await client(source, accepting: nil).send(request).text == "part")
        if source != .modifier {
            let client = client(source, accepting: "gzip")
            #expect(try await client.send(self.request(origin.url, source)).text == "part")
        }
        #expect(origin.failures == [])
    }

    /// Bodies that cannot be decoded, for a redirect or a refused redirect.
    private static let faults: [(codings: String, body: String)] = [
        ("x-none", "<p>moved</p>"), ("gzip", "no gzip"),
        ("gzip, gzip, gzip, gzip, gzip", "<p>moved</p>"),
    ]

    @Test(arguments: faults)
    func `a redirect is followed even if its body cannot be decoded`(
        codings: String,
        body: String
    ) async throws {
        let fields =
            "Content-Encoding: \(codings)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let moved = "HTTP/1.1 302 Found\r\nLocation: /there\r\n" + fields
        let here = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere"
        let makers: [@Sendable () -> HTTPClient] = [
            { HTTPClient() }, { HTTPClient().with { $0.cookies = .automatic } },
        ]
        for maker in makers {
            let origin = try ScriptedOrigin(perConnection: [
                [.expectHead, .reply(moved)], [.expectHead, .reply(here)],
            ])
            let response = try await maker().send(HTTPRequest(origin.url))
            #expect(response.body == Array("here".utf8) && response.redirects.count == 1)
            // A refused redirect is the final response, so its body must be decoded.
            let last = try ScriptedOrigin([.expectHead, .reply(moved)])
            var request = HTTPRequest(last.url)
            request.redirectMode = .refuse
            let error = await failure { [request] in try await maker().send(request) }
            #expect(error?.head?.status == .found)
            if codings == "x-none" { #expect(error?.kind == .codingFailed(.unknownContentCoding)) }
        }
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(moved)], [.expectHead, .reply(here)],
        ])
        let url = origin.url
        let result = await onThread { Result { try HTTPClient().blocking.send(HTTPRequest(url)) } }
        #expect(try result.get().body == Array("here".utf8))
    }

    @Test(arguments: faults)
    func `a challenge is answered even if its body cannot be decoded`(
        codings: String,
        body: String
    ) async throws {
        let fields =
            "Content-Encoding: \(codings)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let credentials = HTTPCredentials(user: "ada", password: "pw")
        let here = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere"
        for isProxy in [false, true] {
            let who =
                isProxy
                ? "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\n"
                : "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic\r\n"
            func client(_ origin: ScriptedOrigin) -> HTTPClient {
                HTTPClient().with { settings in
                    if isProxy {
                        settings.proxy = .proxy(
                            HTTPProxy(
                                scheme: .http,
                                host: "127.0.0.1",
                                port: origin.port,
                                credentials: credentials
                            )
                        )
                    } else {
                        settings.authentication = .any(user: "ada", password: "pw")
                    }
                }
            }
            let answered = try ScriptedOrigin(perConnection: [
                [.expectHead, .reply(who + fields)],
                [
                    .expectHead(lines: "\(isProxy ? "Proxy-" : "")Authorization: Basic YWRhOnB3"),
                    .reply(here),
                ],
            ])
            let response = try await client(answered).send(HTTPRequest(answered.url))
            #expect(response.body == Array("here".utf8))
            #expect(answered.failures == [])
            // A final challenge is a response whose body cannot be delivered.
            let refusing = try ScriptedOrigin([.forever([.expectHead, .reply(who + fields)])])
            let error = await failure { try await client(refusing).send(HTTPRequest(refusing.url)) }
            #expect(error?.head?.status.code == (isProxy ? 407 : 401))
            if codings == "x-none" { #expect(error?.kind == .codingFailed(.unknownContentCoding)) }
        }
    }

    @Test func `an error response whose body cannot be decoded is retried`() async throws {
        let busy = "HTTP/1.1 503 Later\r\nContent-Encoding: x-none\r\nContent-Length: 4\r\n\r\nbusy"
        let here = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(busy)], [.expectHead, .reply(here)],
        ])
        let client = HTTPClient().with { $0.retries = .standard }
        let response = try await client.send(HTTPRequest(origin.url))
        #expect(response.body == Array("here".utf8))
        let always = try ScriptedOrigin([.forever([.expectHead, .reply(busy)])])
        let error = await failure { try await HTTPClient().send(HTTPRequest(always.url)) }
        #expect(error?.kind == .codingFailed(.unknownContentCoding))
        #expect(error?.head?.status == .serviceUnavailable)
    }

    @Test func `an endless encoded body that decodes to nothing is rejected`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
        let empty: [UInt8] =
            [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0] + [UInt8](repeating: 0, count: 8)
        for part in [[UInt8](repeating: 0, count: 1024), empty] {
            let origin = try ScriptedOrigin([
                .expectHead, .reply(head), .reply(empty), .replyForever(part),
            ])
            let error = await failure { try await HTTPClient().send(HTTPRequest(origin.url)) }
            #expect(error?.kind == .limitExceeded(.limitExceeded(.codingOverheadBytes(64 << 10))))
        }
    }

    @Test(arguments: [(1000, true), (1 << 20, true), (10 << 20, false)])
    func `the first exceeded limit is reported`(
        limit: Int,
        isCallersLimit: Bool
    ) async throws {
        // 32 MiB of zeros in blocks of 258 bytes (RFC 1951 §3.2.5), 4 bits each.
        let zeros: [UInt8] =
            [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + Self.deflatedZeros(bytes: 32 << 20)
        let origin = try ScriptedOrigin([.expectHead, .reply(reply("gzip", zeros)), .close])
        var configuration = HTTPClient.Configuration()
        configuration.collectLimit = limit
        let error = await failure {
            try await HTTPClient(configuration).send(HTTPRequest(origin.url))
        }
        if isCallersLimit {
            #expect(error?.kind == .bodyTooLarge(limit: limit))
            #expect(error?.partialBody.count == limit)
        } else {
            #expect(error?.kind == .limitExceeded(.limitExceeded(.expansionRatio(100))))
        }
    }

    /// Returns a block that expands to zeros: literal 0, then matches of 258 bytes at distance 1.
    private static func deflatedZeros(bytes length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var (held, count): (UInt32, UInt32) = (0, 0)
        func put(_ bits: UInt32, _ length: UInt32) {
            held |= bits << count
            count += length
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: held))
                held >>= 8
                count -= 8
            }
        }
        // Final block, fixed codes. Literal 0 is 00110000, sent from its highest bit.
        put(0b011, 3)
        put(0b0000_1100, 8)
        // Length 258 is code 285, 11000101; distance 1 is code 0 of five bits.
        for _ in 0..<length / 258 {
            put(0b1010_0011, 8)
            put(0, 5)
        }
        put(0, 7)
        put(0, 7)
        return bytes
    }
}

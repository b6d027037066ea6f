import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests downloads whose body is lost and that continue inside the same call.
@Suite(.timeLimit(.minutes(10))) struct InCallResumeTests {
    private static let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// How an origin shows where a body ends.
    enum Framing: CaseIterable, Sendable {
        case contentLength
        case chunks
    }

    /// Returns a client whose delays take no real time.
    private func client(
        maxRetries: Int,
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        let time = ManualClock(nanoseconds: Deadline.now().nanoseconds)
        let clock = PolicyClock {
            time.now
        } secondsSince1970: {
            0
        } pause: {
            time.advance(by: $0)
        }
        var configuration = HTTPClient.Configuration()
        configuration.retries = .standard(maxRetries: maxRetries)
        configuration.retries.budget = nil
        change(&configuration)
        return HTTPClient(configuration, clock: clock, seed: 1)
    }

    /// Returns the part of a body, with a head that announces the rest of the content.
    private static func part(
        _ range: Range<Int>,
        _ framing: Framing,
        etag: String = "\"v1\""
    ) -> [OriginStep] {
        let (start, last) = (range.lowerBound, content.count - 1)
        var head = start == 0 ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Partial Content\r\n"
        head += "ETag: \(etag)\r\n"
        if start > 0 { head += "Content-Range: bytes \(start)-\(last)/\(content.count)\r\n" }
        let body = Array(content[range])
        switch framing {
        case .contentLength:
            head += "Content-Length: \(content.count - start)\r\n\r\n"
            return [.reply(Array(head.utf8) + body)]
        case .chunks:
            head += "Transfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n"
            let end = range.upperBound == content.count ? "\r\n0\r\n\r\n" : "\r\n"
            let size = body.isEmpty ? Array(head.dropLast(3).utf8) : Array(head.utf8)
            return [.reply(size + body + (body.isEmpty ? [] : Array(end.utf8)))]
        }
    }

    /// Returns scripts that cut the body at these offsets, and expect a range request after each cut.
    private static func scripts(_ cuts: [Int], _ framing: Framing) -> [OriginScript] {
        let ends = cuts + [content.count]
        return ends.indices.map { index in
            let start = index == 0 ? 0 : ends[index - 1]
            let expected: OriginStep =
                start == 0
                ? .expectHeadWhere { !$0.lowercased().contains("range:") }
                : .expectHead(
                    lines: "Range: bytes=\(start)-",
                    "If-Range: \"v1\"",
                    "Accept-Encoding: identity"
                )
            return OriginScript(
                [expected] + part(start..<ends[index], framing)
                    + (ends[index] < content.count ? [.close] : [])
            )
        }
    }

    @Test(arguments: Framing.allCases)
    func `a body that is cut at every tenth continues in the same call`(
        framing: Framing
    ) async throws {
        let cuts = (1...9).map { $0 * 10_000 }
        let origin = try ScriptedOrigin(perConnection: Self.scripts(cuts, framing))
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let file = try await client(maxRetries: 9).download(origin.url, to: path)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(file.size == Self.content.count)
        // No earlier call had downloaded anything.
        #expect(file.resumedOffset == 0)
        #expect(file.metrics.attempts.map(\.reason) == [.first] + cuts.map { _ in .retry })
        #expect(
            file.metrics.attempts.map(\.bodyBytesReceived) == Array(repeating: 10_000, count: 10)
        )
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        #expect(origin.failures == [])
    }

    @Test(arguments: Framing.allCases)
    func `a body that is cut at random bytes continues in the same call`(
        framing: Framing
    ) async throws {
        var random = SeededGenerator(seed: 15)
        let directory = try TemporaryDirectory()
        for _ in 0..<20 {
            let count = Int.random(in: 1...6, using: &random)
            let cuts = Set((0..<count).map { _ in Int.random(in: 1..<100_000, using: &random) })
            let origin = try ScriptedOrigin(
                perConnection: Self.scripts(cuts.sorted(), framing)
            )
            let path = directory.path + "/file"
            _ = try await client(maxRetries: 6).download(origin.url, to: path)
            #expect(TestFileSystem.contents(of: path) == Self.content, "\(cuts)")
            #expect(origin.failures == [])
        }
    }

    @Test func `a body without a length that is reset continues in the same call`() async throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead, .reply(Array(head.utf8) + Self.content[..<40_000]), .pause(gate),
                .reset,
            ],
            OriginScript(
                [.expectHead(lines: "Range: bytes=40000-", "If-Range: \"v1\"")]
                    + Self.part(40_000..<100_000, .contentLength)
            ),
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let call = client(maxRetries: 1).startDownload(origin.url, to: path)
        await gate.arrival()
        // A reset discards bytes that the client has not read.
        while !TestFileSystem.names(in: directory.path).contains(where: {
            TestFileSystem.contents(of: "\(directory.path)/\($0)")?.count == 40_000
        }) { await moment() }
        gate.open()
        _ = try await call.value
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `without a validator, the body starts over in place`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(head + "abcd"), .close],
            [
                .expectHeadWhere { !$0.lowercased().contains("range:") }, .reply(head + "uv"),
                .close,
            ],
            [.expectHead, .reply(head + "uvwxyz")],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let file = try await client(maxRetries: 2).download(origin.url, to: path)
        #expect(file.size == 6)
        #expect(TestFileSystem.contents(of: path) == Array("uvwxyz".utf8))
        #expect(origin.failures == [])
    }

    @Test func `a 200 to a range starts over in place, also with a shorter body`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            OriginScript([.expectHead] + Self.part(0..<50_000, .contentLength) + [.close]),
            [
                .expectHead(lines: "Range: bytes=50000-"),
                .reply("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"v2\"\r\n\r\nnew"),
            ],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let file = try await client(maxRetries: 1).download(origin.url, to: path)
        #expect(TestFileSystem.contents(of: path) == Array("new".utf8))
        #expect(file.size == 3)
    }

    @Test func `a lost end of the chunks is settled by a 416 with the same size`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead,
                .reply("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .reply("4\r\nabcd\r\n"), .close,
            ],
            [
                .expectHead(lines: "Range: bytes=4-"),
                .reply("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */4\r\n"),
                .reply("Content-Length: 0\r\n\r\n"),
            ],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let file = try await client(maxRetries: 1).download(origin.url, to: path)
        #expect(file.head.status == .rangeNotSatisfiable)
        #expect(TestFileSystem.contents(of: path) == Array("abcd".utf8))
    }

    @Test func `continuations that bring bytes do not count as retries`() async throws {
        let cuts = [10_000, 20_000, 20_001, 50_000, 99_999]
        let origin = try ScriptedOrigin(perConnection: Self.scripts(cuts, .contentLength))
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let file = try await client(maxRetries: 1).download(origin.url, to: path)
        #expect(file.metrics.attempts.count == 6)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `a download that starts over brings bytes only beyond those it had`() async throws {
        let cuts = [50_000, 30_000, 40_000, 45_000]
        let origin = try ScriptedOrigin(
            perConnection: cuts.map { end in
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
                return [.expectHead, .reply(Array(head.utf8) + Self.content[..<end]), .close]
            }
        )
        let directory = try TemporaryDirectory()
        let error = await failure {
            try await client(maxRetries: 2).download(origin.url, to: directory.path + "/file")
        }
        #expect(error?.metrics.attempts.count == 3)
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test(arguments: [202, 204, 205])
    func `a success without the resource does not replace the target`(status: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(head + "he"), .close],
            [.expectHead, .reply("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")],
        ])
        let directory = try TemporaryDirectory()
        let path = try directory.write("old", as: "file")
        let error = await failure {
            try await client(maxRetries: 1).download(origin.url, to: path)
        }
        #expect(error?.kind == .rejectedStatus(HTTPStatus(status)))
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test func `retries stop at their limit, and the error says how to continue`() async throws {
        let origin = try ScriptedOrigin(
            perConnection: Self.scripts([30_000, 30_000, 30_000], .contentLength)
        )
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let error = await failure {
            try await client(maxRetries: 2).download(origin.url, to: path)
        }
        #expect(
            error?.kind == .truncatedResponse(.bodyTruncated(received: 0, expected: 70_000))
        )
        let data = try #require(error?.resumeData)
        #expect(data.offset == 30_000 && data.total == 100_000)
        #expect(error?.metrics.attempts.count == 3)
        let file = try await client(maxRetries: 0)
            .download(origin.url, to: path, options: .resuming(data))
        #expect(file.resumedOffset == 30_000)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `without retries, a lost body is not requested again`() async throws {
        for change: (inout HTTPClient.Configuration) -> Void in [
            { $0.retries = HTTPRetryOptions() }, { $0.retries = .never },
        ] {
            let origin = try ScriptedOrigin(
                perConnection: Self.scripts([10_000], .contentLength)
            )
            let directory = try TemporaryDirectory()
            let error = await failure {
                try await client(maxRetries: 0, change)
                    .download(origin.url, to: directory.path + "/file")
            }
            #expect(error?.resumeData?.offset == 10_000)
            #expect(error?.metrics.attempts.count == 1)
        }
    }

    @Test func `a POST is not sent again`() async throws {
        let origin = try ScriptedOrigin(perConnection: Self.scripts([10_000], .contentLength))
        let directory = try TemporaryDirectory()
        let error = await failure {
            try await client(maxRetries: 3)
                .download(HTTPRequest(.post, origin.url), to: directory.path + "/file")
        }
        #expect(error?.resumeData == nil)
        #expect(error?.metrics.attempts.count == 1)
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    /// A response that does not continue the file, and the error of the call.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [String]
        let body: String
        let reason: HTTPError.ResumeReason

        init(
            _ name: String,
            _ fields: [String],
            _ reason: HTTPError.ResumeReason,
            body: String = "ef"
        ) {
            testDescription = name
            self.fields = fields
            self.body = body
            self.reason = reason
        }

        static func other(_ text: String?) -> HTTPError.ResumeReason {
            .rangeMismatch(requested: 4, received: text.flatMap { ContentRange($0) })
        }
    }

    @Test(arguments: [
        Refusal(
            "another ETag",
            ["Content-Range: bytes 4-5/6", "ETag: \"v2\""],
            .representationChanged
        ),
        Refusal(
            "a weak ETag",
            ["Content-Range: bytes 4-5/6", "ETag: W/\"v1\""],
            .representationChanged
        ),
        Refusal("no Content-Range", [], Refusal.other(nil)),
        Refusal("a malformed Content-Range", ["Content-Range: bytes 4-5"], Refusal.other(nil)),
        Refusal(
            "a range that starts early",
            ["Content-Range: bytes 3-4/6"],
            Refusal.other("bytes 3-4/6")
        ),
        Refusal(
            "a range that ends early",
            ["Content-Range: bytes 4-5/7"],
            .totalMismatch(known: 6, received: 7)
        ),
        Refusal(
            "a smaller total",
            ["Content-Range: bytes 4-4/5"],
            .totalMismatch(known: 6, received: 5),
            body: "e"
        ),
        Refusal(
            "gzip",
            ["Content-Range: bytes 4-5/6", "Content-Encoding: gzip"],
            .contentEncoded("gzip")
        ),
    ])
    func `a response that does not continue the file is refused`(refusal: Refusal) async throws {
        let fields = refusal.fields.map { $0 + "\r\n" }.joined()
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead,
                .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\nabcd"), .close,
            ],
            [
                .expectHead(lines: "Range: bytes=4-"),
                .reply("HTTP/1.1 206 Partial Content\r\nContent-Length: \(refusal.body.count)\r\n"),
                .reply(fields + "\r\n" + refusal.body),
            ],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let error = await failure {
            try await client(maxRetries: 1).download(origin.url, to: path)
        }
        #expect(error?.kind == .resumeFailed(refusal.reason))
        let data = try #require(error?.resumeData)
        #expect(data.offset == 4)
        #expect(TestFileSystem.contents(of: data.file) == Array("abcd".utf8))
        #expect(TestFileSystem.contents(of: path) == nil)
        #expect(origin.failures == [])
    }

    @Test func `a body longer than its range is discarded`() async throws {
        let range = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-5/6\r\nETag: \"v1\"\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead,
                .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\nabcd"), .close,
            ],
            [
                .expectHead(lines: "Range: bytes=4-"),
                .reply(range + "Transfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n"),
            ],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let error = await failure {
            try await client(maxRetries: 1).download(origin.url, to: path)
        }
        guard case .rangeMismatch(.lengthMismatch) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.resumeData?.offset == 4)
        #expect(TestFileSystem.contents(of: path) == nil)
    }

    @Test func `a range without a length that ends early is continued`() async throws {
        let range = "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nConnection: close\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead,
                .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\nab"), .close,
            ],
            [.expectHead, .reply(range + "Content-Range: bytes 2-5/6\r\n\r\ncd"), .close],
            [
                .expectHead(lines: "Range: bytes=4-"),
                .reply(range + "Content-Range: bytes 4-5/6\r\n\r\nef"), .close,
            ],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        _ = try await client(maxRetries: 2).download(origin.url, to: path)
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        #expect(origin.failures == [])
    }

    @Test func `a coded body is not continued but started over`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"v1\"\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(head + "Content-Encoding: gzip\r\n\r\nab"), .close],
            [
                .expectHeadWhere { !$0.lowercased().contains("range:") },
                .reply(head + "\r\nabcd"),
            ],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        _ = try await client(maxRetries: 1).download(origin.url, to: path)
        #expect(TestFileSystem.contents(of: path) == Array("abcd".utf8))
        #expect(origin.failures == [])
    }

    @Test func `observers see one call with a retry, whose end follows the body`() async throws {
        let log = HTTPEventLog()
        let origin = try ScriptedOrigin(perConnection: Self.scripts([10_000], .contentLength))
        let directory = try TemporaryDirectory()
        let counters = HTTPCounters()
        let client = client(maxRetries: 1) { $0.observers = [log, counters] }
        _ = try await client.download(origin.url, to: directory.path + "/file")
        log.finish()
        var names: [String] = []
        for await event in log {
            switch event.step {
            case .began: names.append("began")
            case .prepared: names.append("prepared")
            case .sending: names.append("sending")
            case .received: names.append("received")
            case .retrying: names.append("retrying")
            case .ended: names.append("ended")
            case .streamed(_, let error): names.append(error == nil ? "streamed" : "broken")
            default: names.append("other")
            }
        }
        #expect(
            names == [
                "began", "prepared", "sending", "received", "retrying", "prepared", "sending",
                "received", "ended", "streamed",
            ]
        )
        let counts = counters.snapshot
        #expect(counts.activeCalls == 0 && counts.calls == 1)
        #expect(counts.attempts == 2 && counts.retries == 1)
        #expect(counts.failures.isEmpty)
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests downloads over several connections.
@Suite(.timeLimit(.minutes(10))) struct SegmentedDownloadTests {
    static let content = (0..<100).map { UInt8($0) &* 7 | 1 }
    /// The parts of 100 bytes with 2 connections and a minimum of 10 bytes.
    private static let parts = [0..<10, 10..<32, 32..<49, 49..<61, 61..<71, 71..<81, 81..<100]

    private let directory: TemporaryDirectory
    private let path: String
    private let client = HTTPClient()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    /// Returns options for parts of at least 10 bytes.
    static func options(
        _ limit: Int = 2,
        journal: HTTPDownloadOptions.Journal = .off
    ) -> HTTPDownloadOptions {
        HTTPDownloadOptions(journal: journal, segments: .upTo(limit, minSize: 10))
    }

    /// Returns a client whose delays take no real time.
    private static func client(maxRetries: Int) -> HTTPClient {
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
        return HTTPClient(configuration, clock: clock, seed: 1)
    }

    private func expectComplete(
        _ file: HTTPDownloadedFile,
        _ content: [UInt8] = content,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(file.size == content.count, sourceLocation: location)
        #expect(TestFileSystem.contents(of: path) == content, sourceLocation: location)
        #expect(TestFileSystem.names(in: directory.path) == ["file"], sourceLocation: location)
    }

    // MARK: - Parts

    @Test func `the parts are requested over two connections, with one validator`() async throws {
        let server = try await RangeServer.start(Self.content)
        let observer = StepRecorder()
        var configuration = HTTPClient.Configuration()
        configuration.observers = [observer]
        let file = try await HTTPClient(configuration)
            .download(server.url, to: path, options: Self.options())
        expectComplete(file)
        #expect(server.ranges == Self.parts)
        #expect(server.asked.map(\.condition) == [nil] + Array(repeating: "\"v1\"", count: 6))
        #expect(server.asked.allSatisfy { $0.acceptEncoding == "identity" })
        #expect(server.server.connectionCount == 2)
        #expect(file.head.headers["Content-Range"] == "bytes 0-9/100")
        #expect(
            file.metrics.attempts.map(\.reason) == [.first] + Array(repeating: .segment, count: 6)
        )
        #expect(file.metrics.attempts.reduce(0) { $0 + $1.bodyBytesReceived } == 100)
        #expect(file.metrics.attempts.allSatisfy { $0.outcome == .complete })
        // One call with one response; its metrics have all attempts.
        #expect(
            observer.names == ["began", "prepared", "sending", "received", "ended", "streamed 7"]
        )
    }

    @Test func `literal ranges are sent while the first part is still arriving`() async throws {
        let gate = Gate()
        let bytes = Array(Self.content[..<40])
        func head(_ range: ClosedRange<Int>) -> [UInt8] {
            Array(
                ("HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: \(range.count)\r\n"
                    + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/40\r\n\r\n")
                    .utf8
            )
        }
        func part(_ range: ClosedRange<Int>) -> [OriginStep] {
            [
                .expectHead(
                    lines: "Range: bytes=\(range.lowerBound)-\(range.upperBound)",
                    "If-Range: \"v1\"",
                    "Accept-Encoding: identity"
                ), .reply(head(range) + bytes[range]),
            ]
        }
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead(lines: "Range: bytes=0-9", "Accept-Encoding: identity"),
                .reply(head(0...9) + bytes[..<5]), .pause(gate), .reply(Array(bytes[5..<10])),
            ],
            OriginScript(part(10...19) + part(20...29) + part(30...39)),
        ])
        let call = client.startDownload(origin.url, to: path, options: Self.options())
        await gate.arrival()
        while !origin.text(on: 1).contains("bytes=30-39") { await moment() }
        gate.open()
        expectComplete(try await call.value, bytes)
        #expect(origin.failures == [])
    }

    @Test func `a slow part is divided when the others are complete`() async throws {
        let latch = Latch()
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range == 10..<32 { await latch.wait() }
            if asked.range?.upperBound == 32, asked.range?.lowerBound ?? 10 > 10 { latch.open() }
            return nil
        }
        let file = try await client.download(server.url, to: path, options: Self.options())
        expectComplete(file)
        #expect(server.ranges.contains(21..<32))
    }

    @Test func `a large file arrives completely over more connections`() async throws {
        let content = TestContent.bytes(9_000_001)
        let server = try await RangeServer.start(content)
        var options = HTTPDownloadOptions(segments: .upTo(4, minSize: 300_000))
        options.preallocation = .whenSizeIsKnown
        let file = try await client.download(server.url, to: path, options: options)
        expectComplete(file, content)
        #expect(server.asked.count > 10)
    }

    @Test func `a blocking call downloads parts too`() async throws {
        let server = try await RangeServer.start(Self.content)
        let (client, path) = (client, path)
        let result = await onThread {
            Result { try client.blocking.download(server.url, to: path, options: Self.options()) }
        }
        expectComplete(try result.get())
        #expect(server.ranges == Self.parts)
    }

    @Test func `progress counts all parts and never falls`() async throws {
        let server = try await RangeServer.start(Self.content)
        let call = client.startDownload(server.url, to: path, options: Self.options())
        var last = HTTPProgress?.none
        for await event in call.events {
            guard case .progress(let progress) = event else { continue }
            #expect(progress.completed >= last?.completed ?? 0)
            last = progress
        }
        #expect(last?.isFinal == true && last?.completed == 100 && last?.total == 100)
        #expect(last?.resumedOffset == 0 && last?.segments == [])
    }

    @Test func `progress has the part of each connection`() async throws {
        let latch = Latch()
        defer { latch.open() }
        // The second part, and the rest of the third one, wait until progress has shown both.
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range == 10..<32 { await latch.wait() }
            guard asked.range == 32..<49 else { return nil }
            return .stream { writer in
                try await writer.write([Self.content[32]])
                await latch.wait()
                try await writer.write(Array(Self.content[33..<49]))
            }
            .status(206).header("Content-Range", "bytes 32-48/100").header("ETag", "\"v1\"")
        }
        let call = client.startDownload(server.url, to: path, options: Self.options())
        var seen: [HTTPProgress.Segment] = []
        for await event in call.events {
            guard case .progress(let progress) = event else { continue }
            #expect(progress.segments.count <= 2)
            #expect(progress.segments.reduce(0) { $0 + $1.completed } <= progress.completed)
            let connections = progress.segments.map(\.connection)
            #expect(connections == connections.sorted())
            seen += progress.segments
            let isMoving = progress.segments.contains {
                $0.range.lowerBound == 32 && $0.completed == 1
            }
            if isMoving, progress.segments.contains(where: \.isWaiting) { latch.open() }
            if progress.phase == .verifying { #expect(progress.segments == []) }
        }
        let waiting = seen.filter(\.isWaiting)
        let moving = seen.filter { $0.range.lowerBound > 10 && $0.completed > 0 }
        #expect(!waiting.isEmpty && !moving.isEmpty)
        #expect(try await call.value.size == 100)
    }

    @Test func `a file that is downloaded as a whole after all has no segments`() async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            asked.range == 32..<49 ? .bytes(Self.changed).header("ETag", "\"v2\"") : nil
        }
        let call = client.startDownload(server.url, to: path, options: Self.options())
        for await event in call.events {
            guard case .progress(let progress) = event, progress.phase != .receiving else {
                continue
            }
            #expect(progress.segments == [], "\(progress.phase)")
        }
        #expect(try await call.value.size == 100)
        #expect(server.asked.count { $0.range == nil } == 1)
    }

    // MARK: - One request

    @Test func `a 200 to the first range is the whole file`() async throws {
        let server = try await RangeServer.start(Self.content) { _ in
            .bytes(Self.content).header("ETag", "\"v1\"")
        }
        expectComplete(try await client.download(server.url, to: path, options: Self.options()))
        #expect(server.asked.count == 1)
    }

    @Test(arguments: [1, 9, 10])
    func `a file that is not larger than a part needs one request`(size: Int) async throws {
        let content = Array(Self.content[..<size])
        let server = try await RangeServer.start(content)
        let file = try await client.download(server.url, to: path, options: Self.options(4))
        expectComplete(file, content)
        #expect(server.asked.count == 1)
    }

    /// A first response after which the file is requested as a whole.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: @Sendable () -> HTTPTestServer.Response

        init(_ name: String, _ response: @escaping @Sendable () -> HTTPTestServer.Response) {
            (testDescription, self.response) = (name, response)
        }

        static let all = [
            Refusal("no validator") { RangeServer.part(0..<10, of: content, etag: nil) },
            Refusal("weak validator") { RangeServer.part(0..<10, of: content, etag: "W/\"v1\"") },
            Refusal("unknown total") { RangeServer.part(0..<10, of: content, total: "*") },
            Refusal("shifted") { RangeServer.part(1..<10, of: content) },
            Refusal("too long") { RangeServer.part(0..<11, of: content) },
            Refusal("too short") { RangeServer.part(0..<9, of: content) },
            Refusal("no Content-Range") { .bytes([1], status: 206).header("ETag", "\"v1\"") },
            Refusal("416") { .status(416, headers: ["Content-Range": "bytes */0"]) },
            Refusal("coded") {
                RangeServer.part(0..<10, of: content).header("Content-Encoding", "gzip")
            },
        ]
    }

    @Test(arguments: Refusal.all, [HTTPDownloadOptions.Journal.off, .on])
    func `parts that cannot be combined lead to one request for the whole file`(
        refusal: Refusal,
        journal: HTTPDownloadOptions.Journal
    ) async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            asked.range == nil ? nil : refusal.response()
        }
        let observer = StepRecorder()
        var configuration = HTTPClient.Configuration()
        configuration.observers = [observer]
        configuration.validators = [HTTPDefaultValidator()]
        // The response that is of no use must not keep its place while the second request waits for one.
        configuration.queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let file = try await HTTPClient(configuration)
            .download(server.url, to: path, options: Self.options(4, journal: journal))
        expectComplete(file)
        #expect(server.asked.map(\.range) == [0..<10, nil])
        #expect(server.asked.map(\.condition) == [nil, nil])
        #expect(file.head.status == .ok)
        #expect(file.metrics.attempts.map(\.reason) == [.first, .segment])
        #expect(observer.names.filter { $0 == "began" || $0 == "ended" } == ["began", "ended"])
    }

    @Test(arguments: [1, 4])
    func `one connection in the pool or one segment means one request`(limit: Int) async throws {
        let server = try await RangeServer.start(Self.content)
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = limit == 1 ? 8 : 1
        let file = try await HTTPClient(configuration)
            .download(server.url, to: path, options: Self.options(limit))
        expectComplete(file)
        #expect(server.ranges == [nil])
    }

    @Test func `only a GET without its own range is divided`() async throws {
        let server = try await RangeServer.start(Self.content)
        let request = HTTPRequest(server.url).header("If-Range", "\"v1\"")
        expectComplete(try await client.download(request, to: path, options: Self.options()))
        let post = HTTPRequest(server.url, method: .post)
        expectComplete(try await client.download(post, to: path, options: Self.options()))
        #expect(server.ranges == [nil, nil])
        let part = HTTPRequest(server.url).header("Range", "bytes=5-20")
        let file = try await client.download(part, to: path, options: Self.options())
        expectComplete(file, Array(Self.content[5...20]))
        #expect(server.asked.count == 3)
    }

    @Test(arguments: [
        HTTPDownloadOptions.Segments(limit: 0), .upTo(-1), .upTo(17), .upTo(2, minSize: 0),
        .upTo(1, minSize: -4),
    ])
    func `numbers out of range are rejected before a request`(
        segments: HTTPDownloadOptions.Segments
    ) async throws {
        let options = HTTPDownloadOptions(segments: segments)
        let error = await failure {
            try await client.download("http://127.0.0.1:1/", to: path, options: options)
        }
        #expect(error?.kind == .invalidRequest(.segments(segments)))
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    // MARK: - Parts that do not fit together

    static let changed = content.map { $0 &+ 2 }

    /// A response to a later part after which the file is downloaded as a whole.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: @Sendable (Range<Int>) -> HTTPTestServer.Response

        init(
            _ name: String,
            _ response: @escaping @Sendable (Range<Int>) -> HTTPTestServer.Response
        ) {
            (testDescription, self.response) = (name, response)
        }

        static let all = [
            Change("another ETag") { RangeServer.part($0, of: content, etag: "\"v2\"") },
            Change("a weak ETag") { RangeServer.part($0, of: content, etag: "W/\"v1\"") },
            Change("a 200") { _ in .bytes(changed).header("ETag", "\"v2\"") },
            Change("a larger total") { RangeServer.part($0, of: content, total: "101") },
            Change("a smaller total") { RangeServer.part($0, of: content, total: "99") },
            Change("shifted") { range in
                RangeServer.part(range.lowerBound + 1..<range.upperBound, of: content)
            },
            Change("another part") { _ in RangeServer.part(0..<10, of: content) },
            Change("overlapping the part before") { range in
                RangeServer.part(range.lowerBound - 1..<range.upperBound, of: content)
            },
            Change("a malformed range") { range in
                RangeServer.part(range, of: content, total: "a hundred")
            },
            Change("two ranges") { range in
                RangeServer.part(range, of: content).header("Content-Range", "bytes 0-9/100")
            },
            Change("shorter") { range in
                RangeServer.part(range.lowerBound..<range.upperBound - 1, of: content)
            },
            Change("no Content-Range") { .bytes(Array(content[$0]), status: 206) },
            Change("more bytes") { range in
                more(range)
            },
            Change("a coding") {
                RangeServer.part($0, of: content).header("Content-Encoding", "gzip")
            },
            Change("416") { _ in .status(416, headers: ["Content-Range": "bytes */9"]) },
        ]

        /// Returns a part whose chunks have more bytes than its range.
        private static func more(_ range: Range<Int>) -> HTTPTestServer.Response {
            let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/100"
            var response = HTTPTestServer.Response.chunks([Array(content[range]), [1, 2, 3]])
                .header("Content-Range", text).header("ETag", "\"v1\"")
            response.status = 206
            return response
        }
    }

    @Test(arguments: Change.all, [49..<61, 81..<100])
    func `after a part that does not fit, the file is downloaded as a whole`(
        change: Change,
        part: Range<Int>
    ) async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range == nil { return .bytes(Self.changed).header("ETag", "\"v2\"") }
            return asked.range == part ? change.response(part) : nil
        }
        let file = try await client.download(
            server.url,
            to: path,
            options: Self.options(journal: .on)
        )
        expectComplete(file, Self.changed)
        #expect(file.resumedOffset == 0 && file.head.status == .ok)
        // A request for another part, sent before, may arrive after it.
        #expect(server.asked.count { $0.range == nil } == 1)
    }

    @Test(arguments: [false, true])
    func `a part from another origin is not used`(isRepeated: Bool) async throws {
        // There, the same entity tag does not mean the same bytes.
        let mirror = try await RangeServer.start(Self.changed)
        let isRedirected = Locked(false)
        let server = try await RangeServer.start(Self.content) { asked in
            guard let range = asked.range, range.lowerBound >= 49 else { return nil }
            let isFirst = isRedirected.withLock { isRedirected in
                defer { isRedirected = true }
                return !isRedirected
            }
            guard isFirst || isRepeated else { return nil }
            return .status(302, headers: ["Location": mirror.url])
        }
        let secrets: HTTPHeaders = [.authorization: "Bearer secret", "Cookie": "a=secret"]
        let request = HTTPRequest(server.url, headers: secrets)
        let file = try await client.download(request, to: path, options: Self.options())
        expectComplete(file)
        let (asked, foreign) = (server.server.requests, mirror.server.requests)
        #expect(asked.allSatisfy { $0.headers[.authorization] == "Bearer secret" })
        #expect(foreign.count >= 1)
        for name: FieldName in [.authorization, .cookie, .ifRange] {
            #expect(foreign.allSatisfy { !$0.headers.contains(name) }, "\(name)")
        }
        // Either the other connection requests the part too, or the whole file is requested.
        #expect(server.asked.contains { $0.range == nil } == isRepeated)
    }

    @Test func `a failure after parts that do not fit leaves nothing to continue`() async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range == nil { return .status(500) }
            return asked.range == 49..<61 ? .bytes(Self.changed) : nil
        }
        let options = Self.options(journal: .on)
        let error = await failure {
            try await client.download(server.url, to: path, options: options)
        }
        #expect(error?.kind == .rejectedStatus(500))
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    // MARK: - Lost parts

    @Test(arguments: [10..<32, 0..<10, 61..<71])
    func `a lost part is retried where it was cut`(part: Range<Int>) async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            asked.range == part
                ? RangeServer.part(part, of: Self.content).truncated(to: 3) : nil
        }
        let client = Self.client(maxRetries: 1)
        let file = try await client.download(server.url, to: path, options: Self.options())
        expectComplete(file)
        #expect(server.ranges.contains(part.lowerBound + 3..<part.upperBound))
        #expect(server.asked.count == 8)
        #expect(file.metrics.attempts.count { $0.reason == .retry } == 1)
    }

    @Test func `a part that is lost again and again is retried while bytes arrive`() async throws {
        let cuts = [10..<32, 13..<32, 16..<32, 19..<32]
        let server = try await RangeServer.start(Self.content) { asked in
            guard let range = asked.range, cuts.contains(range) else { return nil }
            return RangeServer.part(range, of: Self.content).truncated(to: 3)
        }
        let client = Self.client(maxRetries: 1)
        let file = try await client.download(server.url, to: path, options: Self.options())
        expectComplete(file)
        #expect(file.metrics.attempts.count { $0.reason == .retry } == 4)
    }

    @Test(arguments: [10..<32, 0..<10, 81..<100], [0, 1])
    func `a part that is lost after its last byte is complete`(
        part: Range<Int>,
        maxRetries: Int
    ) async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            guard asked.range == part else { return nil }
            var response = HTTPTestServer.Response.stream { writer in
                try await writer.write(Array(Self.content[part]))
                // Before the last chunk.
                throw CancellationError()
            }
            response.status = 206
            return response.header("ETag", "\"v1\"")
                .header("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/100")
        }
        let client = Self.client(maxRetries: maxRetries)
        let file = try await client.download(server.url, to: path, options: Self.options())
        expectComplete(file)
        #expect(server.asked.count { $0.range == part } == 1)
    }

    @Test func `without retries, another connection takes the rest of a lost part`() async throws {
        let latch = Latch()
        let server = try await RangeServer.start(Self.content) { asked in
            guard asked.range == 10..<32 else {
                if asked.range == 32..<49 { await latch.wait() }
                return nil
            }
            latch.open()
            return RangeServer.part(10..<32, of: Self.content).truncated(to: 5)
        }
        let file = try await client.download(server.url, to: path, options: Self.options())
        expectComplete(file)
        // The one that is left requests all missing bytes at once.
        #expect(server.ranges.contains { $0?.lowerBound == 15 })
    }

    /// Rejections of a second connection.
    static let rejections: [Refusal] = [
        Refusal("429") { .status(429) }, Refusal("503") { .status(503) },
        Refusal("404") { .status(404) }, Refusal("closed") { .raw("") },
        Refusal("closed in the head") { .raw("HTTP/1.1 206 Partial") },
        Refusal("malformed") { .raw("HTTP/1.1 no\r\n\r\n") },
    ]

    @Test(arguments: rejections, [0, 3])
    func `a server that rejects a second connection serves the file over one`(
        rejection: Refusal,
        maxRetries: Int
    ) async throws {
        let hasRejected = Flag()
        let server = try await RangeServer.start(Self.content) { asked in
            guard asked.range == 10..<32, !hasRejected.value else { return nil }
            hasRejected.value = true
            return rejection.response()
        }
        let file = try await Self.client(maxRetries: maxRetries)
            .download(server.url, to: path, options: Self.options(8))
        expectComplete(file)
        #expect(hasRejected.value)
    }

    @Test(arguments: [nil, "1"])
    func `after rejected parts, the next request waits`(retryAfter: String?) async throws {
        let last = Locked<Deadline?>(nil)
        let pause = Int64(retryAfter == nil ? 500_000_000 : 1_000_000_000)
        // The server accepts one request in a period, and each one that comes too early begins it again.
        let server = try await RangeServer.start(Self.content) { asked in
            let isEarly = last.withLock { last in
                defer { last = .now() }
                guard asked.range?.lowerBound != 0, let last else {
                    return asked.range?.lowerBound != 0
                }
                return Deadline.now().nanoseconds - last.nanoseconds < pause
            }
            guard isEarly else { return nil }
            let response = HTTPTestServer.Response.status(429)
            return retryAfter.map { response.header("Retry-After", $0) } ?? response
        }
        let file = try await Self.client(maxRetries: 0)
            .download(server.url, to: path, options: Self.options())
        expectComplete(file)
    }

    @Test func `a rejected part fails the call if its server asks for a long wait`() async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            guard asked.range?.lowerBound != 0 else { return nil }
            return .status(503).header("Retry-After", "61")
        }
        let error = await failure {
            try await client.download(server.url, to: path, options: Self.options())
        }
        #expect(error?.kind == .rejectedStatus(503))
        // Both connections may have asked at the same time, and none asks again.
        #expect(server.asked.count <= 3)
    }

    @Test func `a pause after a rejected part ends with the call`() async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            guard asked.range?.lowerBound != 0 else { return nil }
            return .status(503).header("Retry-After", "60")
        }
        let limited = HTTPRequest(server.url).timeout(.seconds(1))
        let error = await failure {
            try await client.download(limited, to: path, options: Self.options())
        }
        #expect(error?.kind == .timedOut(.total))
        let before = server.asked.count
        let call = client.startDownload(HTTPRequest(server.url), to: path, options: Self.options())
        while server.asked.count < before + 2 { await moment() }
        call.cancel()
        let cancelled = await failure { try await call.value }
        #expect(cancelled?.kind == .cancelled)
    }

    @Test func `another connection takes the rest of a part that stands still`() async throws {
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(Self.content) { asked in
            guard asked.range == 10..<32 else { return nil }
            return .stream { writer in
                try await writer.write([Self.content[10]])
                await latch.wait()
            }
            .status(206).header("Content-Range", "bytes 10-31/100").header("ETag", "\"v1\"")
        }
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.readIdle = .seconds(3)
        let file = try await HTTPClient(configuration)
            .download(server.url, to: path, options: Self.options())
        expectComplete(file)
        // The byte that arrived was not requested again.
        let others = server.asked.compactMap(\.range).filter { $0 != 10..<32 }
        #expect(others.contains { $0.lowerBound == 11 } && !others.contains { $0.contains(10) })
    }

    @Test(arguments: [true, false])
    func `another connection takes the rest of a part that is very slow`(
        hasHead: Bool
    ) async throws {
        let content = TestContent.bytes(4 << 20)
        let slow = 1 << 20..<2 << 20
        let isSlow = Flag()
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(content) { asked in
            guard asked.range == slow, !isSlow.value else { return nil }
            isSlow.value = true
            if !hasHead { await latch.wait() }
            return .stream { writer in
                try await writer.write(Array(content[slow].prefix(3)))
                await latch.wait()
            }
            .status(206).header("Content-Range", "bytes 1048576-2097151/4194304")
            .header("ETag", "\"v1\"")
        }
        var configuration = HTTPClient.Configuration()
        // No timeout ends the slow part.
        configuration.timeouts = HTTPTimeouts()
        configuration.timeouts.readIdle = nil
        configuration.timeouts.responseHead = nil
        let options = HTTPDownloadOptions(segments: .upTo(2, minSize: 1 << 20))
        let file = try await HTTPClient(configuration)
            .download(server.url, to: path, options: options)
        expectComplete(file, content)
        #expect(isSlow.value)
        // The bytes that had arrived were not requested again.
        let rests = server.asked.compactMap(\.range).filter { slow.contains($0.lowerBound) }
        #expect(rests.last?.lowerBound == slow.lowerBound + (hasHead ? 3 : 0))
    }

    @Test func `a paused download in parts continues over the same connections`() async throws {
        let server = try await RangeServer.start(Self.content)
        let request = HTTPRequest(server.url).with { $0.rateLimit = .bytesPerSecond(1000) }
        let call = client.startDownload(request, to: path, options: Self.options())
        call.pause()
        for _ in 0..<50 { await moment() }
        #expect(call.state == .running && call.isPaused)
        call.resume()
        expectComplete(try await call.value)
        #expect(Set(server.asked.map(\.connection)).count <= 2)
        #expect(!call.isPaused)
    }

    @Test func `the failure of the last connection fails the call`() async throws {
        let server = try await RangeServer.start(Self.content) { asked in
            asked.range?.lowerBound == 0 ? nil : .status(503)
        }
        let error = await failure {
            try await client.download(server.url, to: path, options: Self.options())
        }
        #expect(error?.kind == .rejectedStatus(503))
        // Ten bytes in a row can be continued.
        #expect(error?.resumeData?.offset == 10)
    }

    // MARK: - Options

    @Test func `a file that is too large fails before its parts`() async throws {
        let server = try await RangeServer.start(Self.content)
        var options = Self.options()
        options.maxSize = 99
        let error = await failure {
            try await client.download(server.url, to: path, options: options)
        }
        #expect(error?.kind == .fileTooLarge(limit: 99))
        #expect(server.asked.count == 1)
        options.maxSize = 100
        expectComplete(try await client.download(server.url, to: path, options: options))
    }

    @Test func `the digest of all parts is verified`() async throws {
        let server = try await RangeServer.start(Self.content)
        var options = Self.options(3)
        options.expectedDigest = try .sha256(of: Self.content)
        expectComplete(try await client.download(server.url, to: path, options: options))
        options.expectedDigest = try .sha256(of: Self.changed)
        let error = await failure {
            try await client.download(server.url, to: path, options: options)
        }
        let expected = try HTTPDigest.sha256(of: Self.changed)
        let received = try HTTPDigest.sha256(of: Self.content)
        #expect(error?.kind == .digestMismatch(expected: expected, received: received))
        #expect(TestFileSystem.contents(of: path) == Self.content)
    }

    @Test func `a timeout of the whole call ends all parts`() async throws {
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range?.lowerBound != 0 { await latch.wait() }
            return nil
        }
        let request = HTTPRequest(server.url).timeout(.milliseconds(50))
        let error = await failure {
            try await client.download(request, to: path, options: Self.options())
        }
        #expect(error?.kind == .timedOut(.total))
    }

    // MARK: - Continuing

    private func savedJournal() throws -> DownloadJournal {
        let name = try #require(PartialFileName(target: path))
        return try #require(
            TestFileSystem.contents(of: name.journalPath).flatMap { DownloadJournal($0) }
        )
    }

    @Test(arguments: [1, 2, 5])
    func `a canceled download continues only its missing parts`(segments: Int) async throws {
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range == 10..<32 || asked.range == 61..<71 { await latch.wait() }
            return nil
        }
        let call = client.startDownload(
            server.url,
            to: path,
            options: Self.options(journal: .on)
        )
        while !server.ranges.contains(61..<71) { await moment() }
        call.cancel()
        _ = await call.result
        let journal = try savedJournal()
        #expect(journal.written == 10 && journal.synced == 10 && journal.total == 100)
        #expect(journal.parts.ranges == [32..<61] && journal.syncedParts.ranges == [32..<61])
        latch.open()
        let before = server.asked.count
        let file = try await client.download(
            server.url,
            to: path,
            options: Self.options(segments, journal: .on)
        )
        expectComplete(file)
        #expect(file.resumedOffset == 39)
        let asked = server.asked[before...]
        #expect(asked.allSatisfy { $0.condition == "\"v1\"" })
        let ranges = ByteRangeSet(asked.compactMap(\.range))
        #expect(ranges.ranges == [10..<32, 61..<100])
        if segments == 1 { #expect(asked.map(\.range) == [10..<32, 61..<100]) }
    }

    @Test func `a changed resource replaces the parts of an earlier call`() async throws {
        let latch = Latch()
        defer { latch.open() }
        let change = Flag()
        let server = try await RangeServer.start(Self.content) { asked in
            if change.value { return .bytes(Self.changed).header("ETag", "\"v2\"") }
            if asked.range == 10..<32 || asked.range == 61..<71 { await latch.wait() }
            return nil
        }
        let call = client.startDownload(server.url, to: path, options: Self.options(journal: .on))
        while !server.ranges.contains(61..<71) { await moment() }
        call.cancel()
        _ = await call.result
        change.value = true
        latch.open()
        let file = try await client.download(
            server.url,
            to: path,
            options: Self.options(journal: .on)
        )
        expectComplete(file, Self.changed)
        #expect(file.resumedOffset == 0)
    }

    /// A flag that a test changes.
    private final class Flag: Sendable {
        private let flag = Locked(false)

        var value: Bool {
            get { flag.withLock { $0 } }
            set { flag.withLock { $0 = newValue } }
        }
    }

    @Test func `resume data count the bytes after a gap too`() async throws {
        let latch = Latch()
        defer { latch.open() }
        let server = try await RangeServer.start(Self.content) { asked in
            if asked.range == 10..<32 || asked.range == 61..<71 { await latch.wait() }
            return nil
        }
        let call = client.startDownload(server.url, to: path, options: Self.options())
        while !server.ranges.contains(61..<71) { await moment() }
        let data = try #require(await call.cancelProducingResumeData())
        let ranges = data.journal.writtenRanges
        #expect(data.offset == 10 && data.total == 100 && ranges.count > 10)
        let file = try #require(TestFileSystem.contents(of: data.file))
        #expect(file.count == ranges.end)
        for range in ranges.ranges { #expect(file[range] == Self.content[range]) }
        latch.open()
        var options = Self.options()
        options.resumeData = try HTTPResumeData(data.text)
        let count = server.asked.count
        let complete = try await client.download(server.url, to: path, options: options)
        expectComplete(complete)
        #expect(complete.resumedOffset == ranges.count)
        // Only missing bytes were requested.
        for asked in server.asked[count...] {
            let range = try #require(asked.range)
            #expect(ranges.intersection(ByteRangeSet([range])).isEmpty, "\(range)")
        }
    }
}

/// An observer that records the names of the steps.
private final class StepRecorder: HTTPObserver {
    private let steps = Locked<[String]>([])

    var names: [String] { steps.withLock { $0 } }

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        let name =
            switch step {
            case .began: "began"
            case .prepared: "prepared"
            case .sending: "sending"
            case .received: "received"
            case .failed: "failed"
            case .ended: "ended"
            case .streamed(let metrics, _): "streamed \(metrics.attempts.count)"
            default: "other"
            }
        steps.withLock { $0.append(name) }
    }
}

extension HTTPProgress.Segment {
    /// Whether it is the part that has no response yet.
    fileprivate var isWaiting: Bool { range.lowerBound == 10 && completed == 0 }
}

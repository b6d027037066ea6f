import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests failing uploads of bodies produced while they are sent, and bodies that are not replayable.
@Suite(.timeLimit(.minutes(10))) struct UploadFailureTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private struct SequenceError: Error, Equatable {
        let number: Int
    }

    private func put(
        _ url: String,
        _ body: HTTPBody,
        _ change: (inout HTTPTimeouts) -> Void = { _ in }
    ) -> HTTPRequest {
        var request = HTTPRequest(url, method: .put, body: body)
        var timeouts = HTTPTimeouts()
        change(&timeouts)
        request.timeouts = timeouts
        return request
    }

    // MARK: - Before sending

    @Test func `an unreadable file is rejected before connecting`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let directory = try TemporaryDirectory()
        let path = try directory.write("12345", as: "a")
        let pipe = directory.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let missing = HTTPError.FileError.unreadable(
            errno: ENOENT,
            reason: "No such file or directory"
        )
        let rows: [(String, Range<Int>?, HTTPError.FileError)] = [
            (directory.path + "/none", nil, missing), ("", nil, missing),
            (path + "/x", nil, .unreadable(errno: ENOTDIR, reason: "Not a directory")),
            ("a\u{0}b", nil, .unreadable(errno: EINVAL, reason: "Invalid argument")),
            (directory.path, nil, .notRegular), (pipe, nil, .notRegular),
            ("/dev/zero", nil, .notRegular), (path, 5..<6, .rangeOutOfBounds(length: 5)),
            (path, 0..<(.max), .rangeOutOfBounds(length: 5)),
            (path, -3..<4, .rangeOutOfBounds(length: 5)),
            (path, -2 ..< -1, .rangeOutOfBounds(length: 5)),
            (path, .min ..< .max, .rangeOutOfBounds(length: 5)),
        ]
        for (path, range, reason) in rows {
            var form = MultipartForm()
            form.add(string: "1", name: "a")
            form.add(file: path, name: "f")
            let bodies: [HTTPBody] =
                range == nil ? [.file(path), .multipart(form)] : [.file(path, range: range)]
            for body in bodies {
                let error = await failure { try await HTTPClient().send(put(origin.url, body)) }
                #expect(error?.kind == .invalidRequest(.bodyFile(path, reason)))
                #expect(error?.phase == .preparing && error?.blame == .caller)
            }
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `an invalid form is rejected before connecting`() async throws {
        var form = MultipartForm(boundary: "a\r\nb")
        form.add(string: "1", name: "a")
        let request = HTTPRequest("http://127.0.0.1:1/").body(.multipart(form))
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(.multipart(.invalidBoundary("a\r\nb"))))
    }

    @Test(arguments: [-1, Int.min])
    func `a sequence of negative length is rejected before anything is sent`(
        length: Int
    ) async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        var form = MultipartForm()
        form.add(string: "1", name: "a")
        form.add(stream: WatchedPieces([1], 1), length: length, name: "s")
        let bodies: [HTTPBody] = [
            .stream(WatchedPieces([1], 1), length: length),
            .stream(length: length) { WatchedPieces([1], 1) },
            .multipart(form),
        ]
        for body in bodies {
            #expect(body.length == nil)
            let error = await failure { try await HTTPClient().send(put(origin.url, body)) }
            #expect(error?.kind == .invalidRequest(.bodyLength(length)))
            #expect(error?.phase == .preparing && error?.blame == .caller)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `a sequence is sent only once`() async throws {
        let origin = try ScriptedOrigin([.expect(through: "0\r\n\r\n"), .reply(Self.hello)])
        let client = HTTPClient()
        let request = put(origin.url, .stream(WatchedPieces([1], 1)))
        _ = try await client.send(request)
        let error = await failure { try await client.send(request) }
        #expect(error?.kind == .invalidRequest(.bodyAlreadyConsumed))
        #expect(origin.failures == [])
    }

    // MARK: - While sending the body

    @Test(arguments: [Int?.none, 1_000_000])
    func `an error thrown by a sequence ends the call and is its cause`(length: Int?) async throws {
        let origin = try ScriptedOrigin([.expectHead])
        let pieces = WatchedPieces([1, 2, 3], 2, then: .error(SequenceError(number: 7)))
        let client = HTTPClient()
        let error = await failure {
            try await client.send(put(origin.url, .stream(pieces, length: length)))
        }
        guard case .bodyFailed(.thrown) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.underlying as? SequenceError == SequenceError(number: 7))
        #expect(error?.phase == .sendingBody && error?.blame == .caller)
        await pieces.iteratorReleased()
        #expect(await client.pool.snapshot().origins.isEmpty)
        origin.stop()
        #expect(!origin.text().hasSuffix("\r\n0\r\n\r\n"))
    }

    @Test func `an error thrown while creating the sequence is the cause of the call's error`()
        async throws
    {
        let origin = try ScriptedOrigin([.expectHead])
        let body = HTTPBody.stream { () async throws -> WatchedPieces in
            throw SequenceError(number: 1)
        }
        let error = await failure { try await HTTPClient().send(put(origin.url, body)) }
        #expect(error?.underlying as? SequenceError == SequenceError(number: 1))
    }

    @Test func `a sequence that is too short closes the connection`() async throws {
        let origin = try ScriptedOrigin([.expectHead])
        let client = HTTPClient()
        let pieces = WatchedPieces([1, 2, 3], 3)
        let error = await failure {
            try await client.send(put(origin.url, .stream(pieces, length: 10)))
        }
        #expect(error?.kind == .bodyFailed(.tooShort(expected: 10, sent: 9)))
        #expect(await client.pool.snapshot().origins.isEmpty)
    }

    @Test(arguments: [9, 8, 7, 1, 0])
    func `a sequence that is too long never completes the request`(length: Int) async throws {
        let origin = try ScriptedOrigin([.expectHead])
        let client = HTTPClient()
        let pieces = WatchedPieces([7, 7, 7], 4)
        let error = await failure {
            try await client.send(put(origin.url, .stream(pieces, length: length)))
        }
        #expect(error?.kind == .bodyFailed(.tooLong(expected: length)))
        #expect(await client.pool.snapshot().origins.isEmpty)
        origin.stop()
        if length > 0 { #expect(origin.received().count { $0 == 7 } < length) }
    }

    @Test func `each part of a form must match its declared length`() async throws {
        let origin = try ScriptedOrigin { _ in [.expectHead] }
        for (first, second, reason) in [
            (2, 4, HTTPError.BodyReason.tooLong(expected: 2)),
            (4, 2, .tooShort(expected: 4, sent: 3)),
        ] {
            var form = MultipartForm()
            form.add(stream: WatchedPieces([1], 3), length: first, name: "a")
            form.add(stream: WatchedPieces([1], 3), length: second, name: "b")
            let error = await failure {
                try await HTTPClient().send(put(origin.url, .multipart(form)))
            }
            #expect(error?.kind == .bodyFailed(reason))
        }
    }

    @Test(arguments: [true, false])
    func `a file that changes its length during the upload fails the call`(
        shrinks: Bool
    ) async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        let directory = try TemporaryDirectory()
        let path = try directory.write("", as: "a")
        let size = 64 << 20
        #expect(unsafe truncate(path, size) == 0)
        let client = HTTPClient()
        let request = put(origin.url, .file(path))
        let call = Task { await failure { try await client.send(request) } }
        await gate.arrival()
        #expect(unsafe truncate(path, shrinks ? size / 2 : size + 1) == 0)
        gate.open()
        #expect(await call.value?.kind == .bodyFailed(.file(path, .changed)))
        #expect(await client.pool.snapshot().origins.isEmpty)
        origin.stop()
        #expect(origin.received().count < size)
    }

    @Test func `a file that is cut while the kernel sends it fails the call`() async throws {
        let gate = Gate()
        let size = 64 << 20
        let directory = try TemporaryDirectory()
        let path = try directory.write("", as: "a")
        #expect(unsafe truncate(path, size) == 0)
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .expect(count: size)])
        let request = put(origin.url, .file(path))
        let call = Task { await failure { try await HTTPClient().send(request) } }
        await gate.arrival()
        // Less than the region that the loop is sending.
        #expect(unsafe truncate(path, 1 << 20) == 0)
        gate.open()
        let error = await call.value
        #expect(error?.kind == .bodyFailed(.file(path, .changed)))
        #expect(error?.phase == .sendingBody && error?.blame == .caller)
        origin.stop()
        #expect(origin.received().count < size)
    }

    @Test func `a peer that resets the connection while a file is sent raises no signal`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = try directory.write("", as: "a")
        #expect(unsafe truncate(path, 64 << 20) == 0)
        for ending in [OriginStep.reset, .close] {
            let origin = try ScriptedOrigin { _ in [.expectHead, ending] }
            let request = put(origin.url, .file(path))
            let error = await failure { try await HTTPClient().send(request) }
            // The end of the stream can be noticed before the failure to send.
            switch error?.kind {
            case .connectionLost, .truncatedResponse: break
            default: Issue.record("got \(String(describing: error))")
            }
        }
    }

    @Test func `a file with a wrong reported size fails the call`() async throws {
        let origin = try ScriptedOrigin([.expectHead])
        let error = await failure {
            try await HTTPClient().send(put(origin.url, .file("/proc/self/status")))
        }
        #expect(error?.kind == .bodyFailed(.file("/proc/self/status", .changed)))
    }

    // MARK: - Early end

    enum Interruption: CaseIterable, Sendable {
        case cancelled
        case requestBody
        case total
        case writeIdle
        case throughput
    }

    @Test(arguments: Interruption.allCases, [true, false])
    func `cancellation and timeouts end the producer`(
        interruption: Interruption,
        hasNoPendingInput: Bool
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        // The producer either stalls or produces more than the peer reads.
        let pieces =
            hasNoPendingInput
            ? WatchedPieces([1], 1, then: .silence)
            : WatchedPieces([UInt8](repeating: 1, count: 64 << 10))
        // The peer's timeouts do not apply while the producer is the slow side.
        if hasNoPendingInput, interruption == .writeIdle || interruption == .throughput { return }
        let short = Duration.milliseconds(60)
        let request = put(origin.url, .stream(pieces)) { timeouts in
            switch interruption {
            case .cancelled: break
            case .requestBody: timeouts.requestBody = short
            case .total: timeouts.total = .milliseconds(400)
            case .writeIdle: timeouts.writeIdle = short
            case .throughput:
                timeouts.minimumThroughput = HTTPTimeouts.Throughput(bytes: 1 << 30, in: short)
            }
        }
        let client = HTTPClient()
        let call = Task { await failure { try await client.send(request) } }
        if interruption == .cancelled {
            await gate.arrival()
            call.cancel()
        }
        let error = await call.value
        let kind: HTTPError.Kind =
            switch interruption {
            case .cancelled: .cancelled
            case .requestBody, .writeIdle: .timedOut(.sendingBody)
            case .total: .timedOut(.total)
            case .throughput: .timedOut(.throughput)
            }
        #expect(error?.kind == kind)
        #expect(error?.phase == .sendingBody)
        await pieces.iteratorReleased()
        #expect(await client.pool.snapshot().origins.isEmpty)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `a producer that ignores cancellation does not delay the call`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let body = HTTPBody.stream { () async -> WatchedPieces in
            // An unstructured task is not canceled with the producer.
            await Task { for await _ in stream { return } }.value
            return WatchedPieces([1], 1)
        }
        let client = HTTPClient()
        let request = put(origin.url, body)
        let call = Task { await failure { try await client.send(request) } }
        await gate.arrival()
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
        continuation.finish()
    }

    @Test func `dropping an early response ends the producer`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"),
        ])
        for count in [1, .max] {
            let pieces = WatchedPieces([1], count, then: .silence)
            let client = HTTPClient()
            _ = try await client.stream(put(origin.url, .stream(pieces))).status
            await pieces.iteratorReleased()
            while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        }
    }

    // MARK: - Retries

    /// Serves one request, resets during the next, and then serves a PUT on a new connection.
    private func resettingOrigin(_ body: String) throws -> ScriptedOrigin {
        try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(Self.hello), .expectHead, .reset],
            [.expect(through: "\r\n\r\n\(body)"), .reply(Self.hello)],
        ])
    }

    @Test func `a replayable body is sent again completely on another connection`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("whole", as: "a")
        let whole = Array("whole".utf8)
        let rows: [(HTTPBody, String)] = [
            (.file(path), "whole"), (.stream(length: 5) { WatchedPieces(whole, 1) }, "whole"),
            (.stream { WatchedPieces(whole, 1) }, "5\r\nwhole\r\n0\r\n\r\n"),
        ]
        for (body, sent) in rows {
            let origin = try resettingOrigin(sent)
            let client = HTTPClient()
            _ = try await client.send(HTTPRequest(origin.url))
            let response = try await client.send(put(origin.url, body))
            #expect(response.text == "hello" && response.metrics.replays == 1)
            #expect(origin.failures == [])
        }
    }

    @Test func `a body that is not replayable fails with its own error on retry`()
        async throws
    {
        let origin = try resettingOrigin("")
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let pieces = WatchedPieces([1], 1, then: .silence)
        let error = await failure { try await client.send(put(origin.url, .stream(pieces))) }
        #expect(error?.kind == .bodyFailed(.notReplayable(.lostConnection)))
        await pieces.iteratorReleased()
        #expect(origin.connectionCount == 1)
    }

    @Test func `a proxy challenge repeats a replayable body, and fails for any other`() async throws
    {
        let directory = try TemporaryDirectory()
        let path = try directory.write("whole", as: "a")
        let proxy = try ScriptedOrigin(perConnection: [
            [
                .expectHead, .expect("whole"), .reply(DemandingProxy.challenge), .expectHead,
                .expect("whole"),
                .reply(Self.hello),
            ]
        ])
        let response = try await DemandingProxy.client(through: proxy).send(
            put("http://a.example/", .file(path))
        )
        #expect(response.text == "hello" && response.metrics.attempts.count == 2)
        #expect(proxy.failures == [])

        let strict = try ScriptedOrigin([
            .expectHead, .expect("1\r\n1\r\n"), .reply(DemandingProxy.challenge),
        ])
        let pieces = WatchedPieces(Array("1".utf8), 1, then: .silence)
        let error = await failure {
            try await DemandingProxy.client(through: strict).send(
                put("http://a.example/", .stream(pieces))
            )
        }
        #expect(error?.kind == .bodyFailed(.notReplayable(.proxyChallenge)))
        await pieces.iteratorReleased()
    }

    @Test func `an auth-int challenge is not answered for a body that is not in memory`()
        async throws
    {
        let challenge =
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=r, nonce=n, qop=\"auth-int\"\r\n"
            + "Content-Length: 0\r\n\r\n"
        let directory = try TemporaryDirectory()
        let path = try directory.write("whole", as: "a")
        let proxy = try ScriptedOrigin([.expectHead, .expect("whole"), .reply(challenge)])
        let response = try await DemandingProxy.client(through: proxy).send(
            put("http://a.example/", .file(path))
        )
        #expect(response.status == .proxyAuthenticationRequired)
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests rate limits and progress of bodies that pass through other threads, or through TLS.
///
/// The limits are high, and the tests compare bytes and the order of reports, but no times.
@Suite(.timeLimit(.minutes(10))) struct LimitedTransferTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    private static let limit = HTTPRateLimit.bytesPerSecond(8 << 20)

    /// The sources of request bodies.
    enum Source: CaseIterable, Sendable {
        case bytes
        case file
        case stream
        case multipart
    }

    @Test(arguments: Source.allCases, [false, true])
    func `a limited upload and its echo arrive completely`(
        source: Source,
        isSecure: Bool
    )
        async throws
    {
        let server = try await HTTPTestServer.start(tls: isSecure ? .selfIssued : .off) {
            .bytes($0.body)
        }
        var configuration = HTTPClient.Configuration()
        if isSecure { configuration.security.trust = .pem(server.certificateAuthorityPEM) }
        let client = HTTPClient(configuration)
        let directory = try TemporaryDirectory()
        let path = try directory.write(Self.content, as: "a")
        let body: HTTPBody
        switch source {
        case .bytes: body = .bytes(Self.content)
        case .file: body = .file(path)
        case .stream:
            let pieces = AsyncStream<[UInt8]> { continuation in
                for start in stride(from: 0, to: Self.content.count, by: 50_000) {
                    continuation.yield(Array(Self.content[start..<start + 50_000]))
                }
                continuation.finish()
            }
            body = .stream(pieces)
        case .multipart:
            var form = MultipartForm(boundary: "x")
            form.add(file: path, name: "a")
            body = .multipart(form)
        }
        let log = Locked<[HTTPProgress]>([])
        let request = HTTPRequest(server.url, method: .post, body: body).with {
            $0.rateLimit = Self.limit
        }
        .onProgress { progress in log.withLock { $0.append(progress) } }
        let echo = try await client.send(request).body
        if source == .multipart {
            #expect(echo.count > Self.content.count)
        } else {
            #expect(echo == Self.content)
        }
        let last = log.withLock { $0.filter(\.isFinal) }
        #expect(Set(last.map(\.direction)) == [.upload, .download] && last.count == 2)
        #expect(last.allSatisfy { $0.completed >= echo.count })
    }

    /// Returns the phases of reports, without repetitions of neighbors.
    private func phases(_ reports: [HTTPProgress]) -> [HTTPProgress.Phase] {
        reports.map(\.phase).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    @Test func `a limited download is verified after its last byte, and then reported as final`()
        async throws
    {
        let server = try await HTTPTestServer.start { _ in .bytes(Self.content) }
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let client = HTTPClient()
        let call = HTTPRequest(server.url).with { $0.rateLimit = Self.limit }
            .startDownload(to: path, in: client)
        var reports: [HTTPProgress] = []
        for await event in call.events {
            if case .progress(let progress) = event { reports.append(progress) }
        }
        _ = try await call.value
        #expect(TestFileSystem.contents(of: path) == Self.content)
        // A slow reader misses outdated reports.
        #expect(phases(reports).suffix(1) == [.verifying])
        #expect(reports.last?.isFinal == true && reports.last?.completed == Self.content.count)
        let order: [HTTPProgress.Phase] = [.queued, .connecting, .waiting, .receiving, .verifying]
        let places = phases(reports).compactMap { order.firstIndex(of: $0) }
        #expect(places == places.sorted(), "\(phases(reports))")
    }

    @Test func `each report of a continued download counts the bytes of the earlier call`()
        async throws
    {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"v1\"\r\n\r\n"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Length: 6\r\nETag: \"v1\"\r\n"
            + "Content-Range: bytes 4-9/10\r\n\r\nefghij"
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(head + "abcd"), .close],
            [.expectHead(lines: "Range: bytes=4-"), .pause(gate), .reply(rest)],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let client = HTTPClient()
        _ = await failure { try await client.download(origin.url, to: path, options: .resume) }
        let call = HTTPRequest(origin.url).startDownload(to: path, options: .resume, in: client)
        var reports: [HTTPProgress] = []
        for await progress in call.progress {
            reports.append(progress)
            // The first report precedes the response.
            gate.open()
        }
        _ = try await call.value
        #expect(reports.count > 1)
        #expect(reports.allSatisfy { $0.resumedOffset == 4 && $0.completed >= 4 }, "\(reports)")
        #expect(reports.allSatisfy { $0.total == 10 }, "\(reports)")
        #expect(reports.last?.completed == 10 && reports.last?.isFinal == true)
    }
}

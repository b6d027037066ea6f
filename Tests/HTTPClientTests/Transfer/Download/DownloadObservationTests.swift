import ClientSupport
import Glibc
import HTTPClient
import HTTPClientReports
import SocketTransport
import Support
import Testing

/// Tests that observers hear of the result of a download, and not only of its response.
@Suite(.timeLimit(.minutes(10))) struct DownloadObservationTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let gate = Gate()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    /// A reason for which a download fails after the head of its response.
    enum Failure: CaseIterable, Sendable {
        case wrongDigest
        case tooLarge
        case targetIsDirectory
        case lostBody
        case lostBodyAfterRetry
        case rejectedStatus
        case otherRange
    }

    private func script(_ failure: Failure) -> [OriginScript] {
        let whole = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 5\r\n\r\n"
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let cut: OriginScript = [.expectHead, .reply(whole + "he"), .close]
        return switch failure {
        case .wrongDigest: [[.expectHead, .reply(whole + "hello")]]
        case .targetIsDirectory: [[.expectHead, .pause(gate), .reply(whole + "hello")]]
        case .tooLarge: [[.expectHead, .reply(chunks + "5\r\nhello\r\n0\r\n\r\n")]]
        case .lostBody: [cut]
        case .lostBodyAfterRetry:
            [cut, [.expectHead, .reply("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")]]
        case .rejectedStatus:
            [[.expectHead, .reply("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")]]
        case .otherRange:
            [
                cut,
                [
                    .expectHead,
                    .reply("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 3-4/5\r\n"),
                    .reply("Content-Length: 2\r\n\r\nlo"),
                ],
            ]
        }
    }

    /// Returns the ends of calls that an event log has seen; nil stands for a success.
    private func ends(in log: HTTPEventLog) async -> [HTTPError.Kind?] {
        var ends: [HTTPError.Kind?] = []
        for await event in log {
            switch event.step {
            case .ended(.success), .streamed: ends.append(nil)
            case .ended(.failure(let error)): ends.append(error.kind)
            default: break
            }
        }
        return ends
    }

    @Test(arguments: [Failure.wrongDigest, .targetIsDirectory])
    func `a download in parts that fails has no other end`(reason: Failure) async throws {
        let path = path
        let server = try await RangeServer.start(TestContent.bytes(100)) { asked in
            if asked.number == 1, reason == .targetIsDirectory {
                TestFileSystem.makeDirectory(path)
            }
            return nil
        }
        let (log, counters) = (HTTPEventLog(), HTTPCounters())
        var configuration = HTTPClient.Configuration()
        configuration.observers = [log, counters]
        var options = HTTPDownloadOptions(segments: .upTo(2, minSize: 10))
        if reason == .wrongDigest { options.expectedDigest = try .sha256(of: [1]) }
        let call = HTTPClient(configuration).startDownload(server.url, to: path, options: options)
        let error = await failure { try await call.value }
        log.finish()
        let kind = try #require(error?.kind)
        #expect(await ends(in: log) == [kind])
        #expect(counters.snapshot.failures.values.reduce(0, +) == 1)
        #expect(server.asked.count > 2)
        for await event in call.events {
            if case .response = event { Issue.record("a failed download has no response") }
        }
    }

    @Test(arguments: Failure.allCases)
    func `a download that fails has no other end`(reason: Failure) async throws {
        let origin = try ScriptedOrigin(perConnection: script(reason))
        let (log, counters, archive) = (HTTPEventLog(), HTTPCounters(), HTTPArchiveRecorder())
        var configuration = HTTPClient.Configuration()
        configuration.observers = [log, counters, archive]
        configuration.retries.budget = nil
        switch reason {
        case .lostBodyAfterRetry, .otherRange: configuration.retries = .standard(maxRetries: 1)
        default: break
        }
        let clock = PolicyClock {
            Deadline.now()
        } secondsSince1970: {
            0
        } pause: { _ in
        }
        let client = HTTPClient(configuration, clock: clock, seed: 1)
        var options = HTTPDownloadOptions()
        switch reason {
        case .wrongDigest: options.expectedDigest = try .sha256(of: Array("other".utf8))
        case .tooLarge: options.maxSize = 3
        default: break
        }
        let call = client.startDownload(origin.url, to: path, options: options)
        if reason == .targetIsDirectory {
            await gate.arrival()
            #expect(unsafe mkdir(path, 0o700) == 0)
            gate.open()
        }
        let error = await failure { try await call.value }
        log.finish()
        let kind = try #require(error?.kind)
        #expect(await ends(in: log) == [kind])
        let counts = counters.snapshot
        #expect(counts.calls == 1 && counts.activeCalls == 0)
        #expect(counts.failures.values.reduce(0, +) == 1 && counts.statuses == [:])
        #expect(archive.archive["log"]["entries"].array?.isEmpty == false)
        for await event in call.events {
            if case .response = event { Issue.record("a failed download has no response") }
        }
    }
}

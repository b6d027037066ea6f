#if DEBUG
import ClientSupport
import HTTPClient
import SocketTransport
import Testing

/// Tests what a call reports, and when, in simulated time.
@Suite(.timeLimit(.minutes(10))) struct ProgressReporterTests {
    /// The parts of a report that a test compares, and the time in milliseconds.
    private struct Report: Sendable, Hashable, CustomStringConvertible {
        let time: Int64
        let direction: HTTPProgress.Direction
        let phase: HTTPProgress.Phase
        let completed: Int
        let speed: Int
        let isStalled: Bool
        let isFinal: Bool

        init(_ progress: HTTPProgress) {
            time = Self.milliseconds(progress)
            direction = progress.direction
            phase = progress.phase
            completed = progress.completed
            speed = progress.bytesPerSecond
            isStalled = progress.isStalled
            isFinal = progress.isFinal
        }

        init(
            _ time: Int64,
            _ direction: HTTPProgress.Direction,
            _ phase: HTTPProgress.Phase,
            _ completed: Int,
            _ speed: Int,
            isStalled: Bool = false,
            isFinal: Bool = false
        ) {
            self.time = time
            self.direction = direction
            self.phase = phase
            self.completed = completed
            self.speed = speed
            self.isStalled = isStalled
            self.isFinal = isFinal
        }

        private static func milliseconds(_ progress: HTTPProgress) -> Int64 {
            let (seconds, attoseconds) = progress.elapsed.components
            return seconds * 1000 + attoseconds / 1_000_000_000_000_000
        }

        var description: String {
            "(\(time), \(direction), \(phase), \(completed), \(speed)"
                + (isStalled ? ", stalled" : "") + (isFinal ? ", final" : "") + ")"
        }
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    /// Serves 40 000 bytes: 10 000 after each second, with a pause of 7 seconds before the third.
    @Sendable private func serveWithStall(_ stream: HTTPDialRequest.PeerStream) async throws {
        try await stream.readHead()
        try await stream.wait(for: .seconds(1))
        try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n")
        for pause in [1, 1, 7, 1] {
            try await stream.wait(for: .seconds(pause))
            try await stream.write([UInt8](repeating: 7, count: 10_000))
        }
    }

    private let stalledDownload = [
        Report(0, .download, .connecting, 0, 0),
        Report(0, .download, .waiting, 0, 0),
        Report(1000, .download, .receiving, 0, 0),
        Report(2000, .download, .receiving, 10_000, 10_000),
        Report(3000, .download, .receiving, 20_000, 10_000),
        Report(6000, .download, .receiving, 20_000, 0, isStalled: true),
        // 10 000 bytes in the window of 5 s and its tolerance of 250 ms.
        Report(10_000, .download, .receiving, 30_000, 1904),
        Report(11_000, .download, .receiving, 40_000, 3809, isFinal: true),
    ]

    @Test func `a download reports phases, speed and a stall when they happen`() async {
        let reports = await SimulatedTransfer.run(serve: serveWithStall) { client in
            let log = SharedLog<HTTPProgress>()
            let call = client.start("http://a/").onProgress { log.add($0) }
            _ = try await call.value
            return log.entries
        }
        let found = (reports ?? []).map(Report.init)
        #expect(found == stalledDownload, "\(found)")
        #expect(
            reports?.map(\.timeLeft) == [
                nil, nil, nil, .seconds(3), .seconds(2), nil,
                TransferMeter.time(for: 10_000, at: 1904), .zero,
            ]
        )
    }

    @Test func `the closure of a request gets the progress of every function that sends it`()
        async
    {
        for way in ["send", "stream", "start"] {
            let reports = await SimulatedTransfer.run(serve: serveWithStall) { client in
                let log = SharedLog<HTTPProgress>()
                let request = HTTPRequest("http://a/").onProgress { log.add($0) }
                switch way {
                case "send": _ = try await client.send(request)
                case "start": _ = try await client.start(request).value
                default:
                    let response = try await client.stream(request)
                    _ = try await response.body.collect()
                    // Nothing waits for the closure here.
                    while log.entries.last?.isFinal != true { await Task.yield() }
                }
                return log.entries
            }
            let found = (reports ?? []).map(Report.init)
            #expect(found == stalledDownload, "\(way): \(found)")
        }
    }

    @Test func `a sequence of progress ends with the last of each direction`() async {
        let reports = await SimulatedTransfer.run(serve: serveWithStall) { client in
            var reports: [HTTPProgress] = []
            for await progress in client.start("http://a/").progress { reports.append(progress) }
            return reports
        }
        let found = (reports ?? []).map(Report.init)
        #expect(found == stalledDownload, "\(found)")
    }

    @Test func `an upload reports its bytes as the peer reads them`() async {
        let reports = await SimulatedTransfer.run { stream in
            var received = try await stream.readHead().count
            while received < 4 << 20 {
                try await stream.stop(for: .milliseconds(100))
                received += try await stream.read().count
            }
            try await stream.wait(for: .seconds(5))
            try await stream.write("HTTP/1.1 204 No Content\r\n\r\n")
        } _: { client in
            let log = SharedLog<HTTPProgress>()
            let request = HTTPRequest("http://a/", method: .put)
                .body(.bytes([UInt8](repeating: 1, count: 4 << 20)))
            _ = try await client.start(request).onProgress { log.add($0) }.value
            return log.entries
        }
        let uploads = (reports ?? []).filter { $0.direction == .upload }
        #expect(uploads.first?.completed ?? 0 >= 0)
        #expect(uploads.contains { $0.phase == .sending && $0.completed > 0 && !$0.isFinal })
        #expect(uploads.map(\.completed) == uploads.map(\.completed).sorted())
        let waiting = uploads.first { $0.phase == .waiting }
        #expect(waiting?.completed == 4 << 20)
        // While the client waits for the response, the upload is not stalled.
        #expect(!uploads.contains { $0.phase == .waiting && $0.isStalled })
        #expect(uploads.count { $0.isFinal } == 1 && uploads.last?.isFinal == true)
        #expect(reports?.last?.direction == .download)
    }

    @Test func `an observer that replaces a removed one gets the newest progress, then the rest`()
        async
    {
        let reports = await SimulatedTransfer.run(serve: serveWithStall) { client in
            let first = SharedLog<HTTPProgress>()
            let second = SharedLog<HTTPProgress>()
            let token = HTTPObserverToken()
            let call = client.start("http://a/").onProgress(as: token) { first.add($0) }
            try await SimulatedTransfer.sleep(.milliseconds(2500), in: client)
            call.removeObservers(token)
            try await SimulatedTransfer.sleep(.milliseconds(1000), in: client)
            call.onProgress { second.add($0) }
            _ = try await call.value
            return (first.entries, second.entries)
        }
        #expect((reports?.0 ?? []).map(Report.init) == Array(stalledDownload[..<4]))
        #expect((reports?.1 ?? []).map(Report.init) == Array(stalledDownload[4...]))
    }

    @Test func `an observer that is added late gets the state at once, and a stall in time`()
        async
    {
        let reports = await SimulatedTransfer.run(serve: serveWithStall) { client in
            let log = SharedLog<HTTPProgress>()
            let call = client.start("http://a/")
            try await SimulatedTransfer.sleep(.milliseconds(2500), in: client)
            call.onProgress { log.add($0) }
            _ = try await call.value
            return log.entries
        }
        let found = (reports ?? []).map(Report.init)
        let expected = [
            Report(2500, .download, .receiving, 10_000, 0),
            Report(3500, .download, .receiving, 20_000, 10_000),
            Report(6000, .download, .receiving, 20_000, 0, isStalled: true),
            Report(10_000, .download, .receiving, 30_000, 1904),
            Report(11_000, .download, .receiving, 40_000, 3809, isFinal: true),
        ]
        #expect(found == expected, "\(found)")
    }
}
#endif

#if DEBUG
import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests pauses of started calls in simulated time.
@Suite(.timeLimit(.minutes(10))) struct PauseTests {
    private typealias Serve = SimulatedTransfer.Serve

    /// Serves 1000 bytes each second, a hundred times.
    private static let serveSlowly: Serve = { stream in
        try await stream.readHead()
        try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in 0..<100 {
            try await stream.wait(for: .seconds(1))
            try await stream.write([UInt8](repeating: 7, count: 1000))
        }
    }

    @Test func `a pause of a download outlasts idle timeouts, and the call completes later`() async
    {
        let found = await SimulatedTransfer.run(serve: Self.serveSlowly) { client in
            let request = HTTPRequest("http://a/").timeouts {
                $0.readIdle = .seconds(2)
                $0.minimumThroughput = HTTPTimeouts.Throughput(
                    bytesPerSecond: 500,
                    over: .seconds(5)
                )
            }
            let call = client.start(request)
            try await SimulatedTransfer.sleep(.milliseconds(10_500), in: client)
            call.pause()
            let isPaused = call.isPaused
            try await SimulatedTransfer.sleep(.seconds(500), in: client)
            let state = call.state
            call.resume()
            let count = try await call.value.body.count
            return (isPaused, state, count, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == true && found?.1 == .running)
        // All bytes had arrived before the end of the pause.
        #expect(found?.2 == 100_000 && found?.3 == 510_500, "\(String(describing: found))")
    }

    @Test func `a pause stops the server, because the client reads no more`() async {
        let written = SharedLog<Int>()
        let serve: Serve = { stream in
            try await stream.readHead()
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n")
            for _ in 0..<1600 {
                try await stream.write([UInt8](repeating: 7, count: 65_536))
                written.add(65_536)
            }
        }
        let found = await SimulatedTransfer.run { configuration in
            configuration.collectLimit = 200 << 20
        } serve: {
            try await serve($0)
        } _: { client in
            let call = client.start("http://a/")
            call.pause()
            try await SimulatedTransfer.sleep(.seconds(1), in: client)
            let before = written.entries.count
            try await SimulatedTransfer.sleep(.seconds(100), in: client)
            let after = written.entries.count
            call.resume()
            return (before, after, try await call.value.body.count)
        }
        // The buffers of the sockets and the first read.
        #expect((found?.0 ?? 1600) * 65_536 < 2 << 20, "\(String(describing: found))")
        #expect(found?.0 == found?.1)
        #expect(found?.2 == 100 << 20)
    }

    @Test func `a paused call is not complete, even if all bytes have arrived`() async {
        let serve: Serve = { stream in
            try await stream.readHead()
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let call = client.start("http://a/")
            call.pause()
            try await SimulatedTransfer.sleep(.seconds(100), in: client)
            let state = call.state
            call.resume()
            return (state, try await call.value.text, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == .running && found?.1 == "hello" && found?.2 == 100_000)
    }

    @Test func `a paused call can be canceled, and its total timeout continues`() async {
        let found = await SimulatedTransfer.run(serve: Self.serveSlowly) { client in
            let call = client.start("http://a/")
            try await SimulatedTransfer.sleep(.seconds(5), in: client)
            call.pause()
            try await SimulatedTransfer.sleep(.seconds(5), in: client)
            call.cancel()
            let cancelled = await failure { try await call.value }
            let time = SimulatedTransfer.milliseconds
            let late = client.start(HTTPRequest("http://a/").timeout(.milliseconds(2345)))
            late.pause()
            let timedOut = await failure { try await late.value }
            return (cancelled?.kind, time, timedOut?.kind, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == .cancelled && found?.1 == 10_000)
        #expect(found?.2 == .timedOut(.total) && found?.3 == 12_345)
    }

    @Test func `a call that is over is not paused, and cannot be`() async {
        let found = await SimulatedTransfer.run(serve: Self.serveSlowly) { client in
            let call = client.start("http://a/")
            try await SimulatedTransfer.sleep(.seconds(5), in: client)
            call.pause()
            let before = call.isPaused
            call.cancel()
            _ = await call.result
            let after = call.isPaused
            call.pause()
            call.resume()
            return (before, after, call.isPaused)
        }
        #expect(found?.0 == true && found?.1 == false && found?.2 == false)
    }

    @Test func `a pause outlasts the call of a streamed response, and ends with its body`() async {
        let found = await SimulatedTransfer.run(serve: Self.serveSlowly) { client in
            let call = client.startStream(HTTPRequest("http://a/"))
            call.pause()
            let response = try await call.value
            let before = call.isPaused
            response.cancel()
            _ = await failure { try await response.body.collect() }
            return (before, call.isPaused)
        }
        #expect(found?.0 == true && found?.1 == false)
    }

    @Test(arguments: UploadForm.allCases)
    func `a pause of an upload outlasts idle timeouts`(form: UploadForm) async throws {
        let directory = try TemporaryDirectory()
        let size = 4 << 20
        let received = SharedLog<Int>()
        let serve: Serve = { stream in
            received.add(try await stream.readHead().count)
            while received.entries.reduce(0, +) < size {
                try await stream.stop(for: .milliseconds(100))
                received.add(try await stream.read().count)
            }
            try await stream.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let body = try form.body([UInt8](repeating: 1, count: size), in: directory)
            let request = HTTPRequest("http://a/", method: .put, body: body).timeouts {
                $0.writeIdle = .seconds(2)
            }
            let call = client.start(request)
            try await SimulatedTransfer.sleep(.milliseconds(250), in: client)
            call.pause()
            try await SimulatedTransfer.sleep(.seconds(20), in: client)
            let before = received.entries.reduce(0, +)
            try await SimulatedTransfer.sleep(.seconds(100), in: client)
            let after = received.entries.reduce(0, +)
            call.resume()
            return (before, after, try await call.value.status)
        }
        #expect(found?.0 == found?.1 && found?.0 ?? size < size, "\(String(describing: found))")
        #expect(found?.2 == .noContent)
        #expect(received.entries.reduce(0, +) == size)
    }

    @Test func `progress reports the pause, no stall, and the speed since its end`() async {
        let reports = await SimulatedTransfer.run(serve: Self.serveSlowly) { client in
            let log = SharedLog<(Int64, HTTPProgress)>()
            let call = client.start("http://a/").onProgress {
                log.add((SimulatedTransfer.milliseconds, $0))
            }
            try await SimulatedTransfer.sleep(.milliseconds(10_500), in: client)
            call.pause()
            try await SimulatedTransfer.sleep(.seconds(10), in: client)
            call.resume()
            _ = try await call.value
            return log.entries
        }
        let all = reports ?? []
        let paused = all.filter { $0.1.isPaused }
        #expect(paused.map(\.0) == [10_500], "\(paused)")
        #expect(paused.first?.1.bytesPerSecond == 0 && paused.first?.1.completed == 10_000)
        let resumed = all.first { $0.0 == 20_500 && !$0.1.isPaused }
        #expect(resumed?.1.bytesPerSecond == 0)
        #expect(!all.contains { $0.1.isStalled })
        #expect(all.last?.1.isFinal == true && all.last?.1.bytesPerSecond == 1000)
    }
}
#endif

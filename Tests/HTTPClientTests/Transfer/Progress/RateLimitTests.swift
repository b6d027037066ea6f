#if DEBUG
import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests rate limits in simulated time, where a transfer takes exactly as long as its limit says.
@Suite(.timeLimit(.minutes(10))) struct RateLimitTests {
    private typealias Serve = SimulatedTransfer.Serve

    /// Serves a body of this many bytes as fast as the client reads.
    private static func serving(_ count: Int, chunked: Bool = false) -> Serve {
        { stream in
            try await stream.readHead()
            let size = String(count, radix: 16)
            try await stream.write(
                chunked
                    ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n"
                    : "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"
            )
            let piece = [UInt8](repeating: 7, count: min(count, 64 << 10))
            var left = count
            while left > 0 {
                let part = min(left, piece.count)
                try await stream.write(part == piece.count ? piece : Array(piece[..<part]))
                left -= part
            }
            if chunked { try await stream.write("\r\n0\r\n\r\n") }
        }
    }

    /// Reads a body of this many bytes, as fast as they arrive, and responds.
    private static func reading(_ count: Int) -> Serve {
        { stream in
            var received = try await stream.readHead().count
            while received < count { received += try await stream.read().count }
            try await stream.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
    }

    private static let limit = HTTPRateLimit(upload: 100_000, download: 100_000)

    @Test(arguments: [false, true])
    func `a download takes as long as its limit says`(isChunked: Bool) async {
        let found = await SimulatedTransfer.run(serve: Self.serving(1_000_000, chunked: isChunked))
        {
            client in
            let request = HTTPRequest("http://a/").with { $0.rateLimit = Self.limit }
            let count = try await client.send(request).body.count
            return (count, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == 1_000_000)
        // 10 s without the burst of 20 ms at the beginning; the head and the chunk lines count.
        #expect((9980...10_000).contains(found?.1 ?? 0), "\(String(describing: found))")
    }

    @Test(arguments: UploadForm.allCases)
    func `an upload takes as long as its limit says`(form: UploadForm) async throws {
        let directory = try TemporaryDirectory()
        let found = await SimulatedTransfer.run(serve: Self.reading(1_000_000)) { client in
            let body = try form.body([UInt8](repeating: 1, count: 1_000_000), in: directory)
            let request = HTTPRequest("http://a/", method: .put, body: body).with {
                $0.rateLimit = Self.limit
            }
            _ = try await client.send(request)
            return SimulatedTransfer.milliseconds
        }
        #expect((9980...10_000).contains(found ?? 0), "\(String(describing: found))")
    }

    @Test func `the bytes of each moment are within the limit`() async {
        let reports = await SimulatedTransfer.run(serve: Self.serving(500_000)) { client in
            let log = SharedLog<(time: Int64, bytes: Int)>()
            let request = HTTPRequest("http://a/").with { $0.rateLimit = Self.limit }
            var count = 0
            for try await piece in try await client.stream(request).body {
                count += piece.count
                log.add((SimulatedTransfer.milliseconds, count))
            }
            return log.entries
        }
        #expect(reports?.last?.bytes == 500_000)
        for report in reports ?? [] {
            // The first read, which also reads the head, takes what its buffer can hold.
            #expect(report.bytes <= Int(report.time + 20) * 100 + 9000, "\(report)")
            #expect(report.bytes >= Int(report.time - 20) * 100, "\(report)")
        }
    }

    @Test(arguments: [(50_000, 100_000), (100_000, 50_000)])
    func `the slower of two limits decides`(ofRequest: Int, ofClient: Int) async {
        let time = await SimulatedTransfer.run { configuration in
            configuration.rateLimit = HTTPRateLimit(download: ofClient)
        } serve: {
            try await Self.serving(500_000)($0)
        } _: { client in
            let request = HTTPRequest("http://a/").with {
                $0.rateLimit = HTTPRateLimit(download: ofRequest)
            }
            _ = try await client.send(request)
            return SimulatedTransfer.milliseconds
        }
        #expect((9980...10_020).contains(time ?? 0), "\(String(describing: time))")
    }

    @Test func `transfers of a client share its limit equally, also those of derived clients`()
        async
    {
        let counts = await SimulatedTransfer.run { configuration in
            configuration.rateLimit = HTTPRateLimit(download: 1_000_000)
            configuration.maxConnectionsPerOrigin = 200
        } serve: {
            try await Self.serving(100 << 20)($0)
        } _: { client in
            let derived = client.with { $0.collectLimit = 5 }
            let counts = SharedLog<Int>()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let sender = number.isMultiple(of: 2) ? client : derived
                        var count = 0
                        guard let response = try? await sender.stream("http://a/") else { return }
                        var body = response.body.makeAsyncIterator()
                        while SimulatedTransfer.milliseconds < 60_000,
                            let piece = try? await body.next()
                        {
                            count += piece.count
                        }
                        counts.add(count)
                    }
                }
            }
            return counts.entries
        }
        let sum = (counts ?? []).reduce(0, +)
        #expect(counts?.count == 100)
        #expect((59_000_000...62_000_000).contains(sum), "\(sum)")
        for count in counts ?? [] {
            #expect(abs(count * 100 - sum) <= sum / 10, "\(count) of \(sum)")
        }
    }

    @Test func `simultaneous downloads without a limit get equal shares within ten percent`() async
    {
        let counts = await SimulatedTransfer.run { configuration in
            configuration.maxConnectionsPerOrigin = 200
        } serve: {
            try await Self.serving(1 << 30)($0)
        } _: { client in
            let total = SharedLog<Int>()
            let counts = SharedLog<Int>()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        var count = 0
                        guard let response = try? await client.stream("http://a/") else { return }
                        var body = response.body.makeAsyncIterator()
                        // Until all have received 200 MiB together.
                        while total.entries.count < 3200, let piece = try? await body.next() {
                            count += piece.count
                            for _ in 0..<piece.count / (64 << 10) { total.add(0) }
                        }
                        counts.add(count)
                    }
                }
            }
            return counts.entries
        }
        let sum = (counts ?? []).reduce(0, +)
        #expect(counts?.count == 100)
        for count in counts ?? [] {
            #expect(abs(count * 100 - sum) <= sum / 10, "\(count) of \(sum)")
        }
    }

    @Test func `records are read as fast as the limit says`() async {
        let found = await SimulatedTransfer.run { stream in
            try await stream.readHead()
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            let lines = [UInt8](repeating: 0x61, count: 9) + [0x0A]
            for _ in 0..<10_000 { try await stream.write(lines) }
        } _: { client in
            let request = HTTPRequest("http://a/").with {
                $0.rateLimit = HTTPRateLimit(download: 10_000)
            }
            var count = 0
            for try await line in try await client.stream(request).lines() {
                count += line.utf8.count
            }
            return (count, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == 90_000)
        #expect((9980...10_020).contains(found?.1 ?? 0), "\(String(describing: found))")
    }

    @Test(arguments: [HTTPRateLimit(upload: 0), HTTPRateLimit(download: -7)])
    func `a limit below one byte per second is rejected, and nothing is sent`(
        limit: HTTPRateLimit
    ) async {
        let rate = limit.upload ?? limit.download ?? 1
        let dialed = SharedLog<Int>()
        let kinds = await SimulatedTransfer.run { configuration in
            configuration.rateLimit = HTTPRateLimit(upload: 1)
        } serve: { _ in
            dialed.add(1)
        } _: { client in
            let request = HTTPRequest("http://a/").with { $0.rateLimit = limit }
            return await failure { try await client.send(request) }?.kind
        }
        #expect(kinds == .invalidRequest(.rateLimit(rate)))
        let kind = await SimulatedTransfer.run { configuration in
            configuration.rateLimit = limit
        } serve: { _ in
            dialed.add(1)
        } _: { client in
            await failure { try await client.send("http://a/") }?.kind
        }
        #expect(kind == .invalidRequest(.rateLimit(rate)))
        #expect(dialed.entries.isEmpty)
    }

    @Test func `a limit does not let timeouts of idle or slow peers expire`() async {
        let found = await SimulatedTransfer.run(serve: Self.serving(100_000)) { client in
            let request = HTTPRequest("http://a/").with {
                $0.rateLimit = HTTPRateLimit(download: 1000)
            }
            .timeouts {
                $0.readIdle = .milliseconds(500)
                $0.minimumThroughput = HTTPTimeouts.Throughput(
                    bytesPerSecond: 10_000,
                    over: .seconds(2)
                )
            }
            let count = try await client.send(request).body.count
            return (count, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == 100_000)
        #expect((99_980...100_070).contains(found?.1 ?? 0), "\(String(describing: found))")
    }

    @Test func `a peer that is slower than the minimum is still detected`() async {
        let serve: Serve = { stream in
            try await stream.readHead()
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            for _ in 0..<100 {
                try await stream.wait(for: .seconds(1))
                try await stream.write([UInt8](repeating: 7, count: 1000))
            }
        }
        let phase = await SimulatedTransfer.run(serve: serve) { client in
            let request = HTTPRequest("http://a/").with {
                $0.rateLimit = HTTPRateLimit(download: 50_000)
            }
            .timeouts {
                $0.minimumThroughput = HTTPTimeouts.Throughput(
                    bytesPerSecond: 10_000,
                    over: .seconds(2)
                )
            }
            return await failure { try await client.send(request) }?.kind
        }
        #expect(phase == .timedOut(.throughput))
    }

    @Test func `the total timeout and a cancellation end a limited transfer on time`() async {
        let found = await SimulatedTransfer.run(serve: Self.serving(1_000_000)) { client in
            let request = HTTPRequest("http://a/").with {
                $0.rateLimit = HTTPRateLimit(download: 10)
            }
            let late = await failure { try await client.send(request.timeout(.milliseconds(2345))) }
            let time = SimulatedTransfer.milliseconds
            let call = client.start(request)
            for await event in call.events {
                if case .head = event { break }
            }
            call.cancel()
            let cancelled = await failure { try await call.value }
            return (late?.kind, time, cancelled?.kind, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == .timedOut(.total) && found?.1 == 2345)
        #expect(found?.2 == .cancelled && found?.3 == 2345)
    }

    @Test func `a response that arrives early ends a limited upload`() async {
        let serve: Serve = { stream in
            try await stream.readHead()
            try await stream.wait(for: .seconds(3))
            try await stream.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let body = HTTPBody.bytes([UInt8](repeating: 1, count: 1_000_000))
            let request = HTTPRequest("http://a/", method: .put, body: body)
                .with { $0.rateLimit = HTTPRateLimit(upload: 1000) }
            return (try await client.send(request).status, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == .contentTooLarge && found?.1 == 3000)
    }

    @Test func `a server that responds while it reads gets the limited rest of the upload`() async {
        let serve: Serve = { stream in
            var received = try await stream.readHead().count
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            while received < 100_000 { received += try await stream.read().count }
            try await stream.write("hello")
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let body = HTTPBody.bytes([UInt8](repeating: 1, count: 100_000))
            let request = HTTPRequest("http://a/", method: .put, body: body)
                .with { $0.rateLimit = HTTPRateLimit(upload: 10_000) }
                // The client is the reason why the server has nothing to send.
                .timeouts {
                    $0.readIdle = .milliseconds(500)
                    $0.minimumThroughput = HTTPTimeouts.Throughput(
                        bytesPerSecond: 20_000,
                        over: .seconds(2)
                    )
                }
            return (try await client.send(request).text, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == "hello")
        #expect((9980...10_000).contains(found?.1 ?? 0), "\(String(describing: found))")
    }

    @Test(arguments: 0..<20)
    func `a pause of the limited rest of an upload outlasts idle timeouts`(
        milliseconds: Int
    ) async {
        let serve: Serve = { stream in
            var received = try await stream.readHead().count
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            while received < 10_000 { received += try await stream.read().count }
            try await stream.write("hello")
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let body = HTTPBody.bytes([UInt8](repeating: 1, count: 10_000))
            let request = HTTPRequest("http://a/", method: .put, body: body)
                .with { $0.rateLimit = HTTPRateLimit(upload: 10_000) }
                .timeouts {
                    $0.readIdle = .milliseconds(100)
                    $0.minimumThroughput = HTTPTimeouts.Throughput(
                        bytesPerSecond: 1,
                        over: .seconds(1)
                    )
                }
            let call = client.start(request)
            // Some of these times are those of an allowance.
            try await SimulatedTransfer.sleep(.milliseconds(100 + milliseconds), in: client)
            call.pause()
            try await SimulatedTransfer.sleep(.seconds(5), in: client)
            call.resume()
            return (try await call.value.text, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == "hello")
        #expect((5900...6100).contains(found?.1 ?? 0), "\(String(describing: found))")
    }

    // MARK: - The idle time of uploads

    @Test func `the idle time of an upload does not count the time of a slow reader`() async {
        let size = 8 << 20
        let serve: Serve = { stream in
            // The buffers of the connection are full, and stay so.
            try await stream.stop(for: .milliseconds(1))
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            try await stream.stop(for: .milliseconds(2500))
            var received = try await stream.readHead().count
            while received < size { received += try await stream.read().count }
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let body = HTTPBody.bytes([UInt8](repeating: 1, count: size))
            let request = HTTPRequest("http://a/", method: .put, body: body)
                .timeouts { $0.writeIdle = .seconds(1) }
            let response = try await client.stream(request)
            try await SimulatedTransfer.sleep(.seconds(2), in: client)
            return try await response.body.collect()
        }
        #expect(found == Array("hello".utf8))
    }
}
#endif

#if DEBUG
import ClientSupport
import HTTPClient
import SocketTransport
import Testing

/// Tests, in simulated time, that the limits on a slow peer do not apply to a slow caller.
@Suite(.timeLimit(.minutes(10))) struct SlowCallerTests {
    @Test func `a slow reader is not limited by minimumThroughput`() async {
        let size = 400_000
        let serve: SimulatedTransfer.Serve = { stream in
            try await stream.readHead()
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try await stream.write([UInt8](repeating: 120, count: size))
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let request = HTTPRequest("http://a/").timeouts {
                $0.minimumThroughput = HTTPTimeouts.Throughput(bytes: 1, in: .milliseconds(1500))
            }
            var bytes = 0
            for try await chunk in try await client.stream(request).body {
                if bytes == 0 { try await SimulatedTransfer.sleep(.seconds(2), in: client) }
                bytes += chunk.count
            }
            return (bytes, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == size)
        #expect(found?.1 == 2000)
    }

    @Test func `a slow producer is not limited by writeIdle or minimumThroughput`() async {
        let serve: SimulatedTransfer.Serve = { stream in
            var received = try await stream.readHead()
            while !received.suffix(5).elementsEqual("0\r\n\r\n".utf8) {
                received += try await stream.read()
            }
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
        let found = await SimulatedTransfer.run(serve: serve) { client in
            let body = HTTPBody.stream {
                try await SimulatedTransfer.sleep(.milliseconds(1800), in: client)
                return WatchedPieces([1], 1)
            }
            let request = HTTPRequest("http://a/", method: .put, body: body).timeouts {
                $0.writeIdle = .milliseconds(800)
                $0.minimumThroughput = HTTPTimeouts.Throughput(bytes: 1, in: .milliseconds(800))
            }
            return (try await client.send(request).text, SimulatedTransfer.milliseconds)
        }
        #expect(found?.0 == "hello")
        #expect(found?.1 == 1800)
    }
}
#endif

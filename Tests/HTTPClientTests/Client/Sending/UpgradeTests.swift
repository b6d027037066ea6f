import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests upgraded connections, and tunnels for the caller's own protocol.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
    private struct Declined: Error {}

    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"

    private func upgraded(
        _ origin: ScriptedOrigin,
        in client: HTTPClient = HTTPClient()
    ) async throws -> HTTPDuplexStream {
        guard
            case .upgraded(let stream) = try await client.upgrade(
                HTTPRequest(origin.url),
                to: "echo"
            )
        else { throw Declined() }
        return stream
    }

    @Test func `an upgraded connection carries bytes in both directions, early bytes first`()
        async throws
    {
        let origin = try ScriptedOrigin([
            .expectHead(lines: "Upgrade: echo", "Connection: upgrade"),
            .reply(Self.switching + "early"), .expect("hello"), .reply("world"), .closeWrite,
            .expect("bye"), .close,
        ])
        let stream = try await upgraded(origin)
        #expect(stream.head?.headers[.upgrade] == "echo")
        #expect(stream.metrics.remotePort == origin.port)
        var first: [UInt8] = []
        while first.count < 5 { first += try await stream.read(upTo: 2) }
        #expect(first == Array("early".utf8))
        try await stream.write(Array("hello".utf8))
        #expect(try await stream.read() == Array("world".utf8))
        #expect(try await stream.read().isEmpty)
        #expect(try await stream.read().isEmpty)
        try await stream.write(Array("bye".utf8))
        stream.endWriting()
        #expect(origin.failures == [])
    }

    @Test func `an upgraded stream is an async sequence`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .reply("abc"), .closeWrite,
        ])
        var seen: [UInt8] = []
        for try await bytes in try await upgraded(origin) { seen += bytes }
        #expect(seen == Array("abc".utf8))
    }

    @Test func `reading and writing can wait at the same time`() async throws {
        let block = [UInt8](repeating: 7, count: 8 << 20)
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .pause(gate), .expect(count: block.count),
            .reply("done"),
        ])
        let stream = try await upgraded(origin)
        let reader = Task { try await stream.read() }
        let writer = Task { try await stream.write(block) }
        await gate.arrival()
        gate.open()
        try await writer.value
        #expect(try await reader.value == Array("done".utf8))
        #expect(origin.failures == [])
    }

    @Test func `a second simultaneous read throws`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .pause(gate), .reply("x"),
        ])
        let stream = try await upgraded(origin)
        let kinds = await withTaskGroup(of: HTTPError.Kind?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do throws(HTTPError) {
                        _ = try await stream.read()
                        return nil
                    } catch {
                        return error.kind
                    }
                }
            }
            var kinds: [HTTPError.Kind?] = []
            for await kind in group {
                // The other read waits until the peer sends.
                gate.open()
                kinds.append(kind)
            }
            return kinds
        }
        #expect(kinds == [.invalidRequest(.overlappingRead), nil])
    }

    @Test func `a second simultaneous write throws and sends none of its bytes`() async throws {
        // More than the socket buffers can hold, so the first write waits until the gate opens.
        let block = [UInt8](repeating: 7, count: 8 << 20)
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .pause(gate), .expect(count: block.count),
            .expect("z"), .reply("done"),
        ])
        let stream = try await upgraded(origin)
        let kinds = await withTaskGroup(of: HTTPError.Kind?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do throws(HTTPError) {
                        try await stream.write(block)
                        return nil
                    } catch {
                        return error.kind
                    }
                }
            }
            var kinds: [HTTPError.Kind?] = []
            for await kind in group {
                gate.open()
                kinds.append(kind)
            }
            return kinds
        }
        #expect(kinds == [.invalidRequest(.overlappingWrite), nil])
        // The rejected write did not harm the stream.
        try await stream.write([UInt8(ascii: "z")])
        #expect(try await stream.read() == Array("done".utf8))
        #expect(origin.failures == [])
    }

    @Test func `bytes for the reader do not prolong writeIdle`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .replyEvery(milliseconds: 5, [1]),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.writeIdle = .milliseconds(300)
        let stream = try await upgraded(origin, in: HTTPClient(configuration))
        let reader = Task {
            while let bytes = try? await stream.read(), !bytes.isEmpty {}
        }
        // The origin reads nothing, and this is more than the socket buffers can hold.
        let error = await failure {
            try await stream.write([UInt8](repeating: 7, count: 8 << 20))
        }
        #expect(error?.kind == .timedOut(.upgraded))
        stream.close()
        await reader.value
    }

    @Test func `a read that timed out can be repeated`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .pause(gate), .reply("late"),
        ])
        let stream = try await upgraded(origin)
        let error = await failure { try await stream.read(timeout: .milliseconds(20)) }
        #expect(error?.kind == .timedOut(.upgraded))
        gate.open()
        #expect(try await stream.read(timeout: .seconds(30)) == Array("late".utf8))
    }

    @Test func `a write to a peer that does not read is limited by writeIdle`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.switching), .pause(gate)])
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.writeIdle = .milliseconds(50)
        let stream = try await upgraded(origin, in: HTTPClient(configuration))
        let error = await failure {
            try await stream.write([UInt8](repeating: 1, count: 64 << 20))
        }
        #expect(error?.kind == .timedOut(.upgraded))
        gate.open()
    }

    @Test func `closing, canceling and dropping the stream close the connection`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.switching)])
        let closed = try await upgraded(origin)
        let waiting = Task { await failure { try await closed.read() } }
        closed.close()
        #expect(await waiting.value?.kind == .cancelled)
        let late = await failure { try await closed.write([1]) }
        #expect(late?.kind == .cancelled)
        let cancelled = try await upgraded(origin)
        let task = Task { await failure { try await cancelled.read() } }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        _ = try await upgraded(origin)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `an upgraded stream outlives its client and leaves the pool`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .expect("x"), .reply("y"),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        var streams: [HTTPDuplexStream] = []
        do {
            let client = HTTPClient(configuration)
            for _ in 0..<3 { streams.append(try await upgraded(origin, in: client)) }
        }
        for stream in streams {
            try await stream.write([UInt8(ascii: "x")])
            #expect(try await stream.read() == [UInt8(ascii: "y")])
        }
        #expect(origin.failures == [])
    }

    @Test func `a server can decline an upgrade`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"))
        let client = HTTPClient()
        for _ in 0..<2 {
            guard
                case .declined(let response) = try await client.upgrade(
                    HTTPRequest(origin.url),
                    to: "echo"
                )
            else {
                Issue.record("the protocol was switched")
                return
            }
            #expect(try await response.body.collect() == Array("no".utf8))
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `a switch to a protocol that was not offered is rejected`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n"),
        ])
        let error = await failure {
            try await HTTPClient().upgrade(HTTPRequest(origin.url), to: "echo")
        }
        #expect(error?.kind == .malformedResponse(.unofferedUpgrade))
    }

    @Test func `an upgrade through an HTTP proxy uses a CONNECT tunnel`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.switching), .expect("x"), .reply("y"),
        ])
        let proxy = try ScriptedOrigin([
            .expectHead(lines: "CONNECT \(origin.authority) HTTP/1.1"),
            .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: origin.port),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .url(proxy.url)
        let stream = try await upgraded(origin, in: HTTPClient(configuration))
        try await stream.write([UInt8(ascii: "x")])
        #expect(try await stream.read() == [UInt8(ascii: "y")])
        #expect(proxy.failures == [])
    }

    // MARK: - Tunnels

    @Test func `a tunnel delivers early bytes and carries the caller's protocol`() async throws {
        let proxy = try ScriptedOrigin([
            .expectHead(lines: "CONNECT mail.example:25 HTTP/1.1", "Host: mail.example:25"),
            .reply("HTTP/1.1 200 OK\r\n\r\n220 ready\r\n"), .expect("QUIT\r\n"),
            .reply("221 bye\r\n"), .closeWrite,
        ])
        let client = HTTPClient()
        let stream = try await client.tunnel(to: "mail.example", port: 25, through: .url(proxy.url))
        #expect(stream.head == nil)
        #expect(try await stream.read() == Array("220 ready\r\n".utf8))
        try await stream.write(Array("QUIT\r\n".utf8))
        var rest: [UInt8] = []
        for try await bytes in stream { rest += bytes }
        #expect(rest == Array("221 bye\r\n".utf8))
        #expect(proxy.failures == [])
    }

    @Test func `a SOCKS proxy opens a tunnel`() async throws {
        let proxy = try ScriptedOrigin([
            .expect([5, 1, 0] as [UInt8]), .reply([5, 0] as [UInt8]),
            .expect([5, 1, 0, 3, 4] + Array("mail".utf8) + [0, 25]),
            .reply([5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array("220".utf8)),
        ])
        let setting = HTTPProxy.Setting.url("socks5h://127.0.0.1:\(proxy.port)")
        let stream = try await HTTPClient().tunnel(to: "mail", port: 25, through: setting)
        #expect(try await stream.read() == Array("220".utf8))
    }

    @Test(arguments: [
        ("evil.example/.corp.example", 22), ("evil.example#.corp.example", 22),
        ("evil.example?.corp.example", 22), ("safe.example@evil.example", 22),
        ("evil.example:443", 22), ("evil.example:443/", 22), ("a.example\\b", 22), ("", 22),
        ("[::1", 22), ("::1%lo", 22), ("\u{2100}.com", 22), ("a%2Fb", 22), ("a b", 22),
        ("a.example", 0), ("a.example", -1),
        ("a.example", 65_536),
    ])
    func `a tunnel to an invalid host or port is rejected`(host: String, port: Int) async throws {
        let proxy = try ScriptedOrigin(.always("HTTP/1.1 200 OK\r\n\r\n"))
        let error = await failure {
            try await HTTPClient().tunnel(to: host, port: port, through: .url(proxy.url))
        }
        guard case .invalidRequest(.url) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(proxy.connectionCount == 0)
    }

    @Test(arguments: [
        ("A.Example", "a.example:22"), ("[2001:DB8:0::1]", "[2001:db8::1]:22"),
        ("2001:db8::1", "[2001:db8::1]:22"), ("192.0.2.1", "192.0.2.1:22"),
    ])
    func `a tunnel is opened to the given host and port`(
        host: String,
        target: String
    ) async throws {
        let proxy = try ScriptedOrigin([
            .expectHead(lines: "CONNECT \(target) HTTP/1.1", "Host: \(target)"),
            .reply("HTTP/1.1 200 OK\r\n\r\n"), .closeWrite,
        ])
        let stream = try await HTTPClient().tunnel(to: host, port: 22, through: .url(proxy.url))
        #expect(try await stream.read().isEmpty)
        #expect(proxy.failures == [])
    }

    @Test func `a tunnel without a proxy fails`() async throws {
        let error = await failure {
            try await HTTPClient().tunnel(to: "a.example", port: 25, through: .direct)
        }
        #expect(error?.kind == .invalidRequest(.noProxy))
        let refused = try ScriptedOrigin(.always("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n"))
        let other = await failure {
            try await HTTPClient().tunnel(to: "a.example", port: 25, through: .url(refused.url))
        }
        guard case .proxyFailed(.refused) = other?.kind else {
            Issue.record("got \(String(describing: other))")
            return
        }
    }
}

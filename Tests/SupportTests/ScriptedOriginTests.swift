import Glibc
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScriptedOriginTests {
    @Test func `several exchanges on one connection are played in order`() async throws {
        let origin = try ScriptedOrigin([
            .expect("one\n"), .reply("1"), .expect("two\n"), .replyByteByByte("22"), .close,
        ])
        let peer = try Peer(origin.port)
        peer.send("one\n")
        #expect(peer.read(1) == "1")
        peer.send("tw")
        peer.send("o\n")
        #expect(peer.readToEnd() == "22")
        origin.stop()
        #expect(origin.text() == "one\ntwo\n")
        #expect(origin.failures.isEmpty)
        #expect(origin.connectionCount == 1)
    }

    @Test func `an unexpected byte is recorded as a failure and resets the connection`()
        async throws
    {
        let origin = try ScriptedOrigin([.expect("abc"), .reply("never")])
        let peer = try Peer(origin.port)
        peer.send("abx")
        #expect(peer.readToEnd() == nil)
        origin.stop()
        #expect(origin.failures == [#"connection 0, step 0: expected "abc", read "abx""#])
    }

    @Test func `a head is read to its empty line and checked for lines`() async throws {
        let head = "GET / HTTP/1.1\r\nhost: a\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead(lines: "host: a"), .expect("body"), .expectHead(lines: "host: b"),
        ])
        let peer = try Peer(origin.port)
        peer.send(head + "body" + head)
        #expect(peer.readToEnd() == nil)
        #expect(origin.failures.count == 1)
        #expect(origin.failures.first?.hasPrefix("connection 0, step 2: not the head") == true)
    }

    @Test func `each connection has its own script, and an extra connection is reset`() async throws
    {
        let origin = try ScriptedOrigin(perConnection: [
            [.reply("a"), .close], [.reply("b"), .close],
        ])
        #expect(try Peer(origin.port).readToEnd() == "a")
        #expect(try Peer(origin.port).readToEnd() == "b")
        #expect(try Peer(origin.port).readToEnd() == nil)
        #expect(origin.failures == ["connection 2 has no script"])
    }

    @Test func `a pause lasts until the test opens the gate`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expect("x"), .pause(gate), .reply("y"), .close])
        let peer = try Peer(origin.port)
        peer.send("x")
        await gate.arrival()
        #expect(peer.readNow() == nil)
        gate.open()
        #expect(peer.readToEnd() == "y")
    }

    @Test func `stopping or releasing an origin ends a paused connection`() async throws {
        let gate = Gate()
        var origin: ScriptedOrigin? = try ScriptedOrigin([.pause(gate)])
        let peer = try Peer(try #require(origin).port)
        await gate.arrival()
        origin = nil
        #expect(peer.readToEnd() == "")
    }

    @Test func `a peer sees a reset as a reset, and a close or half-close as an end`() async throws
    {
        let origin = try ScriptedOrigin(perConnection: [
            [.reply("a"), .expect("x"), .reset], [.reply("a"), .close],
            [.reply("a"), .closeWrite, .expect("late"), .expectEnd],
        ])
        let first = try Peer(origin.port)
        #expect(first.read(1) == "a")
        first.send("x")
        #expect(first.readToEnd() == nil)
        #expect(try Peer(origin.port).readToEnd() == "a")
        let third = try Peer(origin.port)
        #expect(third.readToEnd() == "a")
        third.send("late")
        third.closeWrite()
        while origin.text(on: 2) != "late" { await moment() }
        origin.stop()
        #expect(origin.failures.isEmpty)
    }

    @Test func `steps repeat a number of times or without end`() async throws {
        let origin = try ScriptedOrigin([
            .repeat(2, [.expect("a"), .reply("b")]), .forever([.expect("c"), .reply("d")]),
        ])
        let peer = try Peer(origin.port)
        peer.send("aaccc")
        #expect(peer.read(5) == "bbddd")
        peer.closeWrite()
        #expect(peer.readToEnd() == "")
        #expect(origin.failures.isEmpty)
    }

    @Test func `an endless reply stops when its reader closes`() async throws {
        let origin = try ScriptedOrigin([.replyForever([1, 2, 3])])
        do {
            let peer = try Peer(origin.port)
            #expect(peer.read(6) == "\u{1}\u{2}\u{3}\u{1}\u{2}\u{3}")
        }
        origin.stop()
    }

    @Test func `descriptors to a server are counted until they are closed`() async throws {
        let origin = try ScriptedOrigin([.expectEnd])
        let port = origin.port
        do {
            let peer = try Peer(port)
            #expect(DescriptorCount.connected(toPort: port) == 1)
            peer.closeWrite()
        }
        #expect(
            await DescriptorCount.waitUntilStable(at: 0) { DescriptorCount.connected(toPort: port) }
                == 0
        )
    }

    @Test func `unreachable ports refuse or stall`() async throws {
        let refusing = try UnreachablePorts.refusing()
        #expect(throws: Peer.Failed.self) { try Peer(refusing) }
        let stalled = try StalledPort()
        let peer = try Peer(stalled.port, nonBlocking: true)
        #expect(!peer.isConnected(within: 50))
    }
}

/// A minimal blocking client.
final class Peer {
    struct Failed: Error {}

    private let descriptor: Int32

    init(_ port: Int, nonBlocking: Bool = false) throws {
        guard let descriptor = TestSocket.connect(port: port, nonBlocking: nonBlocking) else {
            throw Failed()
        }
        self.descriptor = descriptor
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func closeWrite() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func read(_ count: Int) -> String? {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = unsafe recv(descriptor, &buffer, count, Int32(MSG_WAITALL))
        return got < 0 ? nil : String(decoding: buffer[..<got], as: UTF8.self)
    }

    /// Returns the bytes that have arrived; nil if there are none.
    func readNow() -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        let got = unsafe recv(descriptor, &buffer, 64, Int32(MSG_DONTWAIT))
        return got < 0 ? nil : String(decoding: buffer[..<got], as: UTF8.self)
    }

    /// Returns all bytes until the close; nil after a reset.
    func readToEnd() -> String? {
        var text = ""
        while let more = read(1) {
            if more.isEmpty { return text }
            text += more
        }
        return nil
    }

    func isConnected(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    deinit {
        close(descriptor)
    }
}

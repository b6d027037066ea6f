import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScriptedStreamTests {
    @Test func `scripted bytes arrive in order and are split by the reader's buffer`() async throws
    {
        let stream = ScriptedStream([.bytes("abc"), .wait, .bytes("d"), .end])
        #expect(try receive(stream, 2) == .text("ab"))
        #expect(try receive(stream, 2) == .text("c"))
        #expect(try receive(stream, 2) == .outcome(.wouldBlock))
        try await stream.wait(for: .readable, until: .never)
        #expect(try receive(stream, 2) == .text("d"))
        #expect(try receive(stream, 2) == .outcome(.end))
        #expect(try receive(stream, 2) == .outcome(.end))
        #expect(stream.waits == [.readable])
    }

    @Test func `sends are limited and recorded`() throws {
        let stream = ScriptedStream(
            [],
            sendLimits: [2, 0],
            sendFailure: .closedByPeer(.brokenPipe)
        )
        let bytes = Array("hello".utf8)
        #expect(try stream.send(bytes.span) == 2)
        #expect(try stream.send(bytes.span) == 0)
        #expect(throws: TransportError.closedByPeer(.brokenPipe)) { try stream.send(bytes.span) }
        #expect(stream.sentText == "he")
    }

    @Test func `a silent stream times out at a deadline and waits without one`() async throws {
        let stream = ScriptedStream([.silence])
        await #expect(throws: TransportError.timedOut(.read)) {
            try await stream.wait(for: .readable, until: .now())
        }
        async let waited: Void = stream.wait(for: .readable, until: .never)
        while stream.waits.count < 2 { await moment() }
        stream.feed([.bytes("x")])
        try await waited
        #expect(try receive(stream, 1) == .text("x"))
    }

    @Test func `a canceled or closed stream throws`() async throws {
        let stream = ScriptedStream([.silence])
        let waiting = Task { try await stream.wait(for: .readable, until: .never) }
        while stream.waits.isEmpty { await moment() }
        stream.cancelWait()
        await #expect(throws: TransportError.cancelled) { try await waiting.value }
        stream.close()
        #expect(stream.isClosed)
        #expect(throws: TransportError.self) { try receive(stream, 1) }
    }

    @Test func `a manual clock moves only when advanced`() {
        let time = ManualClock(nanoseconds: 5)
        #expect(time.now == time.now)
        #expect(time.advance(by: .nanoseconds(7)) == Deadline(nanoseconds: 12))
        #expect(time.now.nanoseconds == 12)
    }

    private enum ReceiveResult: Equatable {
        case text(String)
        case outcome(ReceiveOutcome)
    }

    private func receive(_ stream: ScriptedStream, _ room: Int) throws -> ReceiveResult {
        var buffer = [UInt8](repeating: 0, count: room)
        var span = buffer.mutableSpan
        let outcome = try stream.receive(into: &span)
        guard case .bytes(let count) = outcome else { return .outcome(outcome) }
        return .text(String(decoding: buffer[..<count], as: UTF8.self))
    }
}

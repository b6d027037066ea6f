import SocketTransport
import Support
import Testing

@Suite struct PrefixedStreamTests {
    private func receive(_ stream: PrefixedStream, _ room: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: room)
        var span = buffer.mutableSpan
        guard case .bytes(let count) = try stream.receive(into: &span) else { return [] }
        return Array(buffer.prefix(count))
    }

    @Test func `prefixed bytes are received before the stream's own, for every buffer size`()
        async throws
    {
        let underlying = ScriptedStream([.bytes("def"), .wait, .bytes("g"), .end])
        let stream = PrefixedStream(Array("abc".utf8), over: underlying)
        // A wait returns at once while prefixed bytes are left.
        try await stream.wait(for: .readable, until: .never)
        #expect(try receive(stream, 2) == Array("ab".utf8))
        try await stream.wait(for: .readable, until: .never)
        #expect(try receive(stream, 9) == Array("c".utf8))
        #expect(try receive(stream, 9) == Array("def".utf8))
        #expect(try receive(stream, 9) == [])
        try await stream.wait(for: .readable, until: .never)
        #expect(try receive(stream, 9) == Array("g".utf8))
        var byte: InlineArray<1, UInt8> = [0]
        var span = byte.mutableSpan
        #expect(try stream.receive(into: &span) == .end)
    }

    @Test func `sending goes to the underlying stream`() throws {
        let underlying = ScriptedStream([], sendLimits: [2])
        let stream = PrefixedStream([1], over: underlying)
        #expect(try stream.send([1, 2, 3].span) == 2)
        #expect(try stream.flush())
        #expect(underlying.sent == [1, 2])
    }
}

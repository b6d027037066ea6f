internal import SocketTransport

/// Holds what a client has sent and nobody has used yet.
struct ReceivedBytes {
    var bytes: [UInt8] = []
    /// Where one read goes before it is known how much came.
    private var room = [UInt8](repeating: 0, count: 16 << 10)

    /// Reads once, without waiting.
    mutating func fill(from stream: any ByteStream) throws(TransportError) -> ReceiveOutcome {
        var target = room.mutableSpan
        let outcome = try stream.receive(into: &target)
        if case .bytes(let count) = outcome { bytes += room[..<count] }
        return outcome
    }
}

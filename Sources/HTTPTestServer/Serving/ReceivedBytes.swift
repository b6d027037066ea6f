internal import SocketTransport

/// The bytes that a client has sent and the server has not processed yet.
struct ReceivedBytes {
    var bytes: [UInt8] = []
    /// The buffer for a single read.
    private var room = [UInt8](repeating: 0, count: 16 << 10)

    /// Reads once, without waiting.
    mutating func fill(from stream: any ByteStream) throws(TransportError) -> ReceiveOutcome {
        var target = room.mutableSpan
        let outcome = try stream.receive(into: &target)
        if case .bytes(let count) = outcome { bytes += room[..<count] }
        return outcome
    }
}

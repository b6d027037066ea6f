internal import SocketTransport
internal import Wire

/// The bytes of a request that have arrived and are not decoded yet.
struct StubbedInput {
    private(set) var bytes: [UInt8] = []
    /// The buffer for one read.
    private var room = [UInt8](repeating: 0, count: 64 << 10)

    /// Reads once, without waiting.
    mutating func fill(from stream: SocketStream) throws(TransportError) -> ReceiveOutcome {
        var target = room.mutableSpan
        let outcome = try stream.receive(into: &target)
        if case .bytes(let count) = outcome { bytes += room[..<count] }
        return outcome
    }

    /// Removes and returns a head, if all of it has arrived.
    mutating func takeHead(
        _ decoder: inout RequestHeadDecoder
    ) throws(WireError) -> RequestHead? {
        let step = try decoder.decode(bytes.span)
        bytes.removeFirst(step.consumed)
        return step.head
    }

    /// Moves the next contiguous bytes of the body into `body`.
    mutating func takeBody(
        _ decoder: inout BodyDecoder,
        into body: inout [UInt8]
    ) throws(WireError) -> BodyEvent {
        let step = try decoder.decode(bytes.span)
        if case .body(let range) = step.event { body += bytes[range] }
        bytes.removeFirst(step.consumed)
        return step.event
    }
}

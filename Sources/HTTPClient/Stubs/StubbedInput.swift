internal import SocketTransport
internal import Wire

/// Holds what came of a request and is not decoded yet.
struct StubbedInput {
    private(set) var bytes: [UInt8] = []
    /// Where one read goes before it is known how much came.
    private var room = [UInt8](repeating: 0, count: 64 << 10)

    /// Reads once, without waiting.
    mutating func fill(from stream: SocketStream) throws(TransportError) -> ReceiveOutcome {
        var target = room.mutableSpan
        let outcome = try stream.receive(into: &target)
        if case .bytes(let count) = outcome { bytes += room[..<count] }
        return outcome
    }

    /// Takes a head, when all of it is here.
    mutating func takeHead(
        _ decoder: inout RequestHeadDecoder
    ) throws(WireError) -> RequestHead? {
        let step = try decoder.decode(bytes.span)
        bytes.removeFirst(step.consumed)
        return step.head
    }

    /// Takes as much of a body as is here in one piece.
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

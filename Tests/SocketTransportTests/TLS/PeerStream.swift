import SocketTransport

/// The lower stream of a ``TLSStream`` in memory, with a peer that acts during waits.
final class PeerStream: ByteStream {
    /// The peer's action in each wait: it fills ``incoming`` and reads ``outgoing``.
    var act: (PeerStream) -> Void = { _ in }
    var incoming: [UInt8] = []
    var outgoing: [UInt8] = []
    /// The outcome of a receive after the incoming bytes.
    var end: Result<ReceiveOutcome, TransportError> = .success(.wouldBlock)
    /// The error that sending throws, if set.
    var sendFailure: TransportError?
    /// The number of sends that succeed before the error.
    var sendsBeforeFailure = 0
    /// The maximum number of bytes that one receive returns.
    var receiveLimit = Int.max
    /// The number of bytes that can be sent until the next wait.
    var sendAllowance = Int.max
    var allowancePerWait = Int.max
    private(set) var receives = 0
    private(set) var sends = 0
    private(set) var waits: [Readiness] = []
    private(set) var isClosed = false
    private var isCancelled = false

    func receive(
        into buffer: inout MutableSpan<UInt8>
    ) throws(TransportError) -> ReceiveOutcome {
        receives += 1
        guard !incoming.isEmpty else { return try end.get() }
        let count = min(incoming.count, buffer.count, receiveLimit)
        for index in 0..<count { buffer[index] = incoming[index] }
        incoming.removeFirst(count)
        return .bytes(count)
    }

    func send(_ bytes: Span<UInt8>) throws(TransportError) -> Int {
        sends += 1
        if let sendFailure {
            guard sendsBeforeFailure > 0 else { throw sendFailure }
            sendsBeforeFailure -= 1
        }
        let count = min(bytes.count, sendAllowance)
        for index in 0..<count { outgoing.append(bytes[index]) }
        if sendAllowance != .max { sendAllowance -= count }
        return count
    }

    func flush() -> Bool { true }

    nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError) {
        guard !isCancelled else { throw .cancelled }
        waits.append(readiness)
        let before = incoming.count
        sendAllowance = allowancePerWait
        act(self)
        let isEnd = (try? end.get()) != .wouldBlock
        let isReady =
            readiness.contains(.readable) && (incoming.count > 0 || isEnd)
            || readiness.contains(.writable) && sendAllowance > 0
        // The peer has acted and nothing can change any more, so any deadline counts as reached.
        guard isReady || incoming.count > before else {
            throw .timedOut(readiness.contains(.readable) ? .read : .write)
        }
    }

    func cancelWait() {
        isCancelled = true
    }

    func close() {
        isClosed = true
    }

    /// Makes `engine` the peer: each wait passes bytes in both directions and advances the engine.
    func connect(_ engine: TLSEngine, then act: @escaping (TLSEngine) -> Void = { _ in }) {
        self.act = { stream in
            let bytes = stream.outgoing
            engine.feed(bytes.span)
            stream.outgoing.removeAll()
            if (try? engine.stepHandshake()) == .done { act(engine) }
            stream.incoming += engine.takeOutput()
        }
    }
}

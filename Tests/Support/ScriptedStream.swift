package import SocketTransport

/// An in-memory peer: a ``ByteStream`` that plays a list of arrivals and records the sent bytes.
///
///     let stream = ScriptedStream([.bytes("HTTP/1.1 200 OK\r\n"), .wait, .bytes("\r\n"), .end])
///
/// No real time passes. A wait at ``Arrival/silence`` throws `.timedOut` at once if it has a
/// deadline. Without a deadline it suspends until ``feed(_:)``, `cancelWait()` or `close()`.
package final class ScriptedStream: ByteStream, Sendable {
    /// The next action of the peer.
    package enum Arrival: Sendable {
        /// These bytes can be received, possibly in several calls.
        case bytes([UInt8])
        /// No bytes have arrived yet; the next wait ends with the next arrival.
        case wait
        /// No more bytes arrive, and the peer does not close.
        case silence
        /// The end of the stream: FIN or close-notify.
        case end
        /// The connection closed without close-notify.
        case truncated
        /// receive(into:) throws this error.
        case failure(TransportError)

        package static func bytes(_ text: String) -> Arrival { .bytes(Array(text.utf8)) }
    }

    private struct State {
        var arrivals: [Arrival]
        var sendLimits: [Int]
        var sent: [UInt8] = []
        var waits: [Readiness] = []
        var sendFailure: TransportError?
        var cancelled = false
        var closed = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - arrivals: the actions of the peer, in order.
    ///   - sendLimits: the maximum number of bytes that each call of send accepts, in order; 0
    ///     means would-block. After the end of the list a call accepts all bytes.
    ///   - sendFailure: the error that send throws after the limits are used up.
    package init(
        _ arrivals: [Arrival],
        sendLimits: [Int] = [],
        sendFailure: TransportError? = nil
    ) {
        state = Locked(
            State(arrivals: arrivals, sendLimits: sendLimits, sendFailure: sendFailure)
        )
    }

    /// All bytes sent so far.
    package var sent: [UInt8] { state.withLock { $0.sent } }

    /// ``sent`` as text.
    package var sentText: String { String(decoding: sent, as: UTF8.self) }

    /// The readiness that each wait so far requested.
    package var waits: [Readiness] { state.withLock { $0.waits } }

    package var isClosed: Bool { state.withLock { $0.closed } }

    /// Whether every arrival was consumed.
    package var isExhausted: Bool { state.withLock { $0.arrivals.isEmpty } }

    /// Adds arrivals and wakes the wait in progress.
    package func feed(_ arrivals: [Arrival]) {
        wake { state in
            if case .silence? = state.arrivals.first { state.arrivals.removeFirst() }
            state.arrivals += arrivals
        }
    }

    package func receive(
        into buffer: inout MutableSpan<UInt8>
    ) throws(TransportError) -> ReceiveOutcome {
        let room = buffer.count
        precondition(room > 0, "a receive needs room")
        let next = state.withLock { state -> Result<[UInt8]?, ReceiveStop> in
            if state.closed { return .failure(.error(.closedByPeer(.brokenPipe))) }
            switch state.arrivals.first {
            case .bytes(let bytes)?:
                let taken = Array(bytes.prefix(room))
                if taken.count == bytes.count {
                    state.arrivals.removeFirst()
                } else {
                    state.arrivals[0] = .bytes(Array(bytes.dropFirst(room)))
                }
                return .success(taken)
            case .wait?, .silence?, nil:
                return .success(nil)
            // These three stay in the list, because they apply to every later call too.
            case .end?:
                return .failure(.end)
            case .truncated?:
                return .failure(.truncated)
            case .failure(let error)?:
                return .failure(.error(error))
            }
        }
        switch next {
        case .success(let bytes?) where !bytes.isEmpty:
            for index in bytes.indices { buffer[index] = bytes[index] }
            return .bytes(bytes.count)
        case .success: return .wouldBlock
        case .failure(.end): return .end
        case .failure(.truncated): return .truncated
        case .failure(.error(let error)): throw error
        }
    }

    package func send(_ bytes: Span<UInt8>) throws(TransportError) -> Int {
        var copy: [UInt8] = []
        for index in bytes.indices { copy.append(bytes[index]) }
        let outgoing = copy
        return try state.withLock { state throws(TransportError) -> Int in
            if state.closed { throw .closedByPeer(.brokenPipe) }
            var count = outgoing.count
            if !state.sendLimits.isEmpty {
                count = min(count, state.sendLimits.removeFirst())
            } else if let failure = state.sendFailure {
                throw failure
            }
            state.sent += outgoing[..<count]
            return count
        }
    }

    package func flush() throws(TransportError) -> Bool {
        true
    }

    nonisolated(nonsending) package func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError) {
        let mustSuspend = try state.withLock { state throws(TransportError) -> Bool in
            if state.cancelled || state.closed { throw .cancelled }
            state.waits.append(readiness)
            if readiness.contains(.writable) { return false }
            switch state.arrivals.first {
            case .wait?:
                state.arrivals.removeFirst()
                return false
            case .silence?, nil:
                if deadline != .never { throw .timedOut(.read) }
                return true
            default:
                return false
            }
        }
        guard mustSuspend else { return }
        await withCheckedContinuation { continuation in
            let passed = state.withLock { state in
                // The state may have changed between the two locks.
                if state.cancelled || state.closed { return true }
                switch state.arrivals.first {
                case .silence?, nil:
                    state.waiter = continuation
                    return false
                default:
                    return true
                }
            }
            if passed { continuation.resume() }
        }
        try state.withLock { state throws(TransportError) in
            if state.cancelled || state.closed { throw .cancelled }
        }
    }

    package func cancelWait() {
        wake { $0.cancelled = true }
    }

    package func close() {
        wake { $0.closed = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    private enum ReceiveStop: Error {
        case end
        case truncated
        case error(TransportError)
    }
}

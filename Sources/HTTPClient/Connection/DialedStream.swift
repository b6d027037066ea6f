internal import SocketTransport

/// A stream that the client's dialer supplies for one request in place of a connection.
final class DialedStream: Sendable {
    private struct State {
        var failure: HTTPDialError?
        /// Whether the client has closed its end, so that a failure of the peer is no news.
        var isEnded = false
        var serving: Task<Void, Never>?
    }

    let stream: HTTPDialResult.Stream
    private let state = Locked(State())

    init(_ stream: HTTPDialResult.Stream) {
        self.stream = stream
    }

    /// The error of the call if the peer has failed.
    var failure: HTTPDialError? { state.withLock { $0.failure } }

    /// Starts the peer in its own task, on the loop of its end; call on that loop.
    func begin(at end: PeerEnd) {
        let loop = end.loop
        let bound = LoopBound(end, on: loop)
        let peer = HTTPPeerStream(end)
        let serving = Task(executorPreference: loop) { [self] in
            guard loop.isCurrent else { return }
            do {
                try await stream.serve(peer)
            } catch {
                state.withLock { state in
                    if !state.isEnded { state.failure = HTTPDialError(thrown: error) }
                }
            }
            // If the loop has stopped, this is another thread, and the sockets are closed.
            if loop.isCurrent { bound.value.close() }
        }
        state.withLock { $0.serving = serving }
    }

    /// Stops the peer, because the client has closed its end.
    func end(at end: PeerEnd) {
        let serving = state.withLock { state in
            state.isEnded = true
            return state.serving
        }
        end.end()
        serving?.cancel()
    }

    /// Waits until the peer has stopped.
    func isOver() async {
        await state.withLock { $0.serving }?.value
    }
}

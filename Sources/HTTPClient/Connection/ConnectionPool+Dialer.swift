internal import SocketTransport

/// Connections over streams of the client's dialer. The pool's limits do not count them.
extension ConnectionPool {
    /// The index of a connection outside the pool.
    static var nowhere: PoolState.ConnectionIndex { -1 }

    /// Opens a connection over a stream of the client's dialer.
    ///
    /// - Throws: `.dialer`, if the peer stops before it reads or writes; any error of opening
    ///   sockets and of TLS.
    nonisolated(nonsending) func open(
        _ dialed: DialedStream,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> ClientConnection {
        attempt.phase = .connect
        dialer.beginEstablishing(attempt)
        let pair: (near: SocketStream, far: SocketStream)
        do throws(TransportError) {
            guard !isClosed else { throw .cancelled }
            pair = try SocketStream.pair(on: loop)
        } catch {
            throw .transport(error)
        }
        let end = PeerEnd(near: pair.near, far: pair.far)
        defer { handleSecurityEvents() }
        do throws(ExchangeError) {
            dialed.begin(at: end)
            try await waitForBeginning(of: end, attempt)
            if let failure = dialed.failure { throw .dialer(failure) }
            var secured: TLSStream?
            var simulated: TLSSessionInfo?
            if attempt.plan.key.origin.scheme == .https {
                if dialed.stream.simulatesTLS {
                    simulated = TLSSessionInfo.simulated()
                } else {
                    secured = try await dialer.secure(pair.near, over: pair.near, attempt)
                }
            }
            attempt.limits.establishDeadline = .never
            lastID += 1
            let connection = ClientConnection(
                id: lastID,
                socket: pair.near,
                secured: secured,
                simulated: simulated,
                poolIndex: Self.nowhere
            )
            dialedStreams[connection.opening.id] = (dialed, end)
            return connection
        } catch {
            pair.near.close()
            dialed.end(at: end)
            throw error
        }
    }

    /// Waits until the peer reads, writes or stops.
    private nonisolated(nonsending) func waitForBeginning(
        of end: PeerEnd,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        do throws(TransportError) {
            try attempt.scope.enter(end.begun)
            defer { attempt.scope.leave() }
            try await end.begun.wait(until: attempt.deadline(attempt.plan.timeouts.connect))
        } catch {
            throw .transport(error)
        }
    }

    /// Closes a connection over a stream of the dialer.
    func end(_ connection: ClientConnection) {
        connection.close()
        connection.input = nil
        guard let (dialed, end) = dialedStreams.removeValue(forKey: connection.opening.id) else {
            return
        }
        dialed.end(at: end)
    }
}

/// A stream that the client's dialer supplies for one request in place of a connection.
final class DialedStream: Sendable {
    private struct State {
        var failure: HTTPDialRequest.DialError?
        /// Whether the client has closed its end; later failures of the peer are ignored.
        var isEnded = false
        var serving: Task<Void, Never>?
    }

    let stream: HTTPDialRequest.Outcome.Stream
    private let state = Locked(State())

    init(_ stream: HTTPDialRequest.Outcome.Stream) {
        self.stream = stream
    }

    /// The error with which the peer failed; nil if it has not failed.
    var failure: HTTPDialRequest.DialError? { state.withLock { $0.failure } }

    /// Starts the peer in its own task, on the loop of its end; call on that loop.
    func begin(at end: PeerEnd) {
        let loop = end.loop
        let bound = LoopBound(end, on: loop)
        let peer = HTTPDialRequest.PeerStream(end)
        let serving = Task(executorPreference: loop) { [self] in
            guard loop.isCurrent else { return }
            do {
                try await stream.serve(peer)
            } catch {
                state.withLock { state in
                    if !state.isEnded { state.failure = HTTPDialRequest.DialError(thrown: error) }
                }
            }
            // If the loop has stopped, this runs on another thread, and the sockets are closed.
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

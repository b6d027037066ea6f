internal import SocketTransport

/// Connections to stubs, which answer in this process. The pool's limits do not count them.
extension ConnectionPool {
    /// The index of a connection outside the pool.
    static var nowhere: PoolState.ConnectionIndex { -1 }

    /// Opens a connection to a stub.
    ///
    /// - Throws: `.stub`, if the stub is to fail; any error of opening sockets.
    nonisolated(nonsending) func open(
        _ stub: StubbedExchange,
        _ call: Attempt
    ) async throws(ExchangeError) -> Connection {
        call.phase = .connect
        if let (failure, delay) = stub.enter() {
            try await pause(delay, call)
            throw .stub(failure)
        }
        let pair: (near: SocketStream, far: SocketStream)
        do throws(TransportError) {
            guard !isClosed else { throw .cancelled }
            pair = try SocketStream.pair(on: loop)
        } catch {
            throw .transport(error)
        }
        lastID += 1
        let connection = Connection(
            id: lastID,
            socket: pair.near,
            secured: nil,
            poolIndex: Self.nowhere
        )
        let peer = StubbedPeer(stub, near: pair.near, far: pair.far)
        stubbedPeers[connection.id] = peer
        let bound = LoopBound(peer, on: loop)
        stub.begin(
            Task(executorPreference: loop) { [loop] in
                guard loop.isCurrent else { return }
                await bound.value.serve()
            }
        )
        return connection
    }

    private nonisolated(nonsending) func pause(
        _ delay: Duration,
        _ call: Attempt
    ) async throws(ExchangeError) {
        guard delay > .zero else { return }
        let end = Deadline.now().advanced(by: delay)
        let bound = call.deadline(call.plan.timeouts.establish)
        let suspension = Suspension<Void>(on: loop, phase: .connect)
        do throws(TransportError) {
            try call.scope.enter(suspension)
            defer { call.scope.leave() }
            try await suspension.wait(until: min(end, bound))
        } catch {
            guard case .timedOut = error, end <= bound else { throw .transport(error) }
        }
    }

    /// Closes a connection to a stub.
    func end(_ connection: Connection) {
        connection.close()
        connection.input = nil
        stubbedPeers.removeValue(forKey: connection.id)?.end()
    }
}

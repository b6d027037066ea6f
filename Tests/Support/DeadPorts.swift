internal import Glibc

/// Ports at which a connect fails in a known way.
package enum DeadPorts {
    /// Returns a loopback port where nobody listens: a connect is refused.
    ///
    /// The kernel hands out ports in turn, so another test does not get this one soon.
    package static func refusing() throws(SystemFailure) -> UInt16 {
        let listener = try TestSocket.listen()
        close(listener.descriptor)
        return listener.port
    }
}

/// A loopback port at which a connect neither succeeds nor fails: its accept queue is full.
package final class StalledPort: Sendable {
    package let port: UInt16
    private let descriptors: [Int32]

    package init() throws(SystemFailure) {
        let listener = try TestSocket.listen(backlog: 0)
        port = listener.port
        var descriptors = [listener.descriptor]
        // Linux takes backlog + 1 connections; the others make the queue of half-open ones full.
        for _ in 0..<4 {
            if let filler = TestSocket.connect(port: listener.port, nonBlocking: true) {
                descriptors.append(filler)
            }
        }
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}

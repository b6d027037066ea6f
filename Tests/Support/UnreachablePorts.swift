internal import Glibc

/// Ports at which a connect fails in a known way.
package enum UnreachablePorts {
    /// Returns a loopback port without a listener, where a connect is refused.
    ///
    /// It stays bound until the process ends, so that no other program gets it.
    package static func refusing() throws(SystemError) -> Int {
        try TestSocket.listen(backlog: nil).port
    }

    /// Returns a loopback port for a program that is about to be started.
    ///
    /// It is outside the range that the kernel assigns, from 32768 on. Otherwise the server of
    /// another test could get the port and be mistaken for the program.
    static func free() throws(SystemError) -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 10_240..<32_768)
            guard let listener = try? TestSocket.listen(port: port) else { continue }
            close(listener.descriptor)
            return port
        }
        throw SystemError(text: "no port of a hundred is free")
    }
}

/// A Unix domain socket at which a connect neither succeeds nor fails: its queue is full.
package final class StalledUnixSocket: Sendable {
    private let descriptors: [Int32]

    package init(_ name: String) throws(SystemError) {
        var descriptors = [try TestSocket.listen(unix: name, backlog: 0)]
        // Linux queues backlog + 1 connections.
        descriptors.append(try TestSocket.connect(unix: name))
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}

/// A loopback port at which a connect neither succeeds nor fails: its accept queue is full.
package final class StalledPort: Sendable {
    package let port: Int
    private let descriptors: [Int32]

    /// - Parameters:
    ///   - port: the port; 0 lets the kernel choose.
    ///   - host: the last byte of the address 127.0.0.x.
    package init(port: Int = 0, host: UInt8 = 1) throws(SystemError) {
        let listener = try TestSocket.listen(port: port, backlog: 0, host: host)
        self.port = listener.port
        var descriptors = [listener.descriptor]
        // Linux queues backlog + 1 connections; the others fill the queue of half-open ones.
        for _ in 0..<4 {
            if let filler = TestSocket.connect(
                port: listener.port,
                nonBlocking: true,
                host: host
            ) {
                descriptors.append(filler)
            }
        }
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}

internal import Glibc
internal import SocketTransport

/// A loopback server that plays scripts of literal bytes and knows no HTTP.
///
/// Its name is not `Origin`, which is a type of Wire that many tests see too.
///
/// One thread accepts, one thread serves each connection; 127.0.0.1, a port chosen by the kernel.
/// ``stop()`` or the end of the object's life closes every descriptor and joins every thread.
package final class ScriptedOrigin: Sendable {
    package let port: Int
    private let state: State
    private let acceptor: WorkerThread

    /// Starts a server that plays `script` on every connection.
    package convenience init(_ script: OriginScript) throws(SystemError) {
        try self.init { _ in script }
    }

    /// Starts a server that plays the first script on the first connection, and so on.
    ///
    /// A connection beyond the last script is reset and written to ``failures``.
    package convenience init(perConnection scripts: [OriginScript]) throws(SystemError) {
        try self.init { $0 < scripts.count ? scripts[$0] : nil }
    }

    /// Starts a server that asks for the script of each connection, counted from 0.
    package convenience init(
        script: @escaping @Sendable (Int) -> OriginScript?
    ) throws(SystemError) {
        let listener = try TestSocket.listen()
        try self.init(listener.descriptor, port: listener.port, script: script)
    }

    /// Starts a server on a unix domain socket that plays `script` on every connection.
    ///
    /// - Parameters:
    ///   - name: a path, or a NUL and an abstract name.
    ///   - script: what it does.
    package convenience init(unix name: String, _ script: OriginScript) throws(SystemError) {
        try self.init(try TestSocket.listen(unix: name), port: 0) { _ in script }
    }

    private init(
        _ descriptor: Int32,
        port: Int,
        script: @escaping @Sendable (Int) -> OriginScript?
    ) throws(SystemError) {
        self.port = port
        let state = State(listener: descriptor)
        self.state = state
        acceptor = try WorkerThread { state.acceptAll(script) }
    }

    /// The address to ask, such as `http://127.0.0.1:41234`.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The name and port as a Host field says it.
    package var authority: String { "127.0.0.1:\(port)" }

    /// How many connections were accepted so far.
    package var connectionCount: Int { state.log.withLock { $0.received.count } }

    /// What no script foresaw, such as `connection 0, step 1: expected …, read …`.
    package var failures: [String] { state.log.withLock { $0.failures } }

    /// Every byte that came on the connection with this number, counted from 0.
    package func received(on connection: Int = 0) -> [UInt8] {
        state.log.withLock {
            $0.received.indices.contains(connection) ? $0.received[connection] : []
        }
    }

    /// ``received(on:)`` as text.
    package func text(on connection: Int = 0) -> String {
        String(decoding: received(on: connection), as: UTF8.self)
    }

    /// Ends every connection and every thread; returns when all are gone. Idempotent.
    package func stop() {
        let first = state.log.withLock { log in
            defer { log.stopped = true }
            return !log.stopped
        }
        guard first else { return }
        state.stop.signal()
        acceptor.join()
    }

    deinit {
        stop()
    }

    /// What the threads share with the owner; they keep it alive, never the owner itself.
    private final class State: Sendable {
        struct Log {
            var received: [[UInt8]] = []
            var failures: [String] = []
            var stopped = false
        }

        let listener: Int32
        let stop = OneShotEvent()
        let log = Locked(Log())

        init(listener: Int32) {
            self.listener = listener
        }

        func acceptAll(_ script: @Sendable (Int) -> OriginScript?) {
            var threads: [WorkerThread] = []
            var entries = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                guard unsafe poll(&entries, 2, -1) >= 0 else { continue }
                if entries[1].revents != 0 { break }
                guard let descriptor = TestSocket.accept(listener) else { continue }
                let index = log.withLock { log in
                    log.received.append([])
                    return log.received.count - 1
                }
                let steps = script(index)
                let thread = try? WorkerThread {
                    self.serve(descriptor, index: index, script: steps)
                }
                if let thread { threads.append(thread) } else { close(descriptor) }
            }
            close(listener)
            for thread in threads { thread.join() }
        }

        private func serve(_ descriptor: Int32, index: Int, script: OriginScript?) {
            guard let script else {
                log.withLock { $0.failures.append("connection \(index) has no script") }
                TestSocket.resetOnClose(descriptor)
                close(descriptor)
                return
            }
            var connection = OriginConnection(descriptor: descriptor, stop: stop) { bytes in
                self.log.withLock { $0.received[index] += bytes }
            } fail: { failure in
                self.log.withLock { $0.failures.append("connection \(index), \(failure)") }
            }
            connection.play(script)
        }
    }
}

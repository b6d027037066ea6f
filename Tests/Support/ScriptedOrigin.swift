internal import Glibc
internal import SocketTransport

/// A loopback server that plays scripts of literal bytes and has no HTTP code.
///
///     let origin = try ScriptedOrigin([
///         .expect("GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
///         .reply("HTTP/1.1 204 No Content\r\n\r\n"), .reset,
///     ])
///
/// It is not named `Origin`, because many tests also see the type of that name in Wire.
///
/// One thread accepts connections and one thread serves each connection, on 127.0.0.1 and a port
/// that the kernel chooses. ``stop()`` or the release of the object closes every descriptor and
/// joins every thread.
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
    /// A connection beyond the last script is reset and recorded in ``failures``.
    package convenience init(perConnection scripts: [OriginScript]) throws(SystemError) {
        try self.init { $0 < scripts.count ? scripts[$0] : nil }
    }

    /// Starts a server that calls `script` for the script of each connection, counted from 0.
    package convenience init(
        script: @escaping @Sendable (Int) -> OriginScript?
    ) throws(SystemError) {
        let listener = try TestSocket.listen()
        try self.init(listener.descriptor, port: listener.port, script: script)
    }

    /// Starts a server on a Unix domain socket that plays `script` on every connection.
    ///
    /// - Parameters:
    ///   - name: a path, or a NUL and an abstract name.
    ///   - script: the script.
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

    /// The base URL, such as `http://127.0.0.1:41234`.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The host and port in the form of a Host field.
    package var authority: String { "127.0.0.1:\(port)" }

    /// The number of connections accepted so far.
    package var connectionCount: Int { state.log.withLock { $0.received.count } }

    /// The failed expectations, such as `connection 0, step 1: expected …, read …`.
    package var failures: [String] { state.log.withLock { $0.failures } }

    /// Returns all bytes received on the connection with this number, counted from 0.
    package func received(on connection: Int = 0) -> [UInt8] {
        state.log.withLock {
            $0.received.indices.contains(connection) ? $0.received[connection] : []
        }
    }

    /// Returns ``received(on:)`` as text.
    package func text(on connection: Int = 0) -> String {
        String(decoding: received(on: connection), as: UTF8.self)
    }

    /// Ends every connection and every thread; returns when all have ended. Idempotent.
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

    /// The state that the threads share with the owner; they retain it, never the owner itself.
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

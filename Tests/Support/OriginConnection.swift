internal import Glibc

/// One accepted connection that plays a script; it is used only on that connection's thread.
struct OriginConnection {
    private let descriptor: Int32
    private let stop: OneShotEvent
    private let record: ([UInt8]) -> Void
    private let fail: (String) -> Void
    /// The bytes read from the peer that no step has consumed yet.
    private var pending: [UInt8] = []
    private var open = true

    /// - Parameters:
    ///   - descriptor: the accepted socket.
    ///   - stop: the event that ends the script.
    ///   - record: called with every run of bytes as it arrives.
    ///   - fail: called with the failure, before the peer can notice it.
    init(
        descriptor: Int32,
        stop: OneShotEvent,
        record: @escaping ([UInt8]) -> Void,
        fail: @escaping (String) -> Void
    ) {
        self.descriptor = descriptor
        self.stop = stop
        self.record = record
        self.fail = fail
    }

    /// Plays the script to its end and closes the descriptor.
    mutating func play(_ script: OriginScript) {
        defer { if open { Glibc.close(descriptor) } }
        do throws(InterruptionError) {
            try play(script.steps)
            while open, try fill() {}
        } catch {
            guard case .expectationFailed(let text) = error else { return }
            fail(text)
            if open { TestSocket.resetOnClose(descriptor) }
        }
    }

    private mutating func play(_ steps: [OriginStep]) throws(InterruptionError) {
        for (index, step) in steps.enumerated() {
            guard open else {
                throw .expectationFailed("step \(index) comes after the connection was closed")
            }
            do throws(InterruptionError) {
                try play(step)
            } catch .expectationFailed(let text) {
                throw .expectationFailed("step \(index): \(text)")
            }
        }
    }

    private mutating func play(_ step: OriginStep) throws(InterruptionError) {
        switch step {
        case .expectBytes(let expected):
            while pending.count < expected.count,
                pending.elementsEqual(expected.prefix(pending.count))
            {
                guard try fill() else { break }
            }
            guard pending.starts(with: expected) else {
                throw .expectationFailed("expected \(quoted(expected)), read \(quoted(pending))")
            }
            pending.removeFirst(expected.count)
        case .expectThrough(let end):
            _ = try take(through: end)
        case .expectCount(let count):
            while pending.count < count {
                guard try fill() else {
                    throw .expectationFailed(
                        "expected \(count) bytes, read \(pending.count), then the end"
                    )
                }
            }
            pending.removeFirst(count)
        case .expectHeadWhere(let isRight):
            let head = String(decoding: try take(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
            guard isRight(head) else {
                throw .expectationFailed("not the head expected: \(head.debugDescription)")
            }
        case .expectEnd:
            while pending.isEmpty, try fill() {}
            guard pending.isEmpty else {
                throw .expectationFailed("expected the end, read \(quoted(pending))")
            }
        case .replyBytes(let bytes):
            try send(bytes)
        case .replyByteByByteBytes(let bytes):
            for byte in bytes { try send([byte]) }
        case .replyForever(let bytes):
            while try send(bytes) {}
        case .replyEvery(let milliseconds, let bytes):
            while try send(bytes) { usleep(milliseconds * 1000) }
        case .pause(let gate):
            gate.arrived()
            try wait(for: gate.event.descriptor, events: Int16(POLLIN))
        case .closeWrite:
            shutdown(descriptor, Int32(SHUT_WR))
        case .close:
            close()
        case .reset:
            TestSocket.resetOnClose(descriptor)
            close()
        case .relay(let port):
            try relay(toPort: port)
            close()
        case .relayAnswer(let port, let bytes):
            guard bytes > 0 else { return }
            try relay(toPort: port, back: bytes)
        case .relayCorrupted(let port, let piece):
            try relay(toPort: port, corrupting: piece)
            close()
        case .repeat(let count, let steps):
            for _ in 0..<count { try play(steps) }
        case .forever(let steps):
            while open {
                if pending.isEmpty, try !fill() { return }
                try play(steps)
            }
        }
    }

    /// Forwards bytes in both directions until one side ends or enough bytes have returned.
    private mutating func relay(
        toPort port: Int,
        back most: Int = .max,
        corrupting corrupted: Int? = nil
    ) throws(InterruptionError) {
        guard let other = TestSocket.connect(port: port) else {
            throw .expectationFailed("no server listens on port \(port)")
        }
        defer { Glibc.close(other) }
        Self.forward(pending, to: other)
        pending = []
        var left = most
        var pieces = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while left > 0 {
            var entries = [descriptor, other, stop.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            _ = unsafe poll(&entries, 3, -1)
            if entries[2].revents != 0 { throw .stopped }
            for (from, to) in [(0, other), (1, descriptor)] where entries[from].revents != 0 {
                let count = unsafe buffer.withUnsafeMutableBytes {
                    unsafe recv(entries[from].fd, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
                }
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                guard count > 0 else { return }
                var bytes = Array(buffer[..<count])
                if from == 0 {
                    record(bytes)
                    if pieces == corrupted { bytes[count - 1] ^= 1 }
                    pieces += 1
                } else {
                    bytes = Array(bytes.prefix(left))
                    left -= bytes.count
                }
                Self.forward(bytes, to: to)
            }
        }
    }

    /// Sends all bytes, or as many as the other side accepts before it closes.
    private static func forward(_ bytes: [UInt8], to target: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&entry, 1, 5000)
            } else if errno != EINTR {
                return
            }
        }
    }

    private mutating func close() {
        Glibc.close(descriptor)
        open = false
    }

    private mutating func take(through end: [UInt8]) throws(InterruptionError) -> [UInt8] {
        var searched = 0
        while true {
            while searched + end.count <= pending.count {
                if pending[searched..<searched + end.count].elementsEqual(end) {
                    let taken = Array(pending[..<(searched + end.count)])
                    pending.removeFirst(taken.count)
                    return taken
                }
                searched += 1
            }
            guard try fill() else {
                throw .expectationFailed(
                    "expected \(quoted(end)) to come, read \(quoted(pending)), then the end"
                )
            }
        }
    }

    /// Reads the bytes that have arrived, waiting for at least one.
    ///
    /// - Returns: false at the end of the stream, after a FIN or an RST.
    private mutating func fill() throws(InterruptionError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            if count > 0 {
                let bytes = Array(buffer[..<count])
                record(bytes)
                pending += bytes
                return true
            }
            if count == 0 || errno != EAGAIN && errno != EINTR { return false }
            try wait(for: descriptor, events: Int16(POLLIN))
        }
    }

    /// Sends all of `bytes`.
    ///
    /// - Returns: false if the peer is gone; this is no failure, because many tests close on
    ///   purpose.
    @discardableResult
    private func send(_ bytes: [UInt8]) throws(InterruptionError) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    descriptor,
                    $0.baseAddress?.advanced(by: sent),
                    $0.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN || errno == EINTR {
                try wait(for: descriptor, events: Int16(POLLOUT))
            } else {
                return false
            }
        }
        return true
    }

    /// Blocks until `target` is ready or the origin stops.
    private func wait(for target: Int32, events: Int16) throws(InterruptionError) {
        var entries = [
            pollfd(fd: target, events: events, revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&entries, 2, -1)
        if entries[1].revents != 0 { throw .stopped }
    }

    private func quoted(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(400), as: UTF8.self).debugDescription
    }

    private enum InterruptionError: Error {
        case stopped
        case expectationFailed(String)
    }
}

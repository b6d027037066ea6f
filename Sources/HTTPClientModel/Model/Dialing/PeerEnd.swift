package import SocketTransport

/// The peer's end of a pair of sockets whose other end is the client's.
///
/// Loop-confined.
package final class PeerEnd {
    /// The reason why an operation failed.
    package enum Failure: Error {
        case transport(TransportError)
        /// The caller already reads, or waits.
        case overlappingRead
        /// The caller already writes.
        case overlappingWrite

        package var kind: HTTPError.Kind {
            switch self {
            case .transport(.cancelled): .cancelled
            case .transport: .connectionLost(reason: "the client closed the stream")
            case .overlappingRead: .invalidRequest(.overlappingRead)
            case .overlappingWrite: .invalidRequest(.overlappingWrite)
            }
        }
    }

    package let loop: EventLoop
    /// A scope that is canceled when the client closes its end.
    package let scope = CancellationScope()
    /// Resumed when the peer begins to read or write, or stops without that.
    package let begun: Suspension<Void>
    private let near: SocketStream
    private let far: SocketStream
    private let waiting: DuplexWait
    private var unread: ArraySlice<UInt8> = []
    private var isReading = false
    private var isWriting = false
    private var isReceivingEnded = false

    package init(near: SocketStream, far: SocketStream) {
        self.near = near
        self.far = far
        loop = far.loop
        waiting = DuplexWait(on: far, over: far)
        begun = Suspension(on: far.loop, phase: .connect)
    }

    /// Receives at least one byte, at most `limit`; returns an empty array at the end of stream.
    package nonisolated(nonsending) func read(
        atMost limit: Int
    ) async throws(Failure) -> [UInt8] {
        try enterReading()
        defer { isReading = false }
        begun.resume(returning: ())
        while unread.isEmpty {
            guard !isReceivingEnded else { return [] }
            if try !receive() { try await wait(for: .reading, until: .never) }
        }
        let first = Array(unread.prefix(max(limit, 1)))
        unread.removeFirst(first.count)
        return first
    }

    /// Sends all of `bytes`.
    ///
    /// - Returns: whether it had to wait for the client to read.
    package nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws(Failure) -> Bool {
        guard !isWriting else { throw .overlappingWrite }
        isWriting = true
        defer { isWriting = false }
        begun.resume(returning: ())
        var sent = 0
        var hasWaited = false
        while sent < bytes.count {
            let taken: Int
            do {
                taken = try far.send(bytes.span.extracting(sent..<bytes.count))
            } catch {
                throw .transport(error)
            }
            sent += taken
            if taken == 0 {
                hasWaited = true
                try await wait(for: .writing, until: .never)
            }
        }
        return hasWaited
    }

    /// Waits for a time.
    ///
    /// - Throws: `.transport(.cancelled)` as soon as the client closes its end.
    package nonisolated(nonsending) func pause(until deadline: Deadline) async throws(Failure) {
        try enterReading()
        defer { isReading = false }
        while .now() < deadline {
            do throws(Failure) {
                try await wait(for: .reading, until: deadline)
            } catch .transport(.timedOut) {
                return
            }
            // The end of stream can be detected only after all bytes before it were read.
            _ = try receive()
            guard !isReceivingEnded else { throw .transport(.cancelled) }
        }
    }

    /// Closes, so that the client gets a reset after the bytes written so far.
    package func reset() {
        far.close(resetting: near)
        waiting.close()
    }

    /// Closes; the client gets the end of stream after the bytes written so far.
    package func close() {
        far.close()
        waiting.close()
        begun.resume(returning: ())
    }

    /// Stops the peer, because the client has closed its end.
    package func end() {
        scope.cancel()
        close()
    }

    // MARK: - Helpers

    private func enterReading() throws(Failure) {
        guard !isReading else { throw .overlappingRead }
        isReading = true
    }

    /// Receives what has arrived; returns false if there is nothing.
    private func receive() throws(Failure) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var target = buffer.mutableSpan
        let outcome: ReceiveOutcome
        do {
            outcome = try far.receive(into: &target)
        } catch {
            throw .transport(error)
        }
        switch outcome {
        case .bytes(let count): unread += buffer[..<count]
        case .wouldBlock: return false
        case .end, .truncated: isReceivingEnded = true
        }
        return true
    }

    private nonisolated(nonsending) func wait(
        for side: DuplexWait.Side,
        until deadline: Deadline
    ) async throws(Failure) {
        do {
            try await waiting.wait(for: side, until: deadline)
        } catch {
            throw .transport(error)
        }
    }
}

package import SocketTransport

extension HTTPDialRequest {
    /// The peer's end of a stream that carries one request in place of a connection.
    ///
    /// A dialer gets it in its closure ``HTTPDialRequest/Outcome/Serve``. It reads the bytes of the request and
    /// writes the bytes of the response, as a server would.
    ///
    /// One reader and one writer may run at the same time; a second reader or writer throws. Canceling a
    /// task that reads, writes or waits closes the stream.
    public final class PeerStream: Sendable {
        /// The loop-confined end.
        package let end: LoopBound<PeerEnd>
        private let loop: EventLoop

        package init(_ end: PeerEnd) {
            loop = end.loop
            self.end = LoopBound(end, on: end.loop)
        }

        /// Receives the bytes that the client has sent, or waits for some.
        ///
        /// - Parameter limit: the maximum number of bytes to receive; at least 1, at most 64 Ki.
        ///   Default 64 Ki.
        /// - Returns: the bytes; empty if the client sends no more.
        /// - Throws: `.cancelled` or `.connectionLost` if the client has closed its end;
        ///   `.invalidRequest(.overlappingRead)`.
        public func read(upTo limit: Int = 64 << 10) async throws(HTTPError) -> [UInt8] {
            try await onEnd { (end) async throws(PeerEnd.Failure) in
                try await end.read(atMost: limit)
            }
        }

        /// Sends all of `bytes`; waits while the client does not read.
        ///
        /// - Throws: `.cancelled` or `.connectionLost` if the client has closed its end;
        ///   `.invalidRequest(.overlappingWrite)`.
        public func write(_ bytes: [UInt8]) async throws(HTTPError) {
            _ = try await onEnd { (end) async throws(PeerEnd.Failure) in try await end.write(bytes)
            }
        }

        /// Sends text in UTF-8; waits while the client does not read.
        ///
        /// - Throws: `.cancelled` or `.connectionLost` if the client has closed its end;
        ///   `.invalidRequest(.overlappingWrite)`.
        public func write(_ text: String) async throws(HTTPError) {
            try await write(Array(text.utf8))
        }

        /// Waits for a time, by the clock of the client.
        ///
        /// It counts as a reader, because it reads to detect that the client has closed its end.
        ///
        /// - Throws: `.cancelled` or `.connectionLost` if the client has closed its end;
        ///   `.invalidRequest(.overlappingRead)`.
        public func wait(for duration: Duration) async throws(HTTPError) {
            try await onEnd { (end) async throws(PeerEnd.Failure) in
                try await end.pause(until: Deadline.now().advanced(by: duration))
            }
        }

        /// Closes the stream so that the client gets the bytes written so far, and then a reset.
        public func reset() async {
            try? await onEnd { (end) async throws(PeerEnd.Failure) in end.reset() }
        }

        /// Runs `operation` on the loop; a task cancellation closes the stream.
        private nonisolated(nonsending) func onEnd<Value: Sendable>(
            _ operation: @Sendable (PeerEnd) async throws(PeerEnd.Failure) -> Value
        ) async throws(HTTPError) -> Value {
            let end = end
            let result = await withTaskCancellationHandler {
                await withTaskExecutorPreference(loop) {
                    await Self.perform(operation, on: end, loop)
                }
            } onCancel: {
                loop.post { end.value.close() }
            }
            switch result {
            case .success(let value): return value
            case .failure(let failure): throw HTTPError(failure.kind, phase: .upgraded)
            }
        }

        /// Concurrent, because only such a function follows a task's executor preference.
        @concurrent private static func perform<Value: Sendable>(
            _ operation: @Sendable (PeerEnd) async throws(PeerEnd.Failure) -> Value,
            on end: LoopBound<PeerEnd>,
            _ loop: EventLoop
        ) async -> Result<Value, PeerEnd.Failure> {
            // If the loop has stopped, this is another thread, and the sockets are closed.
            guard loop.isCurrent else { return .failure(.transport(.cancelled)) }
            do throws(PeerEnd.Failure) {
                return .success(try await operation(end.value))
            } catch {
                return .failure(error)
            }
        }
    }
}

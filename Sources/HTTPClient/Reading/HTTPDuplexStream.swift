internal import SocketTransport
internal import Wire

/// A byte stream in both directions over a connection that no longer carries HTTP.
///
/// It is the result of an upgrade (RFC 9110 §7.8) or of a proxy's tunnel (§9.3.6).
///
///     let stream = try await client.tunnel(to: "mail.example", port: 25)
///     for try await bytes in stream { … }
///
/// The stream belongs to the caller: it does not count toward the pool's limits, and its lifetime
/// has no limit.
/// Bytes that arrived together with the response are the first to be read. The stream closes on
/// ``close()`` or when the last reference is released.
///
/// One reader and one writer may run at the same time; a second reader or writer throws.
/// Canceling a task that reads or writes closes the stream.
public final class HTTPDuplexStream: AsyncSequence, Sendable {
    /// The bytes as received; never empty.
    public typealias Element = [UInt8]
    /// The error that reading throws.
    public typealias Failure = HTTPError

    /// The head of the 101 that switched protocols; nil for a tunnel.
    public let head: ResponseHead?

    /// The times of each step of opening, and the address of the peer.
    public let metrics: HTTPMetrics

    private let engine: Engine
    private let source: LoopBound<DuplexSource>
    private let writeIdle: Int64

    init(engine: Engine, source: DuplexSource, attempt: RequestAttempt) {
        self.engine = engine
        self.source = LoopBound(source, on: engine.loop)
        head = attempt.received.head
        metrics = attempt.timeline
        writeIdle = attempt.plan.timeouts.writeIdle
    }

    deinit {
        // Keep a reference to the engine, so that the loop lives until the stream is closed.
        engine.loop.post { [source, engine] in
            source.value.close()
            _ = engine
        }
    }

    /// Receives the bytes that have arrived, or waits for some.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes to receive; at least 1, at most 64 Ki.
    ///     Default 64 Ki.
    ///   - timeout: the maximum time to wait. Default nil: no limit, because how often a peer sends
    ///     depends on the protocol.
    /// - Returns: the bytes; empty at the end of stream.
    /// - Throws: `.timedOut(.upgraded)`, after which the stream can be read again;
    ///   `.connectionLost`; `.tlsFailed`; `.cancelled`, also after ``close()``;
    ///   `.invalidRequest(.overlappingRead)`.
    public func read(
        upTo limit: Int = 64 << 10,
        timeout: Duration? = nil
    ) async throws(HTTPError) -> [UInt8] {
        let deadline = timeout.map { Deadline.now().advanced(by: $0) } ?? .never
        return try await onSource { (source) async throws(HTTPError) in
            try await source.read(atMost: limit, until: deadline)
        }
    }

    /// Sends all of `bytes`.
    ///
    /// It waits while the peer accepts no bytes, at most ``HTTPTimeouts/writeIdle`` between two writes
    /// that made progress.
    ///
    /// - Throws: as ``read(upTo:timeout:)``, in which case it is unknown how many bytes were sent;
    ///   `.invalidRequest(.overlappingWrite)`.
    public func write(_ bytes: [UInt8]) async throws(HTTPError) {
        let bound = writeIdle
        try await onSource { (source) async throws(HTTPError) in
            try await source.write(bytes, within: bound)
        }
    }

    /// Ends the sending side of the stream; reading continues.
    ///
    /// Over TLS it does nothing, because many peers treat the end of one side as the end of both.
    public func endWriting() {
        engine.loop.post { [source] in source.value.endWriting() }
    }

    /// Closes the stream on the next turn of the event loop.
    ///
    /// For code on other threads, that is immediately. Reads and writes in progress throw `.cancelled`.
    /// Calling it again has no effect.
    public func close() {
        engine.loop.post { [source] in source.value.close() }
    }

    /// Returns an iterator; all iterators share one position in the stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// An iterator over the received bytes.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let stream: HTTPDuplexStream

        /// Returns the next bytes, or nil at the end of stream.
        ///
        /// - Throws: as ``HTTPDuplexStream/read(upTo:timeout:)``.
        public mutating func next() async throws(HTTPError) -> [UInt8]? {
            let bytes = try await stream.read()
            return bytes.isEmpty ? nil : bytes
        }

        /// Returns the next bytes, or nil at the end of stream.
        ///
        /// - Throws: as ``HTTPDuplexStream/read(upTo:timeout:)``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPError) -> [UInt8]? {
            let bytes = try await stream.read()
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// Runs `operation` on the loop, from any thread; a task cancellation closes the stream.
    private nonisolated(nonsending) func onSource<Value: Sendable>(
        _ operation: @Sendable (DuplexSource) async throws(HTTPError) -> Value
    ) async throws(HTTPError) -> Value {
        let loop = engine.loop
        let source = source
        let result = await withTaskCancellationHandler {
            await onLoop(loop) { () async -> Result<Value, HTTPError> in
                do throws(HTTPError) {
                    return .success(try await operation(source.value))
                } catch {
                    return .failure(error)
                }
            }
        } onCancel: {
            loop.post { source.value.close() }
        }
        return try result.get()
    }
}

/// The outcome of a request to switch protocols.
public enum HTTPUpgrade: Sendable {
    /// The server switched protocols (101), and the stream carries the new protocol.
    case upgraded(HTTPDuplexStream)
    /// The server sent an ordinary response, without switching protocols.
    case declined(HTTPStreamedResponse)
}

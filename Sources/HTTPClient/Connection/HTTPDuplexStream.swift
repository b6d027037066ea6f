internal import SocketTransport
internal import Wire

/// Carries bytes both ways over a connection that HTTP has left: after an upgrade (RFC 9110 §7.8)
/// or through a proxy's tunnel (§9.3.6).
///
///     let stream = try await client.tunnel(to: "mail.example", port: 25)
///     for try await bytes in stream { … }
///
/// It belongs to you: it counts in no pool, and nothing bounds its life. Bytes that came together
/// with the answer are the first to be read. It closes with ``close()`` or when the last reference is
/// gone. One reader and one writer at a time may be at work, also at the same time; a second one of
/// a kind throws. Cancelling a task that reads or writes closes the stream.
public final class HTTPDuplexStream: AsyncSequence, Sendable {
    /// Bytes as they came; never empty.
    public typealias Element = [UInt8]
    /// What reading throws.
    public typealias Failure = HTTPError

    /// The 101 that switched protocols; nil for a tunnel.
    public let head: ResponseHead?

    /// When each step of opening ended, and who is at the other end.
    public let metrics: HTTPMetrics

    private let engine: Engine
    private let source: LoopBound<DuplexSource>
    private let writeIdle: Int64

    init(engine: Engine, source: DuplexSource, call: Attempt) {
        self.engine = engine
        self.source = LoopBound(source, on: engine.loop)
        head = call.head
        metrics = call.timeline
        writeIdle = call.plan.timeouts.writeIdle
    }

    deinit {
        // The engine goes along, so that the loop lives until the stream is closed.
        engine.loop.post { [source, engine] in
            source.value.close()
            _ = engine
        }
    }

    /// Receives what has come; waits for it when there is nothing.
    ///
    /// - Parameters:
    ///   - limit: bytes at most; at least 1, and never more than 64 Ki.
    ///   - timeout: how long to wait. Default nil: as long as it takes, for how often a peer speaks
    ///     depends on the protocol.
    /// - Returns: empty when the peer has ended its side.
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
    /// Waits while the peer takes none, at most ``HTTPTimeouts/writeIdle`` between two writes that
    /// made progress.
    ///
    /// - Throws: as ``read(upTo:timeout:)``; what was sent before is unknown then.
    ///   `.invalidRequest(.overlappingWrite)`.
    public func write(_ bytes: [UInt8]) async throws(HTTPError) {
        let bound = writeIdle
        try await onSource { (source) async throws(HTTPError) in
            try await source.write(bytes, within: bound)
        }
    }

    /// Tells the peer that nothing more will be sent; reading goes on.
    ///
    /// Over TLS nothing happens: many peers take the end of one side for the end of both.
    public func endWriting() {
        engine.loop.post { [source] in source.value.endWriting() }
    }

    /// Closes with the loop's next turn, which is at once for code elsewhere.
    ///
    /// What is under way throws `.cancelled`. Idempotent.
    public func close() {
        engine.loop.post { [source] in source.value.close() }
    }

    /// Makes an iterator; all of them share one place in the stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// Reads what comes.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let stream: HTTPDuplexStream

        /// Returns the next bytes, or nil at the peer's end.
        ///
        /// - Throws: as ``HTTPDuplexStream/read(upTo:timeout:)``.
        public mutating func next() async throws(HTTPError) -> [UInt8]? {
            let bytes = try await stream.read()
            return bytes.isEmpty ? nil : bytes
        }

        /// Returns the next bytes, or nil at the peer's end.
        ///
        /// - Throws: as ``HTTPDuplexStream/read(upTo:timeout:)``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPError) -> [UInt8]? {
            let bytes = try await stream.read()
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// Works on the loop, wherever the caller is; a cancellation closes the stream.
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

/// Tells what became of a request to switch protocols.
public enum HTTPUpgrade: Sendable {
    /// The server switched (101): the stream speaks the other protocol.
    case upgraded(HTTPDuplexStream)
    /// The server answered as if nothing had been asked, or refused.
    case declined(HTTPStreamedResponse)
}

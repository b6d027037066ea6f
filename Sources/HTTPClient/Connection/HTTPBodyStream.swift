internal import SocketTransport

/// Reads a body piece by piece: an `AsyncSequence` of arrays of bytes, with back-pressure.
///
///     for try await chunk in response.body { count += chunk.count }
///
/// Each element has 1 to 512 Ki bytes: what had arrived, decoded. The stream reads only when asked,
/// so a slow reader slows the sender down. A reader on ``HTTPClient/executor`` gets elements of at
/// most 64 Ki bytes sooner; elsewhere larger ones make up for the change of thread that each costs.
/// One reader at a time: copies share the same place in the body, and a read that overlaps another
/// throws.
///
/// Dropping the response and its streams before the end throws a short rest away in the background,
/// or closes the connection (``HTTPClientConfiguration/UnreadBodyPolicy``). A cancelled task's
/// read throws `.cancelled` and closes it too.
public struct HTTPBodyStream: AsyncSequence, Sendable {
    /// A piece of the body; never empty.
    public typealias Element = [UInt8]
    /// What reading throws.
    public typealias Failure = HTTPError

    private let bodySource: ResponseBodySource

    init(_ bodySource: ResponseBodySource) {
        self.bodySource = bodySource
    }

    /// Makes an iterator; all iterators of a response share one place in its body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(bodySource: bodySource)
    }

    /// Reads the pieces.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let bodySource: ResponseBodySource

        /// Returns the next piece, or nil at the end of the body.
        ///
        /// - Throws: what ended the body early, once; the connection is closed.
        public mutating func next() async throws(HTTPError) -> [UInt8]? {
            let chunk = try await bodySource.next()
            return chunk.isEmpty ? nil : chunk
        }

        /// Returns the next piece, or nil at the end of the body.
        ///
        /// - Throws: what ended the body early, once; the connection is closed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPError) -> [UInt8]? {
            let chunk = try await bodySource.next()
            return chunk.isEmpty ? nil : chunk
        }
    }

    /// Collects what is left of the body.
    ///
    /// - Parameter limit: bytes that may be collected. Default 10 MiB.
    /// - Returns: everything that had not been read before.
    /// - Throws: `.bodyTooLarge` beyond the limit, with what was collected; what reading throws.
    public func collect(upTo limit: Int = 10 << 20) async throws(HTTPError) -> [UInt8] {
        var collected: [UInt8] = []
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next() {
            guard collected.count + chunk.count <= limit else {
                throw HTTPError(
                    .bodyTooLarge(limit: limit),
                    phase: .body,
                    head: bodySource.head,
                    partialBody: collected
                )
            }
            collected += chunk
        }
        return collected
    }
}

extension StreamingBody {
    /// Reads on the loop, wherever the caller is; a cancellation reaches the socket.
    ///
    /// A piece is as large as one read on the loop itself. Elsewhere a change of thread there and
    /// back costs more than reading 64 KiB, so there it is up to eight times as large: in one piece,
    /// as several that are freed one by one let the allocator hand the memory back each time.
    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        let loop = engine.loop
        let call = call
        let result = await withTaskCancellationHandler {
            if isConfined(to: loop) { return await readResult(atMost: 64 << 10) }
            return await onLoop(loop) { await self.readResult(atMost: 512 << 10) }
        } onCancel: {
            call.cancel(on: loop)
        }
        return try result.get()
    }

    /// Reads a short body now, on the loop, for whoever asks for it later.
    nonisolated(nonsending) func readShortRest() async {
        let loop = engine.loop
        let call = call
        await withTaskCancellationHandler {
            if isConfined(to: loop) { return await bufferRemainder() }
            let _: Result<Void, HTTPError> = await onLoop(loop) {
                .success(await self.bufferRemainder())
            }
        } onCancel: {
            call.cancel(on: loop)
        }
    }

    private nonisolated(nonsending) func readResult(
        atMost limit: Int
    ) async -> Result<[UInt8], HTTPError> {
        do throws(HTTPError) {
            return .success(try await read(atMost: limit))
        } catch {
            return .failure(error)
        }
    }
}

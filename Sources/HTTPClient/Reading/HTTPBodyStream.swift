internal import SocketTransport

/// A response body as an `AsyncSequence` of byte arrays, with back-pressure.
///
///     for try await chunk in response.body { count += chunk.count }
///
/// Each element contains the decoded bytes that had arrived, 1 byte to 512 KiB. The stream reads
/// from the network only when the caller requests an element, so a slow reader slows the sender
/// down.
///
/// Only one reader is allowed at a time. Copies share the same position in the body, and a read
/// that overlaps another throws.
///
/// If the response and its streams are dropped before the end, the client discards the rest in
/// the background if it is short; otherwise it closes the connection
/// (``HTTPClientConfiguration/UnreadBodyPolicy``). When the reading task is canceled, the read
/// throws `.cancelled` and the connection is closed too.
public struct HTTPBodyStream: AsyncSequence, Sendable {
    /// A chunk of the body; never empty.
    public typealias Element = [UInt8]
    /// The error that reading throws.
    public typealias Failure = HTTPError

    let bodySource: ResponseBodySource

    init(_ bodySource: ResponseBodySource) {
        self.bodySource = bodySource
    }

    /// Returns an iterator; all iterators of a response share one position in its body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(bodySource: bodySource)
    }

    /// An iterator over the chunks of the body.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let bodySource: ResponseBodySource

        /// Returns the next chunk, or nil at the end of the body.
        ///
        /// - Throws: the error that ended the body early, once; the connection is closed.
        public mutating func next() async throws(HTTPError) -> [UInt8]? {
            let chunk = try await bodySource.next()
            return chunk.isEmpty ? nil : chunk
        }

        /// Returns the next chunk, or nil at the end of the body.
        ///
        /// - Throws: the error that ended the body early, once; the connection is closed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPError) -> [UInt8]? {
            let chunk = try await bodySource.next()
            return chunk.isEmpty ? nil : chunk
        }
    }

    /// Collects the unread rest of the body.
    ///
    /// - Parameter limit: the maximum number of bytes to collect. Default 10 MiB.
    /// - Returns: all bytes that had not been read before.
    /// - Throws: `.bodyTooLarge` beyond the limit; any error of reading. ``HTTPError/partialBody`` has the bytes
    ///   collected so far.
    public func collect(upTo limit: Int = 10 << 20) async throws(HTTPError) -> [UInt8] {
        var collected: [UInt8] = []
        while true {
            let chunk: [UInt8]
            do throws(HTTPError) {
                chunk = try await bodySource.next()
            } catch {
                throw error.changed { $0.partialBody = collected + $0.partialBody }
            }
            if chunk.isEmpty { return collected }
            guard collected.count + chunk.count <= limit else {
                throw HTTPError(
                    .bodyTooLarge(limit: limit),
                    phase: .body,
                    head: bodySource.head,
                    partialBody: collected
                ).changed { $0.detail = "collect more with upTo, or read the body piece by piece" }
            }
            collected += chunk
        }
    }
}

extension StreamingBody {
    /// Reads the next bytes on the loop, from any thread; a task cancellation reaches the socket.
    ///
    /// An element is a single array: the allocator would return the memory of several small ones each
    /// time they are freed.
    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        let loop = engine.loop
        if let chunk = nextArrived(on: loop) { return chunk }
        let attempt = attempt
        let result = await withTaskCancellationHandler {
            if isConfined(to: loop) { return await readResult(atMost: Self.maxElement) }
            return await onLoop(loop) { await self.readResult(atMost: Self.maxElement) }
        } onCancel: {
            attempt.cancel(on: loop)
        }
        return try result.get()
    }

    /// The maximum number of bytes of an element.
    ///
    /// Eight reads of a fast body: more bring nothing, and fewer cost more for each byte, also on the loop.
    private static let maxElement = 512 << 10

    /// Reads bytes that have arrived, without suspending the task.
    ///
    /// - Returns: nil if there are none, if the loop's thread is awake, or if more is to be done.
    private func nextArrived(on loop: EventLoop) -> [UInt8]? {
        guard !Task.isCancelled else { return nil }
        var chunk: [UInt8] = []
        var hasBytes = false
        if loop.isCurrent {
            hasBytes = readArrived(into: &chunk, atMost: Self.maxElement)
        } else {
            _ = loop.runInline { hasBytes = readArrived(into: &chunk, atMost: Self.maxElement) }
        }
        return hasBytes ? chunk : nil
    }

    /// Reads the rest of the body ahead of the caller, if it is short; switches to the loop.
    ///
    /// - Returns: whether the body has ended, completely or with an error; false if it still has its connection.
    @discardableResult nonisolated(nonsending) func readShortRest() async -> Bool {
        let loop = engine.loop
        let attempt = attempt
        return await withTaskCancellationHandler {
            if isConfined(to: loop) { return await bufferRemainder() }
            let result: Result<Bool, HTTPError> = await onLoop(loop) {
                .success(await self.bufferRemainder())
            }
            guard case .success(let hasEnded) = result else { return false }
            return hasEnded
        } onCancel: {
            attempt.cancel(on: loop)
        }
    }

    private nonisolated(nonsending) func readResult(
        atMost limit: Int
    ) async -> Result<[UInt8], HTTPError> {
        do throws(HTTPError) {
            var chunk: [UInt8] = []
            try await read(into: &chunk, atMost: limit)
            return .success(chunk)
        } catch {
            return .failure(error)
        }
    }
}

/// The source of a streamed body.
enum ResponseBodySource: Sendable {
    case streaming(StreamingBody)
    case buffered(BufferedBody)
    /// A body that is changed or verified as it is read.
    case transformed(TransformedBody)
    /// The content of a part; the rest is that of the whole body.
    case part(PartBody)

    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        switch self {
        case .streaming(let source): try await source.next()
        case .buffered(let body): try await body.next()
        case .transformed(let body): try await body.next()
        case .part(let body): try await body.next()
        }
    }

    /// The body below all changes, if no server has just sent it.
    var buffered: BufferedBody? {
        switch self {
        case .buffered(let body): body
        case .transformed(let body): body.source.buffered
        case .streaming, .part: nil
        }
    }

    /// What received or created the response: for a changed body and for a part, that of the body below.
    private var origin: any ResponseOrigin {
        switch self {
        case .streaming(let body): body
        case .buffered(let body): body
        case .transformed(let body): body.source.origin
        case .part(let body): body.parts.source.origin
        }
    }

    var head: ResponseHead { origin.head }
    var informational: [ResponseHead] { origin.informational }
    var proxyHeads: [ResponseHead] { origin.proxyHeads }
    var trailers: HTTPHeaders? { origin.trailers }
    var request: RequestHead { origin.request }
    var method: HTTPMethod { request.method }
    var publicURL: String { origin.publicURL }
    var coders: (any AnyObject & Sendable)? { origin.coders }
    var limits: WireLimits { origin.limits }
    var engine: Engine { origin.engine }

    /// The metrics so far.
    var metrics: HTTPMetrics {
        switch self {
        case .streaming(let source): source.metrics
        case .buffered(let body): body.response.metrics
        case .transformed(let body): body.metrics
        case .part(let body): body.parts.source.metrics
        }
    }

    /// The body as a server sends it; nil if an interceptor created it.
    var received: StreamingBody? {
        switch self {
        case .streaming(let source): source
        case .buffered: nil
        case .transformed(let body): body.source.received
        case .part(let body): body.parts.source.received
        }
    }

    /// Returns the error of a read.
    ///
    /// - Parameters:
    ///   - kind: the kind of the error.
    ///   - phase: the phase of the call.
    ///   - record: the bytes that could not be read; none if they are not known.
    ///   - underlying: the error of the caller's code or of a decoder.
    /// - Returns: an error with the response and its metrics.
    func error(
        _ kind: HTTPError.Kind,
        in phase: HTTPPhase = .body,
        record: [UInt8] = [],
        underlying: (any Error)? = nil
    ) -> HTTPError {
        HTTPError(
            kind,
            phase: phase,
            metrics: metrics,
            head: head,
            informational: informational,
            proxyHeads: proxyHeads,
            partialBody: record,
            underlying: underlying
        ).naming(method, publicURL).carrying(coders)
    }

    /// Ends a body that a server sends, and closes its connection.
    func cancel() {
        switch self {
        case .streaming(let source): source.cancel()
        case .buffered: break
        case .transformed(let body): body.source.cancel()
        case .part(let body): body.parts.source.cancel()
        }
    }
}

/// The facts of a response that do not depend on how its body is read.
private protocol ResponseOrigin: Sendable {
    var head: ResponseHead { get }
    /// The 1xx responses before the response.
    var informational: [ResponseHead] { get }
    /// The responses of a proxy before the response.
    var proxyHeads: [ResponseHead] { get }
    /// The trailers; nil before the end of the body.
    var trailers: HTTPHeaders? { get }
    /// The head of the request as sent.
    var request: RequestHead { get }
    /// The URL of the request, without credentials.
    var publicURL: String { get }
    /// The coders of the client for reading JSON.
    var coders: (any AnyObject & Sendable)? { get }
    /// The limits of the client.
    var limits: WireLimits { get }
    var engine: Engine { get }
}

extension StreamingBody: ResponseOrigin {
    var request: RequestHead { attempt.plan.head }
    var publicURL: String { attempt.plan.publicURL }
    var coders: (any AnyObject & Sendable)? { attempt.plan.shared.coders }
    var limits: WireLimits { attempt.plan.limits }
}

extension BufferedBody: ResponseOrigin {
    var head: ResponseHead { response.head }
    var informational: [ResponseHead] { response.informational }
    var proxyHeads: [ResponseHead] { response.proxyHeads }
    var trailers: HTTPHeaders? { response.trailers }
    var request: RequestHead { response.request }
    var publicURL: String { response.url.publicText }
    var coders: (any AnyObject & Sendable)? { response.coders }
}

/// A body that tells when it was read to its end, failed or was abandoned.
protocol EndingBody: Sendable {
    /// Sets a closure to call once, with the error if the body failed.
    func onBodyEnd(_ handler: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void)
}

extension StreamingBody: EndingBody {}
extension BufferedBody: EndingBody {}

/// A body that no server has just sent: an interceptor created the response, or the cache had it.
final class BufferedBody: Sendable {
    let response: HTTPResponse
    /// The engine of the client that made the call.
    let engine: Engine
    /// The limits of that client.
    let limits: WireLimits
    private let rest: Locked<[UInt8]>
    /// A callback for the end of reading a stored body.
    private let handler = Locked<(@Sendable (HTTPMetrics, HTTPError?) -> Void)?>(nil)

    init(_ response: HTTPResponse, _ engine: Engine, _ limits: WireLimits) {
        self.response = response
        self.engine = engine
        self.limits = limits
        rest = Locked(response.body)
    }

    deinit { notifyEnd(nil) }

    /// Sets a closure to call once when a stored body was read to its end, failed or was abandoned.
    func onBodyEnd(_ handler: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void) {
        self.handler.withLock { $0 = handler }
    }

    private func notifyEnd(_ error: HTTPError?) {
        let handler = handler.withLock { $0.take() }
        handler?(response.metrics, error)
    }

    /// The number of bytes of the body before its stages.
    var count: Int { response.storedBody?.count ?? response.body.count }

    /// Returns the whole body the first time, and an empty array after that; a stored body in pieces.
    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        if let stored = response.storedBody { return try await next(of: stored) }
        return rest.withLock { rest in
            defer { rest = [] }
            return rest
        }
    }

    /// Takes the next bytes of a stored body as a part of a file.
    ///
    /// - Returns: nil at the end, and if the bytes are in no file.
    /// - Throws: `.cancelled`.
    func nextExtent() throws(HTTPError) -> FileExtent? {
        guard let stored = response.storedBody else { return nil }
        guard !Task.isCancelled else { throw error(.cancelled) }
        return stored.nextExtent()
    }

    private func error(_ kind: HTTPError.Kind) -> HTTPError {
        HTTPError(kind, phase: .body, head: response.head)
            .naming(response.method, response.url.publicText)
    }

    private nonisolated(nonsending) func next(
        of stored: any StoredBody
    ) async throws(HTTPError) -> [UInt8] {
        do throws(HTTPError) {
            guard !Task.isCancelled else { throw error(.cancelled) }
            let bytes: [UInt8]
            if stored.mayBlock {
                bytes = try await onFileThread(engine.files) {
                    Result { () throws(HTTPError) in try stored.next() }
                }.get()
            } else {
                bytes = try stored.next()
            }
            if bytes.isEmpty { notifyEnd(nil) }
            return bytes
        } catch {
            let error = self.error(error.kind)
            // The other read continues, and the body has not ended.
            if error.kind != .invalidRequest(.overlappingRead) { notifyEnd(error) }
            throw error
        }
    }
}

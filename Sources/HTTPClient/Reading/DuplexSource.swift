internal import SocketTransport
internal import Wire

/// A byte stream in both directions over a connection that no longer carries HTTP.
///
/// Loop-confined. There may be one reader and one writer at a time, and both may wait.
final class DuplexSource {
    private let socket: SocketStream
    private let secured: TLSStream?
    private let waiting: DuplexWait
    /// The bytes received before the connection left HTTP.
    private var unread: ArraySlice<UInt8>
    private var isReading = false
    private var isWriting = false
    private(set) var isClosed = false
    private var ended: ReceiveOutcome?

    private var stream: any ByteStream { secured ?? socket }

    init(socket: SocketStream, secured: TLSStream?, unread: [UInt8]) {
        self.socket = socket
        self.secured = secured
        waiting = DuplexWait(on: secured ?? socket, over: socket)
        self.unread = unread[...]
    }

    /// Receives at least one byte, at most `limit`; returns an empty array at the end of stream.
    nonisolated(nonsending) func read(
        atMost limit: Int,
        until deadline: Deadline
    ) async throws(HTTPError) -> [UInt8] {
        guard !isReading else { throw Self.overlap(.overlappingRead) }
        isReading = true
        defer { isReading = false }
        if let first = takeUnread(limit) { return first }
        do throws(TransportError) {
            while true {
                if let chunk = try receive(atMost: limit) { return chunk }
                // A wait for a ready stream never times out, and TLS records without content make it ready.
                guard deadline == .never || .now() < deadline else {
                    throw TransportError.timedOut(.read)
                }
                try await waiting.wait(for: .reading, until: deadline)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Sends all of `bytes`.
    nonisolated(nonsending) func write(
        _ bytes: [UInt8],
        within bound: Int64
    ) async throws(HTTPError) {
        guard !isWriting else { throw Self.overlap(.overlappingWrite) }
        isWriting = true
        defer { isWriting = false }
        do throws(TransportError) {
            var offset = 0
            var deadline = Deadline.now().advanced(byNanoseconds: bound)
            while true {
                guard !isClosed else { throw TransportError.cancelled }
                let isRestEmpty = offset == bytes.count
                let part = offset..<min(bytes.count, offset + BodyReadState.maxBytesPerTurn)
                let sent = isRestEmpty ? 0 : try stream.send(bytes.span.extracting(part))
                offset += sent
                if offset == bytes.count, try stream.flush() { return }
                // Bytes for the reader end the wait too, and must not prolong it.
                let now = Deadline.now()
                if sent > 0 { deadline = now.advanced(byNanoseconds: bound) }
                guard deadline == .never || now < deadline else {
                    throw TransportError.timedOut(.write)
                }
                // A wait for a ready stream returns at once.
                if sent > 0, sent == part.count { await Task.yield() }
                try await waiting.wait(for: .writing, until: deadline)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Shuts down the sending side; does nothing over TLS.
    func endWriting() {
        guard !isClosed, secured == nil else { return }
        socket.closeWrite()
    }

    /// Closes at once and cancels reads and writes in progress.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        unread = []
        stream.close()
        waiting.close()
    }

    // MARK: - Helpers

    private func takeUnread(_ limit: Int) -> [UInt8]? {
        guard !unread.isEmpty else { return nil }
        let first = Array(unread.prefix(limit))
        unread.removeFirst(first.count)
        return first
    }

    /// Receives the bytes that have arrived; nil if there are none, an empty array at the end of stream.
    private func receive(atMost limit: Int) throws(TransportError) -> [UInt8]? {
        guard !isClosed else { throw .cancelled }
        if ended == .end { return [] }
        guard ended == nil else { throw .closedByPeer(.connectionReset) }
        var chunk = [UInt8](repeating: 0, count: min(max(limit, 1), 64 << 10))
        var span = chunk.mutableSpan
        switch try stream.receive(into: &span) {
        case .bytes(let count):
            chunk.removeLast(chunk.count - count)
            return chunk
        case .wouldBlock: return nil
        case .end:
            ended = .end
            return []
        case .truncated:
            // Without close-notify, an attacker may have ended the stream here.
            ended = .truncated
            throw .closedByPeer(.connectionReset)
        }
    }

    private static func overlap(_ reason: HTTPError.InvalidRequestReason) -> HTTPError {
        HTTPError(.invalidRequest(reason), phase: .upgraded)
    }

    private static func failure(_ error: TransportError) -> HTTPError {
        HTTPError(HTTPError.Kind(error, phase: .upgraded), phase: .upgraded)
    }
}

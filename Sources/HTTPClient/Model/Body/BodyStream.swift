internal import SocketTransport

/// Content that is read from a sequence of pieces.
package final class BodyStream: Sendable {
    /// A function that passes the pieces to `send`, one after the other.
    typealias Producer = @Sendable (_ send: ([UInt8]) async throws -> Void) async throws -> Void

    /// How often the content can be produced.
    enum Replay: Sendable {
        case once
        case repeatable
    }

    /// The announced number of bytes; nil if it is unknown.
    let length: Int?
    private let replay: Replay
    private let producer: Producer
    private let hasStarted = Locked(false)

    init(length: Int?, replay: Replay, _ producer: @escaping Producer) {
        self.length = length
        self.replay = replay
        self.producer = producer
    }

    /// Creates content from a sequence that can be read once.
    convenience init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int?)
    where Pieces.Element: Collection<UInt8> {
        self.init(length: length, replay: .once) { send in
            for try await piece in pieces { try await send(Array(piece)) }
        }
    }

    /// Creates content from a closure that returns a new sequence for each use.
    convenience init<Pieces: AsyncSequence & SendableMetatype>(
        length: Int?,
        producing pieces: @escaping @concurrent @Sendable () async throws -> sending Pieces
    )
    where
        Pieces.Element: Collection<UInt8> & SendableMetatype,
        Pieces.AsyncIterator: SendableMetatype
    {
        self.init(length: length, replay: .repeatable) { send in
            for try await piece in try await pieces() { try await send(Array(piece)) }
        }
    }

    var isReplayable: Bool { replay == .repeatable }

    /// Whether the content can be produced only once, and has been.
    var isConsumed: Bool { replay == .once && hasStarted.withLock { $0 } }

    /// Records a use and returns whether it is allowed.
    func begin() -> Bool {
        let isFirst = hasStarted.withLock { hasStarted in
            defer { hasStarted = true }
            return !hasStarted
        }
        return isFirst || replay == .repeatable
    }

    /// Produces the content and checks it against the announced length.
    func send(to channel: UploadChannel) async throws {
        var sent = 0
        do {
            try await producer { piece in
                sent += piece.count
                if let length, sent > length { throw BodyError(.tooLong(expected: length)) }
                try await channel.send(piece)
            }
        } catch {
            guard !channel.isClosed, !(error is BodyError) else { throw error }
            throw BodyError(.thrown(description: "\(error)"), underlying: error)
        }
        if let length, sent < length {
            throw BodyError(.tooShort(expected: length, sent: sent))
        }
    }
}

extension HTTPBody {
    /// Returns a body that sends the elements of a sequence as they arrive.
    ///
    /// The sequence is read on Swift's concurrent thread pool, never on the client's event loop. Reading
    /// is at most about 256 KiB ahead of the network. If the call ends early, for any reason, the reading
    /// task is cancelled. An error that the sequence throws ends the call with
    /// ``HTTPError/Kind/bodyFailed(_:)`` and becomes ``HTTPError/underlying``.
    ///
    /// A sequence is read once, so the body is not replayable. If the client must send it again, the call
    /// fails with `.bodyFailed(.notReplayable)`. To send a replayable body, use
    /// ``stream(length:contentType:_:)``.
    ///
    /// - Parameters:
    ///   - pieces: a sequence such as an `AsyncStream` of `[UInt8]` or `Data`; empty pieces are skipped.
    ///   - length: the total number of bytes. Default nil: unknown, and the body is sent in chunks. If
    ///     the sequence is shorter or longer, the call fails with `.bodyFailed(.tooShort)` or
    ///     `.bodyFailed(.tooLong)`, and the connection is closed. With a negative length, sending the
    ///     request throws `.invalidRequest(.bodyLength)`.
    ///   - contentType: default `application/octet-stream`; nil sends no Content-Type.
    /// - Returns: a body that can be sent once.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int? = nil,
        contentType: HTTPContentType? = .octetStream
    ) -> HTTPBody where Pieces.Element: Collection<UInt8> {
        let stream = BodyStream(pieces, length: length)
        return HTTPBody(content: .source(BodySource([.stream(stream)])), contentType: contentType)
    }

    /// Returns a body that sends the elements of a sequence, which is created each time the body is sent.
    ///
    ///     request.body = .stream { records.pieces(from: 0) }
    ///
    /// It works like ``stream(_:length:contentType:)``, but the body is replayable.
    ///
    /// - Parameters:
    ///   - length: the total number of bytes. Default nil: unknown, and the body is sent in chunks.
    ///   - contentType: default `application/octet-stream`; nil sends no Content-Type.
    ///   - pieces: creates the sequence, which must have the same bytes each time. The closure runs in the
    ///     task that reads the sequence.
    /// - Returns: a replayable body.
    public static func stream<Pieces: AsyncSequence & SendableMetatype>(
        length: Int? = nil,
        contentType: HTTPContentType? = .octetStream,
        _ pieces: @escaping @concurrent @Sendable () async throws -> sending Pieces
    ) -> HTTPBody
    where
        Pieces.Element: Collection<UInt8> & SendableMetatype,
        Pieces.AsyncIterator: SendableMetatype
    {
        let stream = BodyStream(length: length, producing: pieces)
        return HTTPBody(content: .source(BodySource([.stream(stream)])), contentType: contentType)
    }
}

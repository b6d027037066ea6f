internal import SocketTransport

/// Makes content out of a sequence of pieces.
package final class BodyStream: Sendable {
    /// Gives the pieces, one after the other, to what it is given.
    typealias Producer = @Sendable (_ send: ([UInt8]) async throws -> Void) async throws -> Void

    /// Says how often the content can be made.
    enum Replay: Sendable {
        case once
        case repeatable
    }

    /// Bytes, as announced; nil when nobody knows.
    let length: Int?
    private let replay: Replay
    private let producer: Producer
    private let hasStarted = Locked(false)

    init(length: Int?, replay: Replay, _ producer: @escaping Producer) {
        self.length = length
        self.replay = replay
        self.producer = producer
    }

    /// Reads a sequence, once.
    convenience init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int?)
    where Pieces.Element: Collection<UInt8> {
        self.init(length: length, replay: .once) { send in
            for try await piece in pieces { try await send(Array(piece)) }
        }
    }

    /// Reads a sequence that is made anew each time.
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

    /// Whether it can be made once only, and has been.
    var isConsumed: Bool { replay == .once && hasStarted.withLock { $0 } }

    /// Takes note of a use; false when there may be no more.
    func begin() -> Bool {
        let isFirst = hasStarted.withLock { hasStarted in
            defer { hasStarted = true }
            return !hasStarted
        }
        return isFirst || replay == .repeatable
    }

    /// Makes the content, and holds it to the length announced for it.
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
    /// The pieces of a sequence, sent as they come.
    ///
    /// The sequence is read on Swift's concurrent pool, never on the client's thread, at most about
    /// 256 KiB ahead of the network. When the call ends early, for whatever reason, its task is
    /// cancelled. An error that it throws ends the call with ``HTTPError/Kind/bodyFailed(_:)`` and is
    /// kept in ``HTTPError/underlying``.
    ///
    /// A sequence is read once, so such a body cannot be sent again: where it must be, the call ends
    /// with `.bodyFailed(.notReplayable)`. Use ``stream(length:contentType:_:)`` if you can make the
    /// sequence anew.
    ///
    /// - Parameters:
    ///   - pieces: such as an `AsyncStream` of `[UInt8]` or `Data`. Empty pieces are left out.
    ///   - length: bytes in all. Default nil: nobody knows, and the body is sent in chunks. If the
    ///     sequence is shorter or longer, the call ends with `.bodyFailed(.tooShort)` or
    ///     `.bodyFailed(.tooLong)` and the connection is closed. A negative length throws
    ///     `.invalidRequest(.bodyLength)` when the request is sent.
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

    /// The pieces of a sequence that is made each time the body is sent.
    ///
    ///     request.body = .stream { records.pieces(from: 0) }
    ///
    /// As ``stream(_:length:contentType:)``, but the body can be sent again.
    ///
    /// - Parameters:
    ///   - length: bytes in all. Default nil: nobody knows, and the body is sent in chunks.
    ///   - contentType: default `application/octet-stream`; nil sends no Content-Type.
    ///   - pieces: makes the sequence, which must give the same bytes each time; runs where the
    ///     sequence is read.
    /// - Returns: a body that can be sent again.
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

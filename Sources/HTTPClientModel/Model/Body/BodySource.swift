internal import SocketTransport
internal import Wire

/// Content that is produced while it is sent: bytes, files and sequences, one after the other.
package final class BodySource: Sendable {
    package let segments: [BodySegment]
    /// The trailer section; nil if there is none.
    package let trailers: BodyTrailers?
    /// The form that the segments are the encoding of; nil for other content.
    package let form: MultipartForm?

    package init(
        _ segments: [BodySegment],
        trailers: BodyTrailers? = nil,
        form: MultipartForm? = nil
    ) {
        self.segments = segments
        self.trailers = trailers
        self.form = form
    }

    /// The total number of bytes; nil if it is unknown, trailers follow, or a file cannot be read.
    package var length: Int? {
        do throws(InvalidBodyError) {
            return try sized().length
        } catch {
            return nil
        }
    }

    /// Whether the content can be produced more than once.
    package var isReplayable: Bool {
        segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.isReplayable } else { true }
        }
    }

    /// Whether the content can still be produced: it is replayable, or has not been produced yet.
    package var isReadyToSend: Bool {
        segments.allSatisfy { segment in
            if case .stream(let stream) = segment { !stream.isConsumed } else { true }
        }
    }

    /// Determines the length of each segment and checks that every file can be read.
    ///
    /// - Throws: `.bodyFile`, `.bodyLength`, `.trailerField`.
    package func sized() throws(InvalidBodyError) -> SizedBody {
        try trailers?.check()
        var lengths: [Int?] = []
        lengths.reserveCapacity(segments.count)
        for segment in segments {
            switch segment {
            case .bytes(let bytes): lengths.append(bytes.count)
            case .file(let file):
                do throws(HTTPError.FileError) {
                    lengths.append(try file.sized())
                } catch {
                    throw InvalidBodyError(.bodyFile(file.path, error))
                }
            case .stream(let stream):
                if let length = stream.length, length < 0 {
                    throw InvalidBodyError(.bodyLength(length))
                }
                lengths.append(stream.length)
            }
        }
        return SizedBody(self, lengths)
    }
}

/// A part of a body: bytes, a file or a sequence.
package enum BodySegment: Sendable {
    case bytes([UInt8])
    case file(BodyFile)
    case stream(BodyStream)
}

/// A source with the announced length of each segment; lengths of files are measured once.
package final class SizedBody: Sendable {
    package let source: BodySource
    package let lengths: [Int?]
    /// The total number of bytes to announce; nil if it is unknown or trailers follow.
    package let length: Int?

    package init(_ source: BodySource, _ lengths: [Int?]) {
        self.source = source
        self.lengths = lengths
        var sum: Int? = source.trailers == nil ? 0 : nil
        for length in lengths {
            guard let length, let before = sum else {
                sum = nil
                break
            }
            let (total, overflow) = before.addingReportingOverflow(length)
            sum = overflow ? nil : total
        }
        self.length = sum
    }

    /// Whether the content can still be produced.
    package var isReadyToSend: Bool { source.isReadyToSend }

    /// Records that the content is about to be produced.
    ///
    /// - Returns: false if the content was produced before and is not replayable.
    package func begin() -> Bool {
        source.segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.begin() } else { true }
        }
    }

    /// How the content of files is passed on.
    package enum FileForm: Sendable {
        /// As bytes in memory.
        case bytes
        /// As regions that the loop sends with sendfile(2), except for short files.
        case regions
    }

    /// Produces the content; call ``begin()`` first.
    ///
    /// - Parameters:
    ///   - channel: receives the pieces, in order.
    ///   - files: how files are passed on.
    /// - Returns: the trailers.
    /// - Throws: a ``BodyError``, or the error of a sequence or the channel.
    package func send(to channel: UploadChannel, files: FileForm) async throws -> HTTPHeaders {
        for index in lengths.indices {
            try await sendSegment(index, to: channel, files: files)
        }
        return try await source.trailers?.fields() ?? HTTPHeaders()
    }

    // A separate function: in the loop, the code that takes the next segment would follow each suspension.
    @inline(never) private func sendSegment(
        _ index: Int,
        to channel: UploadChannel,
        files: FileForm
    ) async throws {
        switch source.segments[index] {
        case .bytes(let bytes): try await channel.send(bytes)
        case .file(let file) where files == .regions:
            try await file.sendRegions(lengths[index] ?? 0, to: channel)
        case .file(let file):
            try await file.send(lengths[index] ?? 0) { try await channel.send($0) }
        case .stream(let stream): try await stream.send(to: channel)
        }
    }

    /// Produces the content for code that changes it before it is sent; call ``begin()`` first.
    ///
    /// - Parameter next: receives the pieces, in order.
    /// - Throws: a ``BodyError``, which also contains the errors of `next`.
    package func produce(_ next: ([UInt8]) async throws -> Void) async throws {
        for (segment, length) in zip(source.segments, lengths) {
            switch segment {
            case .bytes(let bytes): try await next(bytes)
            case .file(let file): try await file.send(length ?? 0, to: next)
            case .stream(let stream):
                do {
                    try await stream.produce(next)
                } catch let error as BodyError {
                    throw error
                } catch {
                    throw BodyError(.thrown(description: "\(error)"), underlying: error)
                }
            }
        }
    }
}

/// The reason why content cannot be sent, detected before any byte was sent.
package struct InvalidBodyError: Error {
    package let reason: HTTPError.InvalidRequestReason

    package init(_ reason: HTTPError.InvalidRequestReason) { self.reason = reason }
}

/// The reason why content could not be produced or sent, with the error that a sequence threw.
package final class BodyError: Error {
    package let reason: HTTPError.BodyReason
    package let underlying: (any Error)?

    package init(_ reason: HTTPError.BodyReason, underlying: (any Error)? = nil) {
        self.reason = reason
        self.underlying = underlying
    }
}

/// Content that is read from a sequence of pieces.
package final class BodyStream: Sendable {
    /// A function that passes the pieces to `send`, one after the other.
    package typealias Producer =
        @Sendable (_ send: ([UInt8]) async throws -> Void) async throws -> Void
    /// A function that passes the pieces from an offset on.
    package typealias SeekableProducer =
        @Sendable (_ offset: Int, _ send: ([UInt8]) async throws -> Void) async throws -> Void

    /// How often the content can be produced.
    package enum Replay: Sendable {
        case once
        case repeatable
    }

    /// The announced number of bytes; nil if it is unknown.
    package let length: Int?
    private let replay: Replay
    private let producer: Producer
    /// The producer of content that can begin at an offset; nil for other content.
    private let seekable: SeekableProducer?
    private let hasStarted = Locked(false)

    package init(length: Int?, replay: Replay, _ producer: @escaping Producer) {
        self.length = length
        self.replay = replay
        self.producer = producer
        seekable = nil
    }

    /// Creates content that can begin at an offset; it begins at `start`.
    package init(length: Int, from start: Int = 0, _ producer: @escaping SeekableProducer) {
        self.length = length
        replay = .repeatable
        self.producer = { send in try await producer(start, send) }
        seekable = { offset, send in try await producer(start + offset, send) }
    }

    /// Creates content from a sequence that can be read once.
    package convenience init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int?)
    where Pieces.Element: Collection<UInt8> {
        self.init(length: length, replay: .once) { send in
            for try await piece in pieces { try await send(Array(piece)) }
        }
    }

    /// Creates content from a closure that returns a new sequence for each use.
    package convenience init<Pieces: AsyncSequence & SendableMetatype>(
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

    package var isReplayable: Bool { replay == .repeatable }

    package var isSeekable: Bool { seekable != nil }

    /// Returns the content from an offset on, which is at most its length; nil if it cannot begin there.
    package func suffix(from offset: Int) -> BodyStream? {
        guard let seekable, let length else { return nil }
        return BodyStream(length: length - offset, from: offset, seekable)
    }

    /// Whether the content can be produced only once, and has been.
    var isConsumed: Bool { replay == .once && hasStarted.withLock { $0 } }

    /// Records a use and returns whether it is allowed.
    package func begin() -> Bool {
        let isFirst = hasStarted.withLock { hasStarted in
            defer { hasStarted = true }
            return !hasStarted
        }
        return isFirst || replay == .repeatable
    }

    /// Produces the content and checks it against the announced length.
    package func send(to channel: UploadChannel) async throws {
        do {
            try await produce { try await channel.send($0) }
        } catch {
            guard !channel.isClosed, !(error is BodyError) else { throw error }
            throw BodyError(.thrown(description: "\(error)"), underlying: error)
        }
    }

    /// Produces the content for `next`, and checks it against the announced length.
    fileprivate func produce(_ next: ([UInt8]) async throws -> Void) async throws {
        var sent = 0
        try await producer { piece in
            sent += piece.count
            if let length, sent > length { throw BodyError(.tooLong(expected: length)) }
            try await next(piece)
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
    /// task is canceled. An error that the sequence throws ends the call with
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

/// A file, or a range of its bytes, that is sent as content.
package struct BodyFile: Sendable {
    package let path: String
    /// The range in bytes; nil for the whole file.
    package let range: Range<Int>?
    /// Whether the last byte must be the last one of the file.
    private let mustReachEnd: Bool

    package init(path: String, range: Range<Int>? = nil) {
        self.init(path: path, range, mustReachEnd: range == nil)
    }

    private init(path: String, _ range: Range<Int>?, mustReachEnd: Bool) {
        self.path = path
        self.range = range
        self.mustReachEnd = mustReachEnd
    }

    /// Returns the content from an offset on.
    ///
    /// - Parameters:
    ///   - offset: the offset, at most `length`.
    ///   - length: the number of bytes of this content.
    /// - Returns: the rest.
    package func suffix(from offset: Int, of length: Int) -> BodyFile {
        let start = range?.lowerBound ?? 0
        let rest = start + offset..<start + length
        return BodyFile(path: path, rest, mustReachEnd: mustReachEnd)
    }

    /// The bytes of one read, which is also one piece; large enough to make system calls negligible.
    private static let pieceSize = 128 << 10

    /// Opens the file to check that it can be read, and returns the number of bytes to send.
    package func sized() throws(HTTPError.FileError) -> Int {
        let length: Int
        do throws(FileReader.ReadError) {
            length = try FileReader(path: path).length
        } catch {
            throw HTTPError.FileError(error)
        }
        guard let range else { return length }
        guard range.lowerBound >= 0, range.upperBound <= length else {
            throw .rangeOutOfBounds(length: length)
        }
        return range.count
    }

    /// Reads the file and sends it; the file must still have exactly the announced number of bytes.
    package func send(_ length: Int, to next: ([UInt8]) async throws -> Void) async throws {
        try await withFile(length) { file, range in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let count = min(Self.pieceSize, range.upperBound - offset)
                let piece = try file.read(count, at: offset)
                guard !piece.isEmpty else { throw BodyError(.file(path, .changed)) }
                offset += piece.count
                try await next(piece)
            }
        }
    }

    /// Opens the file and passes it with the range to send; then checks that it has not grown.
    func withFile(
        _ length: Int,
        _ body: (FileReader, Range<Int>) async throws -> Void
    ) async throws {
        do {
            let file = try FileReader(path: path)
            let start = range?.lowerBound ?? 0
            try await body(file, start..<start + length)
            // The reported length may be wrong from the start, as for files in /proc.
            guard mustReachEnd, !(try file.read(1, at: start + length).isEmpty) else { return }
        } catch let readError as FileReader.ReadError {
            throw BodyError(.file(path, HTTPError.FileError(readError)))
        }
        throw BodyError(.file(path, .changed))
    }
}

extension HTTPError.FileError {
    package init(_ readError: FileReader.ReadError) {
        switch readError {
        case .system(let errno):
            self = .unreadable(errno: errno.rawValue, reason: errno.description)
        case .notRegular: self = .notRegular
        }
    }
}

extension HTTPBody {
    /// Returns a body that reads a file while it is sent, in constant memory.
    ///
    /// The client opens the file when the request is sent, to determine the length and to detect errors
    /// before any byte is sent. This happens on the calling thread, which waits if the disk is slow. The
    /// client opens the file again when it needs the content.
    ///
    /// - Parameters:
    ///   - file: a path, or the file URL of a regular file. A path without a leading slash is relative to the
    ///     working directory of the process. If the file is missing or unreadable, sending the request throws
    ///     `.invalidRequest(.bodyFile)`; if the value names no file, `.invalidRequest(.body(…))`. If its length changes while it is sent, the call throws
    ///     `.bodyFailed(.file(_, .changed))` and the connection is closed.
    ///   - range: the bytes to send; default nil, which sends all. A range with a negative bound, or with
    ///     an end beyond the file, throws `.invalidRequest(.bodyFile)`.
    ///   - contentType: default nil, which derives it from the extension of the file name
    ///     (``HTTPContentType/init(fileName:)``).
    /// - Returns: a replayable body.
    public static func file(
        _ file: some HTTPFilePath,
        range: Range<Int>? = nil,
        contentType: HTTPContentType? = nil
    ) -> HTTPBody {
        let path: String
        do throws(HTTPError) {
            path = try file.httpFilePath
        } catch {
            let reason = HTTPError.InvalidRequestReason.body(reason: "\(file): \(error.kind)")
            return HTTPBody(content: .invalid(reason), contentType: contentType)
        }
        return HTTPBody(
            content: .source(BodySource([.file(BodyFile(path: path, range: range))])),
            contentType: contentType ?? HTTPContentType(fileName: path)
        )
    }
}

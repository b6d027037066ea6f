internal import Wire

extension HTTPBody {
    /// Returns a body that sends the elements of a sequence, which can begin at any byte.
    ///
    ///     let body = HTTPBody.seekable(length: film.size) { offset in film.pieces(from: offset) }
    ///
    /// It works like ``stream(length:contentType:_:)``, and ``suffix(from:)`` can return the rest of it. Protocols
    /// for resumable uploads need that: after a lost connection, the server says how much it has.
    ///
    /// - Parameters:
    ///   - length: the total number of bytes. With a negative length, sending the request throws
    ///     `.invalidRequest(.bodyLength)`.
    ///   - contentType: default `application/octet-stream`; nil sends no Content-Type.
    ///   - pieces: creates the sequence of the bytes from an offset on, which must be the same bytes each time. The
    ///     offset is between 0 and `length`. The closure runs in the task that reads the sequence.
    /// - Returns: a replayable body of known length.
    public static func seekable<Pieces: AsyncSequence & SendableMetatype>(
        length: Int,
        contentType: HTTPContentType? = .octetStream,
        _ pieces: @escaping @concurrent @Sendable (_ offset: Int) async throws -> sending Pieces
    ) -> HTTPBody
    where
        Pieces.Element: Collection<UInt8> & SendableMetatype,
        Pieces.AsyncIterator: SendableMetatype
    {
        let stream = BodyStream(length: length) { offset, send in
            for try await piece in try await pieces(offset) { try await send(Array(piece)) }
        }
        return HTTPBody(content: .source(BodySource([.stream(stream)])), contentType: contentType)
    }

    /// Whether ``suffix(from:)`` can return a part of the body.
    ///
    /// True for bytes, text, JSON text, forms, files, ``seekable(length:contentType:_:)``, and multipart forms of
    /// these. False for sequences, for a body with trailers, which concern the whole body, and for a value that
    /// is encoded on sending, because the client decides its bytes.
    public var isSeekable: Bool {
        switch content {
        case .none, .bytes: true
        case .source(let source): source.isSeekable
        case .deferred, .invalid: false
        }
    }

    /// Returns the bytes of the body from an offset on, with the same content type.
    ///
    /// The first `offset` bytes are not produced. For a file, this opens the file to determine its length.
    ///
    /// - Parameter offset: the number of bytes to leave out, from 0 to the length of the body. With the whole
    ///   length, the result is empty.
    /// - Returns: a body that can be sent many times, and that is seekable too.
    /// - Throws: `.invalidRequest(.bodyOffset)` if the body is not seekable or shorter than `offset`, or if
    ///   `offset` is negative; `.invalidRequest(.bodyFile)` for a file that cannot be read; the reason why the
    ///   body itself is invalid. The phase is `.preparing`.
    public func suffix(from offset: Int) throws(HTTPError) -> HTTPBody {
        let rest: Content
        do throws(InvalidBodyError) {
            rest = try content.suffix(from: offset)
        } catch {
            throw HTTPError(.invalidRequest(error.reason), phase: .preparing)
        }
        return HTTPBody(content: rest, contentType: contentType)
    }
}

extension HTTPBody.Content {
    fileprivate func suffix(from offset: Int) throws(InvalidBodyError) -> HTTPBody.Content {
        switch self {
        case .none:
            guard offset == 0 else { throw .outside(offset, 0) }
            return .none
        case .bytes(let bytes):
            guard 0...bytes.count ~= offset else { throw .outside(offset, bytes.count) }
            return .bytes(Array(bytes[offset...]))
        case .source(let source): return .source(try source.suffix(from: offset))
        case .deferred: throw .notSeekable(offset, "a value that is encoded on sending")
        case .invalid(let reason): throw InvalidBodyError(reason)
        }
    }
}

extension BodySource {
    package var isSeekable: Bool {
        trailers == nil
            && segments.allSatisfy { segment in
                if case .stream(let stream) = segment { stream.isSeekable } else { true }
            }
    }

    fileprivate func suffix(from offset: Int) throws(InvalidBodyError) -> BodySource {
        guard trailers == nil else { throw .notSeekable(offset, "a body with trailers") }
        let sized = try sized()
        guard isSeekable, let length = sized.length else { throw .sequence(offset) }
        guard 0...length ~= offset else { throw .outside(offset, length) }
        var rest: [BodySegment] = []
        var skip = offset
        for (segment, length) in zip(segments, sized.lengths) {
            let length = length ?? 0
            if skip == 0 {
                rest.append(segment)
            } else if skip >= length {
                skip -= length
            } else {
                guard let part = segment.suffix(from: skip, of: length) else {
                    throw .sequence(offset)
                }
                rest.append(part)
                skip = 0
            }
        }
        return BodySource(rest)
    }
}

extension BodySegment {
    /// Returns the content from an offset on, which is smaller than its length; nil if it cannot begin there.
    fileprivate func suffix(from offset: Int, of length: Int) -> BodySegment? {
        switch self {
        case .bytes(let bytes): .bytes(Array(bytes[offset...]))
        case .file(let file): .file(file.suffix(from: offset, of: length))
        case .stream(let stream): stream.suffix(from: offset).map { .stream($0) }
        }
    }
}

extension InvalidBodyError {
    fileprivate static func outside(_ offset: Int, _ length: Int) -> InvalidBodyError {
        InvalidBodyError(.bodyOffset(offset, reason: "it has \(length) bytes"))
    }

    fileprivate static func sequence(_ offset: Int) -> InvalidBodyError {
        notSeekable(offset, "a sequence, which can only be read from its beginning")
    }

    fileprivate static func notSeekable(_ offset: Int, _ kind: String) -> InvalidBodyError {
        InvalidBodyError(.bodyOffset(offset, reason: "it is \(kind)"))
    }
}

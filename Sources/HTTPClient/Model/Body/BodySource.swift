internal import SocketTransport

/// Content that is produced while it is sent: bytes, files and sequences, one after the other.
final class BodySource: Sendable {
    let segments: [BodySegment]

    init(_ segments: [BodySegment]) {
        self.segments = segments
    }

    /// The total number of bytes; nil if it is unknown or a file cannot be read.
    var length: Int? {
        do throws(InvalidBodyError) {
            return try sized().length
        } catch {
            return nil
        }
    }

    /// Whether the content can be produced more than once.
    var isReplayable: Bool {
        segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.isReplayable } else { true }
        }
    }

    /// Whether the content can still be produced: it is replayable, or has not been produced yet.
    var isReadyToSend: Bool {
        segments.allSatisfy { segment in
            if case .stream(let stream) = segment { !stream.isConsumed } else { true }
        }
    }

    /// Determines the length of each segment and checks that every file can be read.
    ///
    /// - Throws: `.bodyFile`, `.bodyLength`.
    func sized() throws(InvalidBodyError) -> SizedBody {
        var lengths: [Int?] = []
        lengths.reserveCapacity(segments.count)
        for segment in segments {
            switch segment {
            case .bytes(let bytes): lengths.append(bytes.count)
            case .file(let file):
                do throws(HTTPFileError) {
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
final class SizedBody: Sendable {
    let source: BodySource
    let lengths: [Int?]
    /// The total number of bytes; nil if it is unknown.
    let length: Int?

    init(_ source: BodySource, _ lengths: [Int?]) {
        self.source = source
        self.lengths = lengths
        var sum: Int? = 0
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
    var isReadyToSend: Bool { source.isReadyToSend }

    /// Records that the content is about to be produced.
    ///
    /// - Returns: false if the content was produced before and is not replayable.
    func begin() -> Bool {
        source.segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.begin() } else { true }
        }
    }

    /// Produces the content; call ``begin()`` first.
    ///
    /// - Parameter channel: receives the pieces, in order.
    /// - Throws: a ``BodyError``, or the error of a sequence or the channel.
    func send(to channel: UploadChannel) async throws {
        for (segment, length) in zip(source.segments, lengths) {
            switch segment {
            case .bytes(let bytes): try await channel.send(bytes)
            case .file(let file): try await file.send(length ?? 0, to: channel)
            case .stream(let stream): try await stream.send(to: channel)
            }
        }
    }
}

/// The reason why content cannot be sent, detected before any byte was sent.
struct InvalidBodyError: Error {
    let reason: HTTPInvalidRequestReason

    init(_ reason: HTTPInvalidRequestReason) { self.reason = reason }
}

/// The reason why content could not be produced or sent, with the error that a sequence threw.
final class BodyError: Error {
    let reason: HTTPBodyFailureReason
    let underlying: (any Error)?

    init(_ reason: HTTPBodyFailureReason, underlying: (any Error)? = nil) {
        self.reason = reason
        self.underlying = underlying
    }
}

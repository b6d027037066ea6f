internal import SocketTransport

/// Makes content while it is sent: runs of bytes, files and sequences, one behind the other.
final class BodySource: Sendable {
    let segments: [BodySegment]

    init(_ segments: [BodySegment]) {
        self.segments = segments
    }

    /// Bytes in all; nil when nobody knows before, or a file cannot be asked.
    var length: Int? {
        do throws(InvalidBodyError) {
            return try sized().length
        } catch {
            return nil
        }
    }

    /// Whether it can be made more than once.
    var isReplayable: Bool {
        segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.isReplayable } else { true }
        }
    }

    /// Finds out how long each segment is, and that every file can be read.
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

/// Names a run of bytes of a body, and where it comes from.
package enum BodySegment: Sendable {
    case bytes([UInt8])
    case file(BodyFile)
    case stream(BodyStream)
}

/// Holds a source with the lengths that are announced for it; the files have them at that moment.
final class SizedBody: Sendable {
    let source: BodySource
    let lengths: [Int?]
    /// Bytes in all; nil when nobody knows.
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

    /// Whether the content can still be made: always, or because it has not been yet.
    var isReadyToSend: Bool {
        source.segments.allSatisfy { segment in
            if case .stream(let stream) = segment { !stream.isConsumed } else { true }
        }
    }

    /// Takes note that the content is about to be made.
    ///
    /// - Returns: false when that may not be done, since it has been and cannot be again.
    func begin() -> Bool {
        source.segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.begin() } else { true }
        }
    }

    /// Makes the content, after ``begin()``.
    ///
    /// - Parameter channel: takes the pieces, in order.
    /// - Throws: a ``BodyError``; what a sequence or the channel throws.
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

/// Tells why content cannot be sent, before anything was.
struct InvalidBodyError: Error {
    let reason: HTTPInvalidRequestReason

    init(_ reason: HTTPInvalidRequestReason) { self.reason = reason }
}

/// Tells why content could not be made or sent, with what a sequence threw.
final class BodyError: Error {
    let reason: HTTPBodyFailureReason
    let underlying: (any Error)?

    init(_ reason: HTTPBodyFailureReason, underlying: (any Error)? = nil) {
        self.reason = reason
        self.underlying = underlying
    }
}

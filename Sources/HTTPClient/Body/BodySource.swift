internal import SocketTransport

/// Makes content while it is sent: runs of octets, files and sequences, one behind the other.
final class BodySource: Sendable {
    let segments: [BodySegment]

    init(_ segments: [BodySegment]) {
        self.segments = segments
    }

    /// Octets in all; nil when nobody knows before, or a file cannot be asked.
    var length: Int? {
        do throws(InvalidBody) {
            return try measured().length
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
    func measured() throws(InvalidBody) -> MeasuredBody {
        var lengths: [Int?] = []
        lengths.reserveCapacity(segments.count)
        for segment in segments {
            switch segment {
            case .bytes(let bytes): lengths.append(bytes.count)
            case .file(let file):
                do throws(HTTPFileFault) {
                    lengths.append(try file.measured())
                } catch {
                    throw InvalidBody(.bodyFile(file.path, error))
                }
            case .stream(let stream):
                if let length = stream.length, length < 0 { throw InvalidBody(.bodyLength(length)) }
                lengths.append(stream.length)
            }
        }
        return MeasuredBody(self, lengths)
    }
}

/// Names a run of octets of a body, and where it comes from.
package enum BodySegment: Sendable {
    case bytes([UInt8])
    case file(BodyFile)
    case stream(BodyStream)
}

/// Holds a source with the lengths that are announced for it; the files have them at that moment.
final class MeasuredBody: Sendable {
    let source: BodySource
    let lengths: [Int?]
    /// Octets in all; nil when nobody knows.
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
    var canBeMade: Bool {
        source.segments.allSatisfy { segment in
            if case .stream(let stream) = segment { !stream.isUsedUp } else { true }
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
    /// - Throws: a ``BodyFailure``; what a sequence or the channel throws.
    func make(into channel: UploadChannel) async throws {
        for (segment, length) in zip(source.segments, lengths) {
            switch segment {
            case .bytes(let bytes): try await channel.send(bytes)
            case .file(let file): try await file.make(length ?? 0, into: channel)
            case .stream(let stream): try await stream.make(into: channel)
            }
        }
    }
}

/// Tells why content cannot be sent, before anything was.
struct InvalidBody: Error {
    let fault: InvalidRequest

    init(_ fault: InvalidRequest) { self.fault = fault }
}

/// Tells why content could not be made or sent, with what a sequence threw.
final class BodyFailure: Error {
    let problem: HTTPBodyProblem
    let underlying: (any Error)?

    init(_ problem: HTTPBodyProblem, underlying: (any Error)? = nil) {
        self.problem = problem
        self.underlying = underlying
    }
}

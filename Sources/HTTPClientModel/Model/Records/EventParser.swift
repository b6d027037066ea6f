package import Wire

/// A parser of the events in a body (Server-Sent Events).
package struct EventParser: RecordParser {
    private var events: EventStreamDecoder

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - maxLength: the maximum number of bytes in the data of an event, and in each of its lines.
    ///   - lastEventID: the last event ID of an earlier connection; empty if there is none.
    package init(maxLength: Int, lastEventID: String = "") {
        events = EventStreamDecoder(maxLength: maxLength, lastEventID: lastEventID)
    }

    /// The last event ID that took effect; empty if there is none.
    package var lastEventID: String { events.lastEventID }

    /// The delay that the server has set for reconnecting; nil if it has not.
    package var retryDelay: Duration? {
        // A larger number is a mistake, or an attack.
        events.retryMilliseconds.map { .milliseconds(min($0, Self.maxRetryMilliseconds)) }
    }

    /// A year.
    private static let maxRetryMilliseconds = 366 * 86_400 * 1000

    package mutating func next(
        in bytes: Span<UInt8>,
        consumed: inout Int
    ) throws(RecordFailure) -> HTTPServerSentEvent? {
        do throws(HTTPRecordError) {
            let step = try events.decode(bytes)
            consumed = step.consumed
            return step.event
        } catch {
            throw RecordFailure(error)
        }
    }

    package mutating func read(
        _ bytes: Span<UInt8>,
        consumed: inout Int,
        into records: inout [HTTPServerSentEvent]
    ) throws(RecordFailure) {
        defer { records.reverse() }
        do throws(HTTPRecordError) {
            consumed = try events.decode(
                bytes,
                into: &records,
                atMost: RecordBatch.maxCount,
                within: RecordBatch.maxBytes
            )
        } catch {
            throw RecordFailure(error)
        }
    }

    package mutating func finish(
        _ bytes: Span<UInt8>
    ) throws(RecordFailure) -> HTTPServerSentEvent? {
        // An event without an empty line after it is incomplete (WHATWG HTML §9.2.6).
        nil
    }
}

/// A decoder of event streams (WHATWG HTML §9.2.6).
///
/// An event is returned with the empty line after it. An event without that line is discarded at the end of
/// the body, as the standard requires. The decoder follows the buffer contract of this module.
package struct EventStreamDecoder: Sendable {
    /// The result of a step.
    package struct Step: Equatable, Sendable {
        /// The number of bytes at the front that are no longer needed.
        package var consumed: Int
        /// The event that was found; nil until more bytes arrive.
        package var event: HTTPServerSentEvent?

        package init(consumed: Int, event: HTTPServerSentEvent?) {
            self.consumed = consumed
            self.event = event
        }
    }

    /// The position in the line structure.
    private enum Position: Sendable {
        /// At the start of the stream, where a byte order mark is ignored.
        case start
        /// In a line.
        case line
        /// After a CR, whose line end also includes an LF that follows.
        case afterReturn
    }

    /// The data of the current event.
    private enum EventData: Sendable {
        case none
        /// One value, as a range of the passed bytes; only within a step.
        case range(Range<Int>)
        /// The values are in `lines`, separated by LF.
        case copied
    }

    /// The last event ID that took effect: that of the last event, or of an empty line without data.
    package private(set) var lastEventID: String
    /// The time in milliseconds that the server wants clients to wait before they reconnect; nil if not set.
    package private(set) var retryMilliseconds: Int?
    private let maxLength: Int
    private var position = Position.start
    /// The number of bytes at the front without a CR or LF.
    private var searched = 0
    private var data = EventData.none
    private var lines: [UInt8] = []
    private var type = Self.defaultType
    /// The value of the last field `id`, which takes effect with the next empty line.
    private var id: String
    /// Whether `id` has not taken effect yet.
    private var hasNewID = false

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - maxLength: the maximum number of bytes in the data of an event, and in each of its lines.
    ///   - lastEventID: the last event ID of an earlier connection; empty if there is none.
    package init(maxLength: Int, lastEventID: String = "") {
        self.maxLength = maxLength
        self.lastEventID = lastEventID
        id = lastEventID
    }

    /// Decodes the next event.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet.
    /// - Returns: the event, or no event if its end has not arrived.
    /// - Throws: `.eventTooLong`, even before the end of the event has arrived.
    package mutating func decode(_ bytes: Span<UInt8>) throws(HTTPRecordError) -> Step {
        var events: [HTTPServerSentEvent] = []
        let consumed = try decode(bytes, into: &events, atMost: 1)
        return Step(consumed: consumed, event: events.first)
    }

    /// Decodes the next events, which costs less than one at a time.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that are not consumed yet.
    ///   - events: the array to which the events are added.
    ///   - count: the maximum number of events to add; at least 1.
    ///   - length: the number of bytes after which no further event begins. Default all.
    /// - Returns: the number of bytes at the front that are no longer needed. If fewer events than `count`
    ///   were added before `length` bytes, the end of the next event has not arrived.
    /// - Throws: `.eventTooLong`, even before the end of the event has arrived. The events before it have
    ///   been added.
    package mutating func decode(
        _ bytes: Span<UInt8>,
        into events: inout [HTTPServerSentEvent],
        atMost count: Int,
        within length: Int = .max
    ) throws(HTTPRecordError) -> Int {
        var start = 0
        if case .start = position {
            guard let end = Self.markEnd(in: bytes) else { return 0 }
            start = end
            position = .line
        }
        var search = max(start, searched)
        var remaining = count
        while start < bytes.count {
            if case .afterReturn = position {
                position = .line
                if bytes[start] == Byte.lineFeed {
                    start += 1
                    search = start
                    continue
                }
            }
            guard let end = HeadScanner.bodyLineEnd(in: bytes, from: search) else { break }
            guard end - start <= maxLength else { throw .eventTooLong(limit: maxLength) }
            let line = start..<end
            start = end + 1
            if bytes[end] == Byte.carriageReturn {
                // The common case of CRLF needs no state.
                if start < bytes.count {
                    if bytes[start] == Byte.lineFeed { start += 1 }
                } else {
                    position = .afterReturn
                }
            }
            search = start
            if !line.isEmpty {
                try readField(line, of: bytes)
            } else if dispatch(bytes, to: &events) {
                remaining -= 1
                if remaining == 0 || start >= length {
                    searched = 0
                    return start
                }
            }
        }
        guard bytes.count - start <= maxLength else { throw .eventTooLong(limit: maxLength) }
        keepData(bytes)
        searched = bytes.count - start
        return start
    }

    /// Returns the end of a byte order mark at the start, or 0; nil if more bytes must arrive.
    private static func markEnd(in bytes: Span<UInt8>) -> Int? {
        let mark: InlineArray<3, UInt8> = [0xEF, 0xBB, 0xBF]
        for index in mark.indices {
            guard index < bytes.count else { return nil }
            guard bytes[index] == mark[index] else { return 0 }
        }
        return 3
    }

    /// Ends the event at an empty line; returns whether it was added, because it has data.
    private mutating func dispatch(
        _ bytes: Span<UInt8>,
        to events: inout [HTTPServerSentEvent]
    ) -> Bool {
        if hasNewID {
            lastEventID = id
            hasNewID = false
        }
        let text: String
        switch data {
        case .none:
            type = Self.defaultType
            return false
        case .range(let range): text = TextDecoding.repairedUTF8(bytes.extracting(range))
        case .copied:
            text = TextDecoding.repairedUTF8(lines.span)
            // One large event must not occupy memory until the end of the stream.
            lines.removeAll(keepingCapacity: lines.count <= Self.maxKeptCapacity)
        }
        data = .none
        events.append(HTTPServerSentEvent(type: type, data: text, lastEventID: lastEventID))
        type = Self.defaultType
        return true
    }

    private static var defaultType: String { "message" }
    private static let maxKeptCapacity = 64 << 10

    // MARK: - Fields

    /// Reads a line that is not empty; a line that begins with a colon is a comment.
    @inline(__always)
    private mutating func readField(
        _ line: Range<Int>,
        of bytes: Span<UInt8>
    ) throws(HTTPRecordError) {
        let first = bytes[line.lowerBound]
        if first == UInt8(ascii: "d") {
            // data
            if let value = Self.value(of: [0x64, 0x61, 0x74, 0x61], line, bytes) {
                try addData(value, bytes)
            }
        } else if first == UInt8(ascii: "e") || first == UInt8(ascii: "i")
            || first == UInt8(ascii: "r")
        {
            readOtherField(line, bytes)
        }
    }

    private mutating func readOtherField(_ line: Range<Int>, _ bytes: Span<UInt8>) {
        // event, id, retry
        if let value = Self.value(of: [0x65, 0x76, 0x65, 0x6e, 0x74], line, bytes) {
            let name = TextDecoding.repairedUTF8(bytes.extracting(value))
            type = name.isEmpty ? Self.defaultType : name
        } else if let value = Self.value(of: [0x69, 0x64], line, bytes) {
            // An ID with NUL is ignored: it could not be sent back in a header field.
            for index in value where bytes[index] == 0 { return }
            id = TextDecoding.repairedUTF8(bytes.extracting(value))
            hasNewID = true
        } else if let value = Self.value(of: [0x72, 0x65, 0x74, 0x72, 0x79], line, bytes) {
            switch Digits.decimal(bytes.extracting(value)) {
            case .value(let milliseconds): retryMilliseconds = milliseconds
            case .tooLarge: retryMilliseconds = .max
            case .malformed: break
            }
        }
    }

    /// Returns the value of a field: all after the colon and one space; nil if it has another name.
    ///
    /// A line without a colon is a name with an empty value.
    @inline(__always)
    private static func value<let count: Int>(
        of name: InlineArray<count, UInt8>,
        _ line: Range<Int>,
        _ bytes: Span<UInt8>
    ) -> Range<Int>? {
        guard line.count >= count else { return nil }
        for index in name.indices where bytes[line.lowerBound + index] != name[index] {
            return nil
        }
        var start = line.lowerBound + count
        guard start < line.upperBound else { return start..<start }
        guard bytes[start] == Byte.colon else { return nil }
        start += 1
        if start < line.upperBound, bytes[start] == Byte.space { start += 1 }
        return start..<line.upperBound
    }

    @inline(__always)
    private mutating func addData(
        _ value: Range<Int>,
        _ bytes: Span<UInt8>
    ) throws(HTTPRecordError) {
        if case .none = data {
            data = .range(value)
            return
        }
        keepData(bytes)
        guard value.count < maxLength - lines.count else { throw .eventTooLong(limit: maxLength) }
        lines.append(Byte.lineFeed)
        lines.append(copying: bytes.extracting(value))
    }

    /// Copies data that is still in the passed bytes, which the caller is about to remove.
    private mutating func keepData(_ bytes: Span<UInt8>) {
        guard case .range(let value) = data else { return }
        lines.append(copying: bytes.extracting(value))
        data = .copied
    }
}

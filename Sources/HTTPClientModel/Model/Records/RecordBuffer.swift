internal import Wire

/// The received bytes of a body with the parser of its records.
package struct RecordBuffer<Parser: RecordParser>: Sendable {
    private enum Stage: Sendable {
        case reading
        /// The body has ended; the last bytes may be one more record.
        case finishing
        case ended
    }

    package private(set) var parser: Parser
    private var stage = Stage.reading
    /// The received bytes; those before `position` are consumed.
    private var bytes: [UInt8] = []
    private var position = 0

    package init(_ parser: Parser) {
        self.parser = parser
    }

    /// Whether all records have been returned.
    package var isAtEnd: Bool {
        if case .ended = stage { true } else { false }
    }

    /// Adds the next bytes of the body; an empty array is its end.
    package mutating func append(_ chunk: [UInt8]) {
        guard !isAtEnd else { return }
        if chunk.isEmpty {
            stage = .finishing
        } else if position == bytes.count {
            bytes = chunk
            position = 0
        } else {
            bytes.removeSubrange(..<position)
            bytes += chunk
            position = 0
        }
    }

    /// Adds the next records to an empty array, the next one last.
    ///
    /// It adds none until more bytes are added, and at the end.
    ///
    /// - Throws: the reason why no record follows those that were added. Unless that is recoverable, none
    ///   will follow.
    package mutating func read(into records: inout [Parser.Record]) throws(RecordFailure) {
        do throws(RecordFailure) {
            switch stage {
            case .reading:
                var consumed = 0
                defer { position += consumed }
                try Self.read(&parser, bytes, from: position, consumed: &consumed, into: &records)
            case .finishing:
                defer { end() }
                if let record = try Self.finish(&parser, bytes, from: position) {
                    records.append(record)
                }
            case .ended: break
            }
        } catch {
            if !error.isRecoverable { end() }
            throw error
        }
    }

    // Static, because a span of `bytes` in a mutating function would count as an access to all properties.
    @inline(__always)
    private static func read(
        _ parser: inout Parser,
        _ bytes: [UInt8],
        from position: Int,
        consumed: inout Int,
        into records: inout [Parser.Record]
    ) throws(RecordFailure) {
        try parser.read(
            bytes.span.extracting(droppingFirst: position),
            consumed: &consumed,
            into: &records
        )
    }

    private static func finish(
        _ parser: inout Parser,
        _ bytes: [UInt8],
        from position: Int
    ) throws(RecordFailure) -> Parser.Record? {
        try parser.finish(bytes.span.extracting(droppingFirst: position))
    }

    /// Discards all bytes; no record follows.
    package mutating func end() {
        stage = .ended
        bytes = []
        position = 0
    }
}

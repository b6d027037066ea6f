import Wire

/// A rule on which the two readers differ, and why Wire is right.
struct KnownDifference: Sendable {
    /// The property of the message.
    let rule: String
    /// The reader that accepts such a message; the other rejects it, waits for more, or ends it elsewhere.
    let acceptor: Acceptor
    /// The reason why Wire is right, with the section.
    let reason: String
    /// An example of such a message.
    let example: Example
    private let matches: @Sendable (Message) -> Bool

    struct Example: Sendable {
        let role: Message.Role
        let text: String
    }

    enum Acceptor: Sendable {
        case wire
        case httpParser
        case both
    }

    /// Creates a row for messages that Wire rejects.
    ///
    /// The test receives the error and the byte at its offset. The byte is nil for an error without
    /// an offset, and after the end.
    static func wireRejects(
        _ rule: String,
        _ reason: String,
        example role: Message.Role,
        _ text: String,
        _ matches: @escaping @Sendable (WireError, UInt8?) -> Bool
    ) -> KnownDifference {
        let example = Example(role: role, text: text)
        return KnownDifference(rule: rule, acceptor: .httpParser, reason: reason, example: example)
        {
            message in
            guard case .refused(let error, let section) = message.wire else { return false }
            // The start of the trailer section in the body is not known here.
            let isInTrailers = section > 0 && error.kind == .head
            let place = isInTrailers ? nil : error.offset.map { section + $0 }
            return matches(error, place.flatMap { message.byte(at: $0) })
        }
    }

    /// Creates a row for messages that http_parser rejects, with the names of its errors.
    static func httpParserRejects(
        _ names: Set<String>,
        _ rule: String,
        _ reason: String,
        example role: Message.Role,
        _ text: String,
        _ matches: @escaping @Sendable (Message) -> Bool
    ) -> KnownDifference {
        let example = Example(role: role, text: text)
        return KnownDifference(rule: rule, acceptor: .wire, reason: reason, example: example) {
            message in
            guard case .rejectedByHTTPParser(let name) = message.httpParser else { return false }
            return names.contains(name) && matches(message)
        }
    }

    /// Creates a row for messages whose end differs, or that only one reader completes.
    ///
    /// Either reader may reject the bytes after the end.
    static func endsDiffer(
        _ rule: String,
        _ reason: String,
        example role: Message.Role,
        _ text: String,
        _ matches: @escaping @Sendable (Message) -> Bool
    ) -> KnownDifference {
        let example = Example(role: role, text: text)
        return KnownDifference(
            rule: rule,
            acceptor: .both,
            reason: reason,
            example: example,
            matches: matches
        )
    }

    /// The checked table.
    ///
    /// The program stops if a row is obsolete: both readers agree on its example, or the example
    /// belongs to another case.
    static let checkedTable: [KnownDifference] = {
        let stale = knownDifferences.compactMap { row -> String? in
            let message = Message(role: row.example.role, bytes: Array(row.example.text.utf8)[...])
            if message.wire.isEquivalent(to: message.httpParser) {
                return "read alike: \(row.rule) \(message)"
            }
            return row.explains(message) ? nil : "another case: \(row.rule) \(message)"
        }
        precondition(stale.isEmpty, stale.joined(separator: "\n"))
        return knownDifferences
    }()

    /// Whether the row explains the message.
    func explains(_ message: Message) -> Bool { matches(message) }
}

extension WireError {
    /// The offset in the part that the error refers to.
    var offset: Int? {
        switch self {
        case .malformedVersion(let offset), .malformedStatus(let offset),
            .malformedReason(let offset), .malformedRequestLine(let offset),
            .bareLineFeed(let offset), .bareCarriageReturn(let offset),
            .leadingWhitespace(let offset), .foldedLine(let offset),
            .emptyFieldName(let offset), .spaceBeforeColon(let offset),
            .missingColon(let offset), .malformedFieldName(let offset),
            .malformedFieldValue(let offset), .malformedChunkSize(let offset),
            .chunkSizeOverflow(let offset), .malformedChunkExtension(let offset),
            .malformedChunkEnd(let offset):
            offset
        default: nil
        }
    }
}

extension Message {
    func byte(at place: Int) -> UInt8? {
        bytes.indices.contains(place) ? bytes[place] : nil
    }

    /// The message as lowercase lines, without an empty line at the start.
    private var lines: ArraySlice<String> {
        let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3f }, as: UTF8.self)
        let lines = text.lowercased().unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in String(line.last == "\r" ? line.dropLast() : line) }
        return lines.first == "" ? lines.dropFirst() : lines[...]
    }

    /// The head as lowercase lines, beginning with the start line.
    var headLines: [String] { Array(lines.prefix { !$0.isEmpty }) }

    /// Whether a chunked message has a field of this name after a line that may be its last chunk.
    func hasTrailer(_ name: String) -> Bool {
        guard has("transfer-encoding") else { return false }
        let body = lines.dropFirst(headLines.count + 1)
        let trailers = body.drop { line in
            let size = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
            return size.isEmpty || size.contains { $0 != "0" }
        }
        return trailers.dropFirst().contains { $0.hasPrefix(name + ":") }
    }

    /// Returns the values of a field in the head.
    ///
    /// Only the exact name directly before the colon matches.
    func values(_ name: String) -> [String] {
        headLines.dropFirst().compactMap { line in
            line.hasPrefix(name + ":") ? String(line.dropFirst(name.utf8.count + 1)) : nil
        }
    }

    func has(_ name: String) -> Bool { !values(name).isEmpty }

    /// Whether the last coding of Transfer-Encoding is chunked, with a tab in the whitespace after it.
    var hasTabAfterChunked: Bool {
        values("transfer-encoding").contains { value in
            let coding = value.drop { $0 == " " || $0 == "\t" }
            return coding.hasPrefix("chunked")
                && coding.dropFirst("chunked".count).allSatisfy { $0 == " " || $0 == "\t" }
                && coding.contains("\t")
        }
    }

    /// Whether the head has a field whose name begins with this one and is longer.
    func hasLonger(_ name: String) -> Bool {
        headLines.dropFirst().contains { $0.hasPrefix(name) && !$0.hasPrefix(name + ":") }
    }

    /// Whether a response has no content because of its status, whatever its fields say.
    var isWithoutContent: Bool {
        guard role == .response, case .complete(let reading) = wire else { return false }
        return reading.status < 200 || reading.status == 204 || reading.status == 304
    }
}

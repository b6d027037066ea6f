internal import Wire

extension HTTPCharset {
    /// The action for a line whose bytes are not valid text in its charset.
    @nonexhaustive public enum MalformedTextAction: Sendable, Hashable {
        /// Replaces the invalid bytes with U+FFFD, as ``HTTPResponse/text`` does.
        case replace
        /// Throws `.undecodableText`. The lines after it can still be read.
        case fail
    }
}

/// A parser of the lines in a body, as text.
package struct TextLineParser: RecordParser {
    private var lines: LineDecoder
    /// The charset; nil if lines in it cannot be found or decoded.
    private let charset: HTTPCharset?
    private let charsetName: String
    private let action: HTTPCharset.MalformedTextAction
    /// The position in the body of the first byte that is not consumed.
    private var offset = 0

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - charset: the name of the charset; nil for UTF-8.
    ///   - action: the action for malformed lines. `.replace` reads an unknown charset as UTF-8.
    ///   - maxLength: the maximum number of bytes in a line.
    package init(charset: String?, _ action: HTTPCharset.MalformedTextAction, maxLength: Int) {
        charsetName = charset ?? "utf-8"
        let known = HTTPCharset(charsetName) ?? (action == .replace ? .utf8 : nil)
        switch known {
        // A line end in UTF-16 has more bytes than CR and LF.
        case .utf16, .utf16BigEndian, .utf16LittleEndian: self.charset = nil
        default: self.charset = known
        }
        self.action = action
        lines = LineDecoder(maxLength: maxLength)
    }

    package mutating func next(
        in bytes: Span<UInt8>,
        consumed: inout Int
    ) throws(RecordFailure) -> String? {
        let step: LineDecoder.Step
        do throws(HTTPRecordError) {
            step = try lines.decode(bytes)
        } catch {
            throw RecordFailure(error)
        }
        guard let line = step.line else { return nil }
        consumed = step.consumed
        defer { offset += step.consumed }
        return try text(of: bytes.extracting(line))
    }

    package mutating func finish(_ bytes: Span<UInt8>) throws(RecordFailure) -> String? {
        let line: Range<Int>?
        do throws(HTTPRecordError) {
            line = try lines.finish(bytes)
        } catch {
            throw RecordFailure(error)
        }
        guard let line else { return nil }
        return try text(of: bytes.extracting(line))
    }

    private func text(of line: Span<UInt8>) throws(RecordFailure) -> String {
        guard let charset else {
            var failure = RecordFailure(.undecodableText(.unknownCharset(charsetName)))
            failure.isRecoverable = false
            throw failure
        }
        guard charset == .utf8 else { return try decoded([UInt8](copying: line), charset) }
        let isMarked = offset == 0 && line.count >= 3 && line[0] == 0xEF && line[1] == 0xBB
        // Only a byte order mark at the start of the body is no part of the text.
        let content = isMarked && line[2] == 0xBF ? line.extracting(droppingFirst: 3) : line
        if let text = TextDecoding.validUTF8(content) { return text }
        if action == .fail { _ = try decoded([UInt8](copying: line), charset) }
        return TextDecoding.repairedUTF8(content)
    }

    /// Decodes a line that is malformed, or has another charset than UTF-8.
    private func decoded(
        _ line: [UInt8],
        _ charset: HTTPCharset
    ) throws(RecordFailure) -> String {
        var errorOffset: Int?
        let text = charset.decode(line, errorOffset: &errorOffset)
        guard let errorOffset, action == .fail else { return text }
        let place = offset + errorOffset
        var failure = RecordFailure(
            .undecodableText(.malformed(charset: charsetName, offset: place))
        )
        failure.record = line
        throw failure
    }
}

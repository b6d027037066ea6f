/// A decoder of JSON text sequences (RFC 7464): texts that each begin with RS and end with LF.
///
/// A text is delivered with the LF after its value, and not only with the next RS, so that a live stream
/// has no delay. The decoder finds the end of the value; it does not check the JSON itself. It follows
/// the buffer contract of this module.
package struct JSONSequenceDecoder: Sendable {
    /// The result of a step.
    package struct Step: Equatable, Sendable {
        /// The number of bytes at the front that are no longer needed.
        package var consumed: Int
        /// The element that was found; nil until more bytes arrive.
        package var element: Element?

        package init(consumed: Int, element: Element? = nil) {
            self.consumed = consumed
            self.element = element
        }
    }

    /// An element of the sequence.
    package enum Element: Equatable, Sendable {
        /// A text without RS and LF, as a range of the passed bytes; it may be malformed.
        case text(Range<Int>)
        /// Bytes without an RS before them, beginning at this offset of the passed bytes.
        ///
        /// They are skipped up to the next RS (§2.1).
        case unseparated(at: Int)
        /// A number, `true`, `false` or `null` without whitespace after it, which may be incomplete.
        ///
        /// It must not be used (§2.4).
        case truncated(Range<Int>)
    }

    private enum State: Sendable {
        /// Whitespace, until an RS begins a text.
        case outside
        /// Bytes without an RS before them, until the next RS.
        case skipping
        /// A text, of which the scanner has read `scanned` bytes.
        case inside(JSONTextScanner, scanned: Int)
    }

    private let maxLength: Int
    private var state = State.outside

    /// Creates a decoder.
    ///
    /// - Parameter maxLength: the maximum number of bytes in a text.
    package init(maxLength: Int) {
        self.maxLength = maxLength
    }

    /// Decodes the next element.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet.
    /// - Returns: the element, or no element if its end has not arrived.
    /// - Throws: `.recordTooLong`, even before the end of the text has arrived.
    package mutating func decode(_ bytes: Span<UInt8>) throws(HTTPRecordError) -> Step {
        var position = 0
        while true {
            switch state {
            case .outside:
                while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
                guard position < bytes.count else { return Step(consumed: position) }
                guard bytes[position] == Self.separator else {
                    state = .skipping
                    return Step(consumed: position, element: .unseparated(at: position))
                }
                position += 1
                state = .inside(JSONTextScanner(), scanned: 0)
            case .skipping:
                while position < bytes.count, bytes[position] != Self.separator { position += 1 }
                guard position < bytes.count else { return Step(consumed: position) }
                state = .outside
            case .inside(var scanner, let scanned):
                let end = scanner.end(in: bytes, from: position + scanned)
                let length = (end ?? bytes.count) - position
                guard length <= maxLength else { throw .recordTooLong(limit: maxLength) }
                guard let end else {
                    state = .inside(scanner, scanned: length)
                    return Step(consumed: position)
                }
                state = .outside
                // Several RS in a row do not separate empty texts (§2.1).
                let element = scanner.element(position..<end)
                position = bytes[end] == Byte.lineFeed ? end + 1 : end
                if let element { return Step(consumed: position, element: element) }
            }
        }
    }

    /// Returns the last text if no LF or RS follows it, after the last step returned no element.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet; all of them are the text.
    /// - Returns: nil if there is no such text.
    package func finish(_ bytes: Span<UInt8>) -> Element? {
        guard case .inside(let scanner, _) = state else { return nil }
        return scanner.element(0..<bytes.count)
    }

    /// RS, the byte before each text (§2.2).
    fileprivate static let separator: UInt8 = 0x1e

    /// Returns whether a byte is whitespace in JSON (RFC 8259 §2).
    fileprivate static func isSpace(_ byte: UInt8) -> Bool {
        byte == Byte.space || byte == Byte.lineFeed || byte == Byte.carriageReturn
            || byte == Byte.tab
    }
}

/// A scanner that finds the end of a JSON text in a sequence.
private struct JSONTextScanner: Sendable {
    private enum Position: Sendable {
        /// Only whitespace was read.
        case before
        /// In an array or object; the depth is at least 1.
        case container(depth: Int)
        /// In a string at this depth; 0 for a text that is a string.
        case string(depth: Int)
        /// After a backslash in such a string.
        case escape(depth: Int)
        /// In a number, `true`, `false` or `null`.
        case scalar
        /// After the value, with only whitespace after it.
        case after
        /// After the value and further bytes that do not belong to it.
        case excess
    }

    private var position = Position.before

    /// Returns the end of the text: the offset of the LF after its value, or that of the next RS.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that contain the text.
    ///   - start: the offset of the first byte that was not scanned before.
    /// - Returns: nil if the end has not arrived.
    mutating func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        for index in start..<bytes.count {
            let byte = bytes[index]
            if byte == JSONSequenceDecoder.separator { return index }
            read(byte)
            if byte == Byte.lineFeed, case .after = position { return index }
        }
        return nil
    }

    /// Returns the element for a text that has ended; nil if it is empty.
    func element(_ range: Range<Int>) -> JSONSequenceDecoder.Element? {
        switch position {
        case .before: nil
        case .scalar: .truncated(range)
        case .container, .string, .escape, .after, .excess: .text(range)
        }
    }

    private mutating func read(_ byte: UInt8) {
        switch position {
        case .before:
            if !JSONSequenceDecoder.isSpace(byte) { position = Self.start(byte) }
        case .container(let depth):
            switch byte {
            case Byte.quote: position = .string(depth: depth)
            case Byte.leftBracket, Byte.leftBrace: position = .container(depth: depth + 1)
            case Byte.rightBracket, Byte.rightBrace: position = Self.container(depth - 1)
            default: break
            }
        case .string(let depth):
            switch byte {
            case Byte.backslash: position = .escape(depth: depth)
            case Byte.quote: position = Self.container(depth)
            default: break
            }
        case .escape(let depth): position = .string(depth: depth)
        case .scalar: if JSONSequenceDecoder.isSpace(byte) { position = .after }
        case .after: if !JSONSequenceDecoder.isSpace(byte) { position = .excess }
        case .excess: break
        }
    }

    private static func start(_ byte: UInt8) -> Position {
        switch byte {
        case Byte.quote: .string(depth: 0)
        case Byte.leftBracket, Byte.leftBrace: .container(depth: 1)
        default: .scalar
        }
    }

    private static func container(_ depth: Int) -> Position {
        depth > 0 ? .container(depth: depth) : .after
    }
}

/// A decoder of lines that end with LF or CRLF.
///
/// It follows the buffer contract of this module: the caller passes all bytes that are not consumed yet.
/// A CR that no LF follows is part of its line, because programs write it to overwrite a line on a
/// terminal, and not to end one.
package struct LineDecoder: Sendable {
    /// The result of a step.
    package struct Step: Equatable, Sendable {
        /// The number of bytes at the front that are no longer needed.
        package var consumed: Int
        /// The line without its end, as a range of the passed bytes; nil until more bytes arrive.
        package var line: Range<Int>?

        package init(consumed: Int, line: Range<Int>?) {
            self.consumed = consumed
            self.line = line
        }
    }

    private let maxLength: Int
    /// The number of bytes at the front without an LF.
    private var searched = 0

    /// Creates a decoder.
    ///
    /// - Parameter maxLength: the maximum number of bytes in a line, without its end.
    package init(maxLength: Int) {
        self.maxLength = maxLength
    }

    /// Decodes the next line.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet.
    /// - Returns: the line, or no line if its end has not arrived.
    /// - Throws: `.lineTooLong`, even before the end of the line has arrived.
    package mutating func decode(_ bytes: Span<UInt8>) throws(HTTPRecordError) -> Step {
        guard let feed = HeadScanner.bodyLineFeed(in: bytes, from: searched) else {
            searched = bytes.count
            guard bytes.count - trailingReturn(bytes) <= maxLength else {
                throw .lineTooLong(limit: maxLength)
            }
            return Step(consumed: 0, line: nil)
        }
        searched = 0
        let end = feed - trailingReturn(bytes.extracting(first: feed))
        guard end <= maxLength else { throw .lineTooLong(limit: maxLength) }
        return Step(consumed: feed + 1, line: 0..<end)
    }

    /// Returns the last line if it has no end, after the last step returned no line.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet; all of them are the line.
    /// - Returns: nil if there is no such line.
    /// - Throws: `.lineTooLong`.
    package func finish(_ bytes: Span<UInt8>) throws(HTTPRecordError) -> Range<Int>? {
        guard bytes.count <= maxLength else { throw .lineTooLong(limit: maxLength) }
        return bytes.isEmpty ? nil : 0..<bytes.count
    }

    /// Returns 1 if the last byte is a CR, otherwise 0.
    private func trailingReturn(_ bytes: Span<UInt8>) -> Int {
        !bytes.isEmpty && bytes[bytes.count - 1] == Byte.carriageReturn ? 1 : 0
    }
}

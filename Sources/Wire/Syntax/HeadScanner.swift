/// A scanner that finds and checks the lines of a head (RFC 9112 §2.2 and §5).
///
/// A line is checked only once its LF has arrived; until then the result is nil. So the result depends
/// only on the bytes and not on how they were split.
///
/// Well-formed lines are read many bytes at a time (`+Lines`, which uses `+Blocks` and `+Names`). All
/// others are read one byte at a time (`+Scalar`), which also creates the errors.
package enum HeadScanner {
    /// The parts of one field line; `end` is the first byte after its CRLF.
    struct FieldLine {
        var name: Range<Int>
        var value: Range<Int>
        var end: Int
        /// Whether the line is a Set-Cookie field that is dropped because of a control byte.
        var isDropped = false

        /// Whether the bytes are exactly `name: value` CRLF.
        var isWireForm: Bool {
            value.lowerBound == name.upperBound + 2 && value.upperBound + 2 == end
        }
    }

    /// Returns the offset of the first LF at or after `start`.
    static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
        first(Byte.lineFeed, in: bytes, from: start)
    }

    /// Returns whether the bytes at `start` are `HTTP/1.1`.
    static func isPlainVersion(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, start + 8 <= bytes.count else { return false }
        // SAFETY: the line above checks that eight bytes are readable.
        return unsafe bytes.withUnsafeBytes { raw in
            unsafe raw.loadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian
                == 0x4854_5450_2f31_2e31
        }
    }

    /// Returns the offset of the first `byte` at or after `start`, searching eight bytes at a time.
    private static func first(_ byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
        // SAFETY: every load begins at most at count - 8 of the span that the pointer refers to.
        unsafe bytes.withUnsafeBytes { raw in
            var index = start
            while index + 8 <= raw.count {
                let word = unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // The classic test for a zero byte; its lowest hit is exact.
                let zeroed = word.littleEndian ^ (0x0101_0101_0101_0101 &* UInt64(byte))
                let hits = (zeroed &- 0x0101_0101_0101_0101) & ~zeroed & 0x8080_8080_8080_8080
                if hits != 0 { return index + hits.trailingZeroBitCount / 8 }
                index += 8
            }
            while index < raw.count {
                if unsafe raw[index] == byte { return index }
                index += 1
            }
            return nil
        }
    }

    /// Returns the offset of the CR that ends a start line; nil while its LF is missing.
    ///
    /// There is no LF before `searched`, which increases while the line is incomplete.
    static func startLineEnd(
        in bytes: Span<UInt8>,
        from start: Int,
        searched: inout Int
    ) throws(WireError) -> Int? {
        guard let feed = lineFeed(in: bytes, from: max(start, searched)) else {
            searched = bytes.count
            return nil
        }
        guard feed > start, bytes[feed - 1] == Byte.carriageReturn else {
            throw .bareLineFeed(offset: feed)
        }
        let back = first(Byte.carriageReturn, in: bytes, from: start)
        if let back, back < feed - 1 { throw .bareCarriageReturn(offset: back) }
        return feed - 1
    }

    /// Parses the eight bytes `HTTP/1.1`.
    ///
    /// A minor version above 1 counts as 1, because such a peer follows the rules of 1.1 (RFC 9110 §2.5).
    static func version(
        in bytes: Span<UInt8>,
        from start: Int,
        end: Int
    ) throws(WireError) -> HTTPVersion {
        if start + 8 <= end, isPlainVersion(bytes, at: start) { return .http11 }
        let name: InlineArray<5, UInt8> = [0x48, 0x54, 0x54, 0x50, Byte.slash]
        for index in name.indices
        where start + index >= end || bytes[start + index] != name[index] {
            throw .malformedVersion(offset: start + index)
        }
        guard start + 5 < end, ByteClass.isDigit(bytes[start + 5]) else {
            throw .malformedVersion(offset: start + 5)
        }
        guard start + 6 < end else { throw .malformedVersion(offset: start + 6) }
        let major = bytes[start + 5] &- Byte.zero
        if bytes[start + 6] == Byte.space, major != 1 {
            throw .unsupportedVersion(major: major, minor: 0)
        }
        guard start + 7 < end, bytes[start + 6] == Byte.dot,
            ByteClass.isDigit(bytes[start + 7])
        else { throw .malformedVersion(offset: start + 6) }
        let minor = bytes[start + 7] &- Byte.zero
        guard major == 1 else { throw .unsupportedVersion(major: major, minor: minor) }
        return HTTPVersion(major: 1, minor: min(minor, 1))
    }
}

// To reject another byte in a field value, change the table of `ByteClass`, and `HeadScanner+Vectors`, where the masks
// and `plainEnd` must mark it. At `.lenient`, the level of a client by default, `TolerantFieldReader` reads a rejected
// line again: it accepts the byte with a `Diagnostic` by `TolerantLine` unless it throws too. For another rule, let
// `fieldLine` throw a case of `WireError`. A Set-Cookie line with a bad byte is dropped (RFC 6265bis §5.6).
// `FieldSyntaxTests` and `LenientHeadTests` show the result; the fuzz target ScannerFuzz compares the paths.

/// A scanner that finds and checks the lines of a head (RFC 9112 §2.2 and §5).
///
/// A line is checked only once its LF has arrived; until then the result is nil. So the result depends
/// only on the bytes and not on how they were split.
///
/// Well-formed lines are read many bytes at a time (`+Lines`, which uses `+Vectors` and `+BitMasks`). All
/// others are read one byte at a time (`fieldLine`), which also creates the errors.
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

extension HeadScanner {
    /// Parses the field line that begins at `start`, byte by byte.
    ///
    /// This is the reference implementation: ``lines(in:from:maxLines:into:)`` leaves every unusual line
    /// to it, and the tests compare the two.
    ///
    /// With `dropsMalformedCookies`, a Set-Cookie field with a control byte other than CR is a line whose
    /// `isDropped` is true.
    ///
    /// - Returns: the line; nil while its LF is missing.
    /// - Throws: the case for the rule that the line violates; its offset is relative to `bytes`.
    static func fieldLine(
        in bytes: Span<UInt8>,
        from start: Int,
        isFirst: Bool,
        dropsMalformedCookies: Bool = false
    ) throws(WireError) -> FieldLine? {
        let count = bytes.count
        var index = start
        while index < count, ByteClass.isToken(bytes[index]) { index += 1 }
        guard index < count, bytes[index] == Byte.colon, index > start,
            index - start <= FieldStorage.maxNameLength
        else { return try refuse(bytes, from: start, isFirst: isFirst) }
        let nameEnd = index
        index += 1
        while index < count, ByteClass.isSpace(bytes[index]) { index += 1 }
        let valueStart = index
        index = plainEnd(in: bytes, from: index)
        while index < count, ByteClass.isFieldValue(bytes[index]) { index += 1 }
        guard index + 1 < count, bytes[index] == Byte.carriageReturn,
            bytes[index + 1] == Byte.lineFeed
        else {
            return try refuse(
                bytes,
                from: start,
                isFirst: isFirst,
                dropsMalformedCookies: dropsMalformedCookies
            )
        }
        var valueEnd = index
        while valueEnd > valueStart, ByteClass.isSpace(bytes[valueEnd - 1]) { valueEnd -= 1 }
        return FieldLine(name: start..<nameEnd, value: valueStart..<valueEnd, end: index + 2)
    }

    /// Throws the error for a malformed line; returns nil while its LF is missing.
    private static func refuse(
        _ bytes: Span<UInt8>,
        from start: Int,
        isFirst: Bool,
        dropsMalformedCookies: Bool = false
    ) throws(WireError) -> FieldLine? {
        guard let feed = lineFeed(in: bytes, from: start) else { return nil }
        if ByteClass.isSpace(bytes[start]) {
            throw isFirst ? .leadingWhitespace(offset: start) : .foldedLine(offset: start)
        }
        guard feed > start, bytes[feed - 1] == Byte.carriageReturn else {
            throw .bareLineFeed(offset: feed)
        }
        let end = feed - 1
        var colon: Int?
        for index in start..<end {
            if bytes[index] == Byte.carriageReturn { throw .bareCarriageReturn(offset: index) }
            if bytes[index] == Byte.colon, colon == nil { colon = index }
        }
        guard let colon else { throw .missingColon(offset: end) }
        if colon == start { throw .emptyFieldName(offset: start) }
        for index in start..<colon where !ByteClass.isToken(bytes[index]) {
            if ListSyntax.trim(index..<colon, of: bytes).isEmpty {
                throw .spaceBeforeColon(offset: index)
            }
            throw .malformedFieldName(offset: index)
        }
        for index in colon + 1..<end where !ByteClass.isFieldValue(bytes[index]) {
            let name = bytes.extracting(start..<colon)
            if dropsMalformedCookies, ByteClass.equalsIgnoringCase(name, "set-cookie".utf8.span) {
                return FieldLine(
                    name: start..<colon,
                    value: colon + 1..<end,
                    end: feed + 1,
                    isDropped: true
                )
            }
            throw .malformedFieldValue(offset: index)
        }
        // Only the length of the name can still be wrong.
        throw .malformedFieldName(offset: start + FieldStorage.maxNameLength)
    }
}

extension HeadScanner {
    /// The kind of head to read.
    enum Role {
        case response
        case request
    }

    /// The parts of a start line; their offsets are relative to the same base as those of the entries.
    struct StartLine: Sendable {
        /// The offset of the first byte of the line.
        var start = 0
        /// The range of the reason or the target.
        var targetOrReason = PackedRange.none
        /// The status; for a request, the number of its method, or 0.
        var statusOrMethodNumber: UInt16 = 0
        var minor: UInt8 = 1
        var form = RequestTarget.Form.origin
        /// The offset of the first byte after the line.
        var end = 0

        var version: HTTPVersion { HTTPVersion(major: 1, minor: minor) }
    }

    /// Parses an ordinary start line.
    ///
    /// - Returns: the position of the fields in the bit map of special bytes. Nil if the line is
    ///   incomplete or unusual; the decoders then parse it.
    @inline(__always)
    static func startLine(
        _ role: Role,
        _ source: Source,
        from start: Int,
        into line: inout StartLine
    ) -> LineEnds? {
        // SAFETY: the line below checks that the first 64 bytes are readable. The byte after a marked
        // one is within the count.
        guard unsafe start < source.count && start &+ blockSize <= source.readable else {
            return nil
        }
        var ends = unsafe LineEnds(block: start, special: special(source, from: start))
        var end = start
        while true {
            while ends.special == 0 {
                ends.block &+= blockSize
                guard unsafe ends.block < source.count else { return nil }
                ends.special = unsafe special(source, from: ends.block)
            }
            end = ends.block &+ ends.special.trailingZeroBitCount
            if unsafe isLineEnd(source.base, end) { break }
            guard unsafe isAllowedInValue(source.base, end) else { return nil }
            ends.special &= ends.special &- 1
        }
        line.start = start
        line.end = end &+ 2
        let isUsual =
            role == .response
            ? unsafe statusLine(source.base, start, end, &line)
            : unsafe requestLine(source, start, end, &line)
        guard isUsual else { return nil }
        // Skip CR and LF; the block may end between them.
        ends.special &= ends.special &- 1
        if ends.special == 0, line.end > ends.block &+ blockSize {
            ends.block &+= blockSize
            guard unsafe ends.block < source.count else { return nil }
            ends.special = unsafe special(source, from: ends.block)
        }
        ends.special &= ends.special &- 1
        return ends
    }

    /// Parses `HTTP/1.1 200 OK`, which ends at `end`.
    ///
    /// The phrase and the space before it may be missing.
    @inline(__always)
    private static func statusLine(
        _ base: UnsafeRawPointer,
        _ start: Int,
        _ end: Int,
        _ line: inout StartLine
    ) -> Bool {
        // SAFETY: 16 bytes are readable, as startLine(_:_:from:into:) has checked.
        let words = unsafe (word(base, start), word(base, start &+ 8))
        guard isVersion(words.0, &line) else { return false }
        // A space and three digits, one per byte. After the XOR, the upper half of each byte must be 0,
        // and a digit is below 10 if adding 6 keeps it so.
        let digits = UInt32(truncatingIfNeeded: words.1) ^ 0x3030_3020
        let upper = (digits | (digits &+ 0x0606_0600)) & 0xf0f0_f0ff
        let hundreds = digits &>> 8 & 0xff
        guard upper == 0, hundreds > 0 else { return false }
        let code = hundreds &* 100 &+ (digits &>> 16 & 0xff) &* 10 &+ digits &>> 24
        line.statusOrMethodNumber = UInt16(truncatingIfNeeded: code)
        var reason = start &+ 12
        if words.1 &>> 32 & 0xff == 0x20 {
            reason &+= 1
        } else {
            guard end == reason else { return false }
        }
        line.targetOrReason = PackedRange(start: reason, length: end &- reason)
        return true
    }

    /// Parses `GET /path HTTP/1.1`, which ends at `end`: a known method and a path.
    @inline(__always)
    private static func requestLine(
        _ source: Source,
        _ start: Int,
        _ end: Int,
        _ line: inout StartLine
    ) -> Bool {
        // SAFETY: 16 bytes are readable, as startLine(_:_:from:into:) has checked. The space before
        // the version stops the search through the target, at or before `end`.
        let base = unsafe source.base
        let method = unsafe method(word(base, start))
        let target = start &+ method.length &+ 1
        let targetEnd = end &- 9
        guard method.length > 0, targetEnd > target,
            unsafe end &+ 8 <= source.readable,
            unsafe isVersion(word(base, end &- 8), &line),
            unsafe base.load(fromByteOffset: targetEnd, as: UInt8.self) == Byte.space,
            unsafe base.load(fromByteOffset: target, as: UInt8.self) == Byte.slash
        else { return false }
        var index = target
        while true {
            let length = unsafe targetLength(load(base + index))
            index &+= length
            if length < 16 { break }
            guard unsafe index &+ 16 <= source.readable else { return false }
        }
        guard index == targetEnd else { return false }
        line.statusOrMethodNumber = method.number
        line.form = .origin
        line.targetOrReason = PackedRange(start: target, length: targetEnd &- target)
        return true
    }

    /// Returns whether the word is `HTTP/1.0` or `HTTP/1.1`.
    @inline(__always)
    private static func isVersion(_ word: UInt64, _ line: inout StartLine) -> Bool {
        let minor = word &>> 56 &- 0x30
        line.minor = UInt8(truncatingIfNeeded: minor)
        return word & 0x00ff_ffff_ffff_ffff == 0x002e_312f_5054_5448 && minor < 2
    }

    /// Returns the number and length of the method at the start of a request line; 0 if it is unknown.
    @inline(__always)
    private static func method(_ word: UInt64) -> (number: UInt16, length: Int) {
        if word & 0xffff_ffff == 0x2054_4547 { return (1, 3) }
        if word & 0xff_ffff_ffff == 0x20_5453_4f50 { return (3, 4) }
        if word & 0xff_ffff_ffff == 0x20_4441_4548 { return (2, 4) }
        if word & 0xffff_ffff == 0x2054_5550 { return (4, 3) }
        if word & 0xff_ffff_ffff_ffff == 0x20_4554_454c_4544 { return (5, 6) }
        if word & 0xffff_ffff_ffff == 0x2048_4354_4150 { return (8, 5) }
        if word == 0x2053_4e4f_4954_504f { return (6, 7) }
        return (0, 0)
    }

    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        // SAFETY: the caller has checked that eight bytes are readable.
        unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }
}

extension HeadScanner {
    /// The number of bytes that ``chunkSize(of:)`` reads.
    static let sizeWindow = 8

    /// A chunk-size line of only digits, one to six of them.
    struct PlainSize: Sendable {
        /// The chunk size; 0 before a line was read.
        var size = 0
        /// The number of bytes of the line, including CRLF.
        var length = 0
        /// The bytes of the line, with the first byte in the lowest bits.
        fileprivate var pattern: UInt64 = 1
        /// The bits of the pattern that belong to the line.
        fileprivate var mask: UInt64 = 0
    }

    /// Parses a size line of one to six digits and CRLF; almost all lines have this form.
    ///
    /// A line with the same bytes as the last one is recognized without parsing. Most senders use chunks
    /// of equal size; the processor then need not wait for a size before it looks for the next chunk.
    ///
    /// - Returns: nil for any other line, and if fewer than eight bytes are left.
    @inline(__always)
    static func plainSize(
        in bytes: Span<UInt8>,
        at start: Int,
        after last: PlainSize
    ) -> PlainSize? {
        guard start >= 0, start &+ sizeWindow <= bytes.count else { return nil }
        // SAFETY: the line above checks that eight bytes are readable.
        let word = unsafe bytes.withUnsafeBytes { raw in
            unsafe raw.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
        }
        if word & last.mask == last.pattern { return last }
        let (size, digits) = chunkSize(of: word)
        guard digits > 0 else { return nil }
        let mask = UInt64.max &>> (48 &- 8 &* UInt64(truncatingIfNeeded: digits))
        return PlainSize(
            size: Int(truncatingIfNeeded: size),
            length: digits &+ 2,
            pattern: word & mask,
            mask: mask
        )
    }

    /// Returns whether CRLF is at the given position.
    @inline(__always)
    static func isLineEnd(in bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, start &+ 2 <= bytes.count else { return false }
        // SAFETY: the line above checks that two bytes are readable.
        return unsafe bytes.withUnsafeBytes { raw in
            unsafe raw.loadUnaligned(fromByteOffset: start, as: UInt16.self).littleEndian == 0x0a0d
        }
    }

    /// Parses digits up to a CRLF in eight bytes; the first byte is the lowest of the word.
    ///
    /// The position of the next chunk depends on the size, so latency matters most. One predicted branch
    /// per digit is faster than parsing all digits at once.
    ///
    /// - Returns: the size and the number of digits; 0 digits if the bytes are not one to six digits and
    ///   CRLF.
    @inline(__always)
    package static func chunkSize(of word: UInt64) -> (size: UInt64, digits: Int) {
        var size: UInt64 = 0
        var rest = word
        var digits = 1
        while digits <= 6 {
            let digit = UInt8(truncatingIfNeeded: rest)
            guard ByteClass.isHexDigit(digit) else { return (0, 0) }
            // Bit 6 is set in letters and not in digits; the low bits of "a" and "A" are 1.
            let value = rest & 0x0f &+ (rest &>> 6 & 1) &* 9
            size = size &<< 4 | value
            rest &>>= 8
            if rest & 0xffff == 0x0a0d { return (size, digits) }
            digits &+= 1
        }
        return (0, 0)
    }
}

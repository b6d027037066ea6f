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

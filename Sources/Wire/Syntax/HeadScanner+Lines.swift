extension HeadScanner {
    /// Tells how far ``lines(in:from:most:into:)`` came.
    struct Lines {
        /// First octet that was not read; behind the empty line when `isEnd`.
        var position: Int
        /// Field lines read.
        var count = 0
        /// Says whether the empty line was reached.
        var isEnd = false
    }

    /// Reads well-formed field lines, up to the first that is not, or the empty one.
    ///
    /// It stops before every line it cannot vouch for (incomplete, malformed, or merely unusual),
    /// and where fewer than 64 octets are there at all; ``fieldLine(in:from:isFirst:)`` decides.
    ///
    /// Where lines end is found from a map of the controls, 64 octets at a time, and depends on
    /// nothing else, so that the processor works on several lines at once.
    ///
    /// - Parameters:
    ///   - bytes: the section, anything before it and anything behind it.
    ///   - start: the first field line.
    ///   - most: lines to read at most.
    ///   - entries: room for `most` entries; nil when they are only to be checked.
    /// - Returns: the lines read; the next begins at their position.
    static func lines(
        in bytes: Span<UInt8>,
        from start: Int,
        most: Int,
        into entries: UnsafeMutablePointer<FieldEntry>?
    ) -> Lines {
        // SAFETY: the pointer does not leave the closure.
        unsafe bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, raw.count >= blockSize, start < raw.count else {
                return Lines(position: start)
            }
            return unsafe lines(base, raw.count, from: start, most: most, into: entries)
        }
    }

    /// Reads well-formed field lines in the same way, and makes no entries.
    static func lines(in bytes: Span<UInt8>, from start: Int, most: Int) -> Lines {
        // SAFETY: without a table nothing is written.
        unsafe lines(in: bytes, from: start, most: most, into: nil)
    }

    /// Reads lines of `count` octets, of which there are at least 64.
    private static func lines(
        _ base: UnsafeRawPointer,
        _ count: Int,
        from start: Int,
        most: Int,
        into entries: UnsafeMutablePointer<FieldEntry>?
    ) -> Lines {
        let table = unsafe nameTable
        // SAFETY: `block` reads below count. `line` and what lies up to its `end` are below it too,
        // as end + 2 <= count; a name is read through `window` where 32 octets are not there.
        var lines = Lines(position: start)
        var block = start
        var controls = unsafe controls(base, count, from: block)
        while true {
            while controls == 0 {
                block += blockSize
                guard block < count else { return lines }
                controls = unsafe Self.controls(base, count, from: block)
            }
            let end = block &+ controls.trailingZeroBitCount
            guard end + 2 <= count else { return lines }
            guard
                unsafe base.loadUnaligned(fromByteOffset: end, as: UInt16.self).littleEndian
                    == 0x0a0d
            else {
                guard unsafe base.load(fromByteOffset: end, as: UInt8.self) == Byte.tab else {
                    return lines
                }
                controls &= controls &- 1
                continue
            }
            let line = lines.position
            if end == line {
                lines.position = end + 2
                lines.isEnd = true
                return lines
            }
            guard lines.count < most else { return lines }
            let name =
                unsafe line &+ nameWindow <= count
                ? name(base + line, table) : nameNearEnd(base, count, line, table)
            guard name.length > 0, line &+ name.length < end else { return lines }
            var valueStart = line &+ name.length &+ 1
            while unsafe isSpace(base, valueStart) { valueStart &+= 1 }
            var valueEnd = end
            while valueEnd > valueStart, unsafe isSpace(base, valueEnd &- 1) { valueEnd &-= 1 }
            if let entries = unsafe entries {
                let isWireForm = valueStart == line &+ name.length &+ 2 && valueEnd == end
                unsafe entries[lines.count] = FieldEntry(
                    nameStart: line,
                    nameLength: name.length,
                    number: name.number,
                    valueStart: valueStart,
                    valueLength: valueEnd &- valueStart,
                    marks: isWireForm ? .isWireForm : []
                )
            }
            lines.count &+= 1
            lines.position = end &+ 2
            var done = end &+ 2 &- block
            if done >= blockSize {
                block &+= blockSize
                guard block < count else { return lines }
                controls = unsafe Self.controls(base, count, from: block)
                done &-= blockSize
            }
            controls &= ~0 &<< UInt64(truncatingIfNeeded: done)
        }
    }

    /// Maps the controls of up to 64 octets from `start`, which is below `count`.
    @inline(__always)
    private static func controls(
        _ base: UnsafeRawPointer,
        _ count: Int,
        from start: Int
    ) -> UInt64 {
        // SAFETY: both reads end at or before count, which is at least 64.
        if start &+ blockSize <= count { return unsafe controls(at: base + start) }
        let missing = UInt64(truncatingIfNeeded: start &+ blockSize &- count)
        return unsafe controls(at: base + (count &- blockSize)) &>> missing
    }

    /// Finds the colon behind the name and the name's number; length 0 for what is no plain name.
    @inline(__always)
    private static func name(
        _ start: UnsafeRawPointer,
        _ table: UnsafeRawPointer
    ) -> (length: Int, number: UInt16) {
        // SAFETY: the caller has checked that 32 octets are readable.
        let near = unsafe colons(at: start)
        let far = unsafe colons(at: start + 16)
        let colons = near != 0 ? near : far
        guard colons != 0 else { return (0, 0) }
        let length = colons.trailingZeroBitCount &>> 2 &+ (near != 0 ? 0 : 16)
        guard length > 0 else { return (0, 0) }
        let number = unsafe number(at: start, length: length, in: table)
        if number != 0 { return (length, number) }
        let odd = unsafe (near != 0 ? 0 : nonWords(at: start + 16))
        // The colon is no word, so there is a hit at or before it.
        let nearOdd = unsafe nonWords(at: start)
        let word =
            nearOdd != 0
            ? nearOdd.trailingZeroBitCount &>> 2 : 16 &+ odd.trailingZeroBitCount &>> 2
        if word == length { return (length, 0) }
        for index in 0..<length
        where unsafe !ByteClass.isToken(start.load(fromByteOffset: index, as: UInt8.self)) {
            return (0, 0)
        }
        return (length, 0)
    }

    /// Does the same where fewer than 32 octets are left, on a copy with zeros behind it.
    @inline(never)
    private static func nameNearEnd(
        _ base: UnsafeRawPointer,
        _ count: Int,
        _ start: Int,
        _ table: UnsafeRawPointer
    ) -> (length: Int, number: UInt16) {
        // SAFETY: the last 32 of at least 64 octets are copied to the front of the window; from
        // any place in them 32 octets lie within its 64.
        var window = InlineArray<64, UInt8>(repeating: 0)
        return unsafe withUnsafeMutableBytes(of: &window) { copy in
            guard let target = copy.baseAddress else { return (0, 0) }
            let first = count &- nameWindow
            unsafe target.copyMemory(from: base + first, byteCount: nameWindow)
            return unsafe name(UnsafeRawPointer(target) + (start &- first), table)
        }
    }

    /// Reads a name of any length, up to the end of its line.
    @inline(never)
    private static func longName(
        _ start: UnsafeRawPointer,
        _ lineLength: Int
    ) -> (length: Int, number: UInt16) {
        // SAFETY: the line lies within the octets scanned.
        let line = unsafe UnsafeRawBufferPointer(start: start, count: lineLength)
        var length = 0
        while unsafe length < lineLength && ByteClass.isToken(line[length]) { length += 1 }
        guard unsafe length < lineLength && line[length] == Byte.colon,
            length <= FieldStorage.longestName
        else { return (0, 0) }
        let name = unsafe line.bindMemory(to: UInt8.self).span.extracting(first: length)
        return (length, length > 0 ? KnownFieldNames.number(of: name) : 0)
    }

    @inline(__always)
    private static func isSpace(_ base: UnsafeRawPointer, _ index: Int) -> Bool {
        // SAFETY: the index lies within a line whose CRLF was found.
        unsafe ByteClass.isSpace(base.load(fromByteOffset: index, as: UInt8.self))
    }
}

extension HeadScanner {
    /// Tells how far ``lines(in:from:maxLines:into:)`` came.
    struct Lines {
        /// First byte that was not read; behind the empty line when `isEnd`.
        var position: Int
        /// Field lines read.
        var count = 0
        /// Says whether the empty line was reached.
        var isEnd = false
    }

    /// Bytes that are read where they lie.
    @unsafe struct Source {
        let base: UnsafeRawPointer
        /// Bytes that count.
        let count: Int
        /// Bytes that may be looked at: as many, or more with room behind the end; at least 64.
        let readable: Int

        init(base: UnsafeRawPointer, count: Int, readable: Int) {
            unsafe self.base = base
            unsafe self.count = count
            unsafe self.readable = readable
        }
    }

    /// Where the map of special bytes stands that line ends are taken from, 64 bytes at a time.
    struct LineEnds {
        var block: Int
        var special: UInt64
    }

    /// Where entries are written.
    @unsafe struct Entries {
        let first: UnsafeMutablePointer<FieldEntry>
        /// Lines to read at most.
        let maxLines: Int

        init(_ first: UnsafeMutablePointer<FieldEntry>, maxLines: Int) {
            unsafe self.first = first
            unsafe self.maxLines = maxLines
        }
    }

    /// Reads well-formed field lines, up to the first that is not, or the empty one.
    ///
    /// It stops before every line it cannot vouch for (incomplete, malformed, or merely unusual);
    /// ``fieldLine(in:from:isFirst:)`` decides about that.
    ///
    /// First all line ends are found, which depends on the map of special bytes and on nothing else, and
    /// then the names are read, each from a place known before: the processor works on several
    /// lines at once, and neither loop keeps it waiting for the other.
    ///
    /// The first field line lies at `start`, where `ends` stands, too.
    ///
    /// - Returns: the lines read; the next begins at their position.
    static func lines(
        _ source: Source,
        from start: Int,
        _ ends: LineEnds,
        into entries: Entries,
        _ table: KnownNameTable
    ) -> Lines {
        let located = unsafe locate(source, from: start, ends, into: entries)
        let first = unsafe entries.first
        let read = unsafe readNames(source, first, located.end, table)
        let count = unsafe entryCount(from: first, to: read)
        guard unsafe read == located.end else {
            return unsafe Lines(position: Int(read.pointee.nameStart), count: count)
        }
        return unsafe Lines(position: located.position, count: count, isEnd: located.isEnd)
    }

    /// Reads well-formed field lines in the same way, and keeps no entries.
    ///
    /// Where fewer than 64 bytes are there at all, none is read. There may be anything before the
    /// first field line, which lies at `start`, and anything behind the section.
    static func lines(in bytes: Span<UInt8>, from start: Int, maxLines: Int) -> Lines {
        // SAFETY: the pointers do not leave the closures; `size` entries have room in the table.
        unsafe bytes.withUnsafeBytes { raw in
            let size = 64
            var sum = Lines(position: start)
            guard let base = raw.baseAddress, raw.count >= blockSize else { return sum }
            let source = unsafe Source(base: base, count: raw.count, readable: raw.count)
            return unsafe withUnsafeTemporaryAllocation(of: FieldEntry.self, capacity: size) {
                guard let first = $0.baseAddress else { return sum }
                while sum.position < raw.count {
                    let lines = unsafe lines(
                        source,
                        from: sum.position,
                        LineEnds(block: sum.position, special: special(source, from: sum.position)),
                        into: Entries(first, maxLines: min(maxLines - sum.count, size)),
                        .shared
                    )
                    sum.position = lines.position
                    sum.count += lines.count
                    sum.isEnd = lines.isEnd
                    if lines.isEnd || lines.count < size { break }
                }
                return sum
            }
        }
    }

    // MARK: - Line ends

    /// Lines whose ends were found; `end` is behind the last of their entries.
    @unsafe private struct LocatedLines {
        let position: Int
        let end: UnsafeMutablePointer<FieldEntry>
        var isEnd = false

        init(_ position: Int, _ end: UnsafeMutablePointer<FieldEntry>, isEnd: Bool = false) {
            unsafe self.position = position
            unsafe self.end = end
            unsafe self.isEnd = isEnd
        }
    }

    /// Counts entries; the difference of two pointers would divide with regard to the sign.
    @inline(__always)
    private static func entryCount(
        from first: UnsafeMutablePointer<FieldEntry>,
        to end: UnsafeMutablePointer<FieldEntry>
    ) -> Int {
        (Int(bitPattern: end) &- Int(bitPattern: first))
            &>> MemoryLayout<FieldEntry>.stride.trailingZeroBitCount
    }

    /// Notes where each line starts, and where it ends as the length of its value.
    @inline(__always)
    private static func locate(
        _ source: Source,
        from start: Int,
        _ ends: LineEnds,
        into entries: Entries
    ) -> LocatedLines {
        // SAFETY: all lines lie below the count: no byte is marked but those before its last, so
        // that the LF of every line end counts. Entries are written below `limit`.
        let base = unsafe source.base
        let count = unsafe source.count
        var entry = unsafe entries.first
        let limit = unsafe entry + entries.maxLines
        var position = start
        var block = ends.block
        var special = ends.special
        while true {
            while special == 0 {
                block &+= blockSize
                guard block < count else { return unsafe LocatedLines(position, entry) }
                special = unsafe Self.special(source, from: block)
                // The block before may have ended between CR and LF.
                special &= ~(position > block ? 1 : 0)
            }
            let end = block &+ special.trailingZeroBitCount
            special &= special &- 1
            guard unsafe isLineEnd(base, end) else {
                if unsafe isAllowedInValue(base, end) { continue }
                break
            }
            special &= special &- 1
            if end == position { return unsafe LocatedLines(end &+ 2, entry, isEnd: true) }
            guard unsafe entry < limit else { break }
            unsafe entry.pointee.nameStart = UInt32(truncatingIfNeeded: position)
            unsafe entry.pointee.valueLength = UInt32(truncatingIfNeeded: end)
            unsafe entry += 1
            position = end &+ 2
        }
        return unsafe LocatedLines(position, entry)
    }

    @inline(__always)
    static func isLineEnd(_ base: UnsafeRawPointer, _ end: Int) -> Bool {
        // SAFETY: the caller has checked that two bytes are there.
        unsafe base.loadUnaligned(fromByteOffset: end, as: UInt16.self).littleEndian == 0x0a0d
    }

    /// Maps the special ones of 64 bytes from `start`, which is below the count.
    ///
    /// The last byte that counts is left out, and all behind it: what ends a line is two bytes, so
    /// whoever finds one here may look at the next.
    @inline(__always)
    static func special(_ source: Source, from start: Int) -> UInt64 {
        // SAFETY: both reads end at or before what is readable, which is at least 64, and as much as
        // counts or more.
        if unsafe start &+ blockSize < source.count {
            return unsafe special(at: source.base + start)
        }
        let left = unsafe UInt64(truncatingIfNeeded: source.count &- 1 &- start)
        let counted = ~(UInt64.max &<< left)
        let missing = unsafe start &+ blockSize &- source.readable
        if missing <= 0 { return unsafe special(at: source.base + start) & counted }
        let last = unsafe source.readable &- blockSize
        return unsafe special(at: source.base + last) &>> UInt64(truncatingIfNeeded: missing)
            & counted
    }

    // MARK: - Names and values

    /// Completes entries that tell where their lines are.
    ///
    /// - Returns: where it stopped: the end, or the first line that has no name that is one.
    @inline(__always)
    private static func readNames(
        _ source: Source,
        _ first: UnsafeMutablePointer<FieldEntry>,
        _ end: UnsafeMutablePointer<FieldEntry>,
        _ table: KnownNameTable
    ) -> UnsafeMutablePointer<FieldEntry> {
        // SAFETY: the entries from `first` to `end` were written by `locate`, lines in order: 32
        // bytes are readable from all those before `near` on.
        let base = unsafe source.base
        let last = unsafe source.readable &- nameWindow
        var near = unsafe end
        while unsafe near > first, unsafe Int((near - 1).pointee.nameStart) > last {
            unsafe near -= 1
        }
        var entry = unsafe first
        while unsafe entry < near {
            guard unsafe complete(&entry.pointee, base, table) else { break }
            unsafe entry += 1
        }
        guard unsafe entry == near, unsafe near < end else { return unsafe entry }
        return unsafe readNamesNearEnd(source, entry, end, table)
    }

    /// Does the same where fewer than 32 bytes are left, on a copy with zeros behind it.
    @inline(never)
    private static func readNamesNearEnd(
        _ source: Source,
        _ first: UnsafeMutablePointer<FieldEntry>,
        _ end: UnsafeMutablePointer<FieldEntry>,
        _ table: KnownNameTable
    ) -> UnsafeMutablePointer<FieldEntry> {
        // SAFETY: the last 32 of at least 64 bytes are copied to the front of the window; all
        // lines begin in them, and from any place in them 32 bytes lie within its 64.
        var window: (V16, V16, V16, V16) = (V16(), V16(), V16(), V16())
        return unsafe withUnsafeMutableBytes(of: &window) { copy in
            guard let target = copy.baseAddress else { return unsafe first }
            let start = unsafe source.readable &- nameWindow
            unsafe target.storeBytes(of: load(source.base + start), as: V16.self)
            unsafe (target + 16).storeBytes(of: load(source.base + start + 16), as: V16.self)
            let base = unsafe UnsafeRawPointer(target) - start
            var entry = unsafe first
            while unsafe entry < end {
                guard unsafe complete(&entry.pointee, base, table) else { break }
                unsafe entry += 1
            }
            return unsafe entry
        }
    }

    /// Reads the name of a line, and trims its value.
    @inline(__always)
    private static func complete(
        _ entry: inout FieldEntry,
        _ base: UnsafeRawPointer,
        _ table: KnownNameTable
    ) -> Bool {
        // SAFETY: 32 bytes are readable from `line` on, and its CRLF was found at `end`.
        let line = Int(entry.nameStart)
        let end = Int(entry.valueLength)
        let name = unsafe name(at: base + line, lineLength: end &- line, in: table)
        guard let name else { return false }
        let colon = line &+ name.length
        let isPlain =
            unsafe byte(base, colon &+ 1) == Byte.space && byte(base, colon &+ 2) > Byte.space
            && byte(base, end &- 1) > Byte.space
        guard isPlain else {
            entry = unsafe trimmed(base, line, name, end)
            return true
        }
        entry.complete(
            nameLength: name.length,
            number: name.number,
            valueStart: colon &+ 2,
            valueLength: end &- colon &- 2,
            flags: .isWireForm
        )
        return true
    }

    /// Locates the parts of a line whose value is empty, or not set off by one space alone.
    @inline(never)
    private static func trimmed(
        _ base: UnsafeRawPointer,
        _ line: Int,
        _ name: Name,
        _ end: Int
    ) -> FieldEntry {
        // SAFETY: all lie within the line, whose CRLF was found; the CR ends each loop.
        let colon = line &+ name.length
        var valueStart = colon &+ 1
        var valueEnd = end
        while unsafe ByteClass.isSpace(byte(base, valueStart)) { valueStart &+= 1 }
        while valueEnd > valueStart, unsafe ByteClass.isSpace(byte(base, valueEnd &- 1)) {
            valueEnd &-= 1
        }
        return FieldEntry(
            nameStart: line,
            nameLength: name.length,
            number: name.number,
            valueStart: valueStart,
            valueLength: valueEnd &- valueStart,
            flags: valueStart == colon &+ 2 && valueEnd == end ? .isWireForm : []
        )
    }

    @inline(__always)
    private static func byte(_ base: UnsafeRawPointer, _ index: Int) -> UInt8 {
        // SAFETY: the index lies within a line whose CRLF was found.
        unsafe base.load(fromByteOffset: index, as: UInt8.self)
    }
}

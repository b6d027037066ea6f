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

    /// Octets that are read where they lie.
    @unsafe struct Source {
        let base: UnsafeRawPointer
        /// Octets that count.
        let count: Int
        /// Octets that may be looked at: as many, or more with room behind the end; at least 64.
        let readable: Int

        init(base: UnsafeRawPointer, count: Int, readable: Int) {
            unsafe self.base = base
            unsafe self.count = count
            unsafe self.readable = readable
        }
    }

    /// Where the map of controls stands that line ends are taken from, 64 octets at a time.
    struct LineEnds {
        var block: Int
        var controls: UInt64
    }

    /// Where entries are written.
    @unsafe struct Entries {
        let first: UnsafeMutablePointer<FieldEntry>
        /// Lines to read at most.
        let most: Int

        init(_ first: UnsafeMutablePointer<FieldEntry>, most: Int) {
            unsafe self.first = first
            unsafe self.most = most
        }
    }

    /// Reads well-formed field lines, up to the first that is not, or the empty one.
    ///
    /// It stops before every line it cannot vouch for (incomplete, malformed, or merely unusual);
    /// ``fieldLine(in:from:isFirst:)`` decides about that.
    ///
    /// First all line ends are found, which depends on the map of controls and on nothing else, and
    /// then the names are read, each from a place known before: the processor works on several
    /// lines at once, and neither loop keeps it waiting for the other.
    ///
    /// - Parameters:
    ///   - source: the octets.
    ///   - start: the first field line; `ends` stands there too.
    ///   - entries: room for as many entries as lines may be read.
    /// - Returns: the lines read; the next begins at their position.
    static func lines(
        _ source: Source,
        from start: Int,
        _ ends: LineEnds,
        into entries: Entries,
        _ table: NameTable
    ) -> Lines {
        let lines = unsafe locate(source, from: start, ends, into: entries)
        let first = unsafe entries.first
        let read = unsafe readNames(source, first, first + lines.count, table)
        guard read < lines.count else { return lines }
        return unsafe Lines(position: Int(first[read].nameStart), count: read)
    }

    /// Reads well-formed field lines in the same way, and keeps no entries.
    ///
    /// Where fewer than 64 octets are there at all, none is read.
    ///
    /// - Parameters:
    ///   - bytes: the section, anything before it and anything behind it.
    ///   - start: the first field line.
    ///   - most: lines to read at most.
    static func lines(in bytes: Span<UInt8>, from start: Int, most: Int) -> Lines {
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
                        LineEnds(
                            block: sum.position,
                            controls: controls(source, from: sum.position)
                        ),
                        into: Entries(first, most: min(most - sum.count, size)),
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

    /// Notes where each line starts, and where it ends as the length of its value.
    @inline(__always)
    private static func locate(
        _ source: Source,
        from start: Int,
        _ ends: LineEnds,
        into entries: Entries
    ) -> Lines {
        // SAFETY: all lines lie below the count, as end + 2 <= count; entries are written below
        // `most`.
        let base = unsafe source.base
        let count = unsafe source.count
        var block = ends.block
        var controls = ends.controls
        var lines = Lines(position: start)
        while true {
            while controls == 0 {
                block &+= blockSize
                guard block < count else { return lines }
                controls = unsafe Self.controls(source, from: block)
                // The block before may have ended between CR and LF.
                controls &= ~(lines.position > block ? 1 : 0)
            }
            let end = block &+ controls.trailingZeroBitCount
            guard end &+ 2 <= count else { return lines }
            controls &= controls &- 1
            guard unsafe isLineEnd(base, end) else {
                guard unsafe base.load(fromByteOffset: end, as: UInt8.self) == Byte.tab else {
                    return lines
                }
                continue
            }
            controls &= controls &- 1
            if end == lines.position {
                lines.position = end &+ 2
                lines.isEnd = true
                return lines
            }
            guard unsafe lines.count < entries.most else { return lines }
            unsafe entries.first[lines.count].nameStart =
                UInt32(truncatingIfNeeded: lines.position)
            unsafe entries.first[lines.count].valueLength = UInt32(truncatingIfNeeded: end)
            lines.count &+= 1
            lines.position = end &+ 2
        }
    }

    @inline(__always)
    static func isLineEnd(_ base: UnsafeRawPointer, _ end: Int) -> Bool {
        // SAFETY: the caller has checked that two octets are there.
        unsafe base.loadUnaligned(fromByteOffset: end, as: UInt16.self).littleEndian == 0x0a0d
    }

    /// Maps the controls of 64 octets from `start`, which is below the count.
    @inline(__always)
    static func controls(_ source: Source, from start: Int) -> UInt64 {
        // SAFETY: both reads end at or before what is readable, which is at least 64.
        if unsafe start &+ blockSize <= source.readable {
            return unsafe controls(at: source.base + start)
        }
        let missing = unsafe UInt64(truncatingIfNeeded: start &+ blockSize &- source.readable)
        let last = unsafe source.readable &- blockSize
        return unsafe controls(at: source.base + last) &>> missing
    }

    // MARK: - Names and values

    /// Completes entries that tell where their lines are.
    ///
    /// - Returns: how many; fewer than there are where a line has no name that is one.
    @inline(__always)
    private static func readNames(
        _ source: Source,
        _ first: UnsafeMutablePointer<FieldEntry>,
        _ end: UnsafeMutablePointer<FieldEntry>,
        _ table: NameTable
    ) -> Int {
        // SAFETY: the entries from `first` to `end` were written by `locate`.
        var place = unsafe first
        let base = unsafe source.base
        let last = unsafe source.readable &- nameWindow
        while unsafe place < end {
            let line = unsafe Int(place.pointee.nameStart)
            guard line <= last else {
                return unsafe place - first + readNamesNearEnd(source, place, end, table)
            }
            guard unsafe complete(&place.pointee, base, line, table) else { break }
            unsafe place += 1
        }
        return unsafe place - first
    }

    /// Does the same where fewer than 32 octets are left, on a copy with zeros behind it.
    @inline(never)
    private static func readNamesNearEnd(
        _ source: Source,
        _ first: UnsafeMutablePointer<FieldEntry>,
        _ end: UnsafeMutablePointer<FieldEntry>,
        _ table: NameTable
    ) -> Int {
        // SAFETY: the last 32 of at least 64 octets are copied to the front of the window; all
        // lines begin in them, and from any place in them 32 octets lie within its 64.
        var window: (V16, V16, V16, V16) = (V16(), V16(), V16(), V16())
        return unsafe withUnsafeMutableBytes(of: &window) { copy in
            guard let target = copy.baseAddress else { return 0 }
            let start = unsafe source.readable &- nameWindow
            unsafe target.storeBytes(of: load(source.base + start), as: V16.self)
            unsafe (target + 16).storeBytes(of: load(source.base + start + 16), as: V16.self)
            let base = unsafe UnsafeRawPointer(target) - start
            var place = unsafe first
            while unsafe place < end {
                let line = unsafe Int(place.pointee.nameStart)
                guard unsafe complete(&place.pointee, base, line, table) else { break }
                unsafe place += 1
            }
            return unsafe place - first
        }
    }

    /// Reads the name of the line at `line`, and trims its value.
    @inline(__always)
    private static func complete(
        _ entry: inout FieldEntry,
        _ base: UnsafeRawPointer,
        _ line: Int,
        _ table: NameTable
    ) -> Bool {
        // SAFETY: 32 octets are readable from `line` on, and its CRLF was found at `end`.
        let end = Int(entry.valueLength)
        let name = unsafe name(at: base + line, lineLength: end &- line, in: table)
        guard name.length > 0 else { return false }
        let colon = line &+ name.length
        let isPlain =
            unsafe byte(base, colon &+ 1) == Byte.space && byte(base, colon &+ 2) > Byte.space
            && byte(base, end &- 1) > Byte.space
        guard isPlain else {
            entry = unsafe trimmed(base, line, name, end)
            return true
        }
        entry = FieldEntry(
            nameStart: line,
            nameLength: name.length,
            number: name.number,
            valueStart: colon &+ 2,
            valueLength: end &- colon &- 2,
            marks: .isWireForm
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
            marks: valueStart == colon &+ 2 && valueEnd == end ? .isWireForm : []
        )
    }

    @inline(__always)
    private static func byte(_ base: UnsafeRawPointer, _ index: Int) -> UInt8 {
        // SAFETY: the index lies within a line whose CRLF was found.
        unsafe base.load(fromByteOffset: index, as: UInt8.self)
    }
}

extension HeadScanner {
    /// The result of ``lines(in:from:maxLines:into:)``.
    struct Lines {
        /// The offset of the first byte that was not read; after the empty line if `isEnd`.
        var position: Int
        /// The number of field lines read.
        var count = 0
        /// Whether the empty line was reached.
        var isEnd = false
    }

    /// The bytes to scan.
    @unsafe struct Source {
        let base: UnsafeRawPointer
        /// The number of bytes of input.
        let count: Int
        /// The number of readable bytes: `count`, or more if memory follows the input; at least 64.
        let readable: Int

        init(base: UnsafeRawPointer, count: Int, readable: Int) {
            unsafe self.base = base
            unsafe self.count = count
            unsafe self.readable = readable
        }
    }

    /// The position in the bit map of special bytes, from which line ends are taken 64 bytes at a time.
    struct LineEnds {
        var block: Int
        var special: UInt64
    }

    /// The memory to which entries are written.
    @unsafe struct Entries {
        let first: UnsafeMutablePointer<FieldEntry>
        /// The maximum number of lines to read.
        let maxLines: Int

        init(_ first: UnsafeMutablePointer<FieldEntry>, maxLines: Int) {
            unsafe self.first = first
            unsafe self.maxLines = maxLines
        }
    }

    /// Reads well-formed field lines up to the empty line, or up to the first line that is not.
    ///
    /// It stops before every line that is incomplete, malformed or unusual;
    /// ``fieldLine(in:from:isFirst:)`` handles such a line.
    ///
    /// A first loop finds all line ends; it depends only on the bit map of special bytes. A second loop
    /// reads the names, whose positions are then known. So the processor works on several lines at once,
    /// and neither loop waits for the other.
    ///
    /// The first field line begins at `start`, which is also the position of `ends`.
    ///
    /// - Returns: the lines read; the next line begins at their position.
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

    /// Reads well-formed field lines in the same way, but returns no entries.
    ///
    /// It reads none if there are fewer than 64 bytes in total. Any bytes may precede the first field
    /// line at `start`, and any may follow the section.
    static func lines(in bytes: Span<UInt8>, from start: Int, maxLines: Int) -> Lines {
        // SAFETY: the pointers do not leave the closures; the table has room for `size` entries.
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

    /// The lines whose ends were found; `end` is after the last of their entries.
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

    /// Returns the number of entries; the difference of two pointers would use a signed division.
    @inline(__always)
    private static func entryCount(
        from first: UnsafeMutablePointer<FieldEntry>,
        to end: UnsafeMutablePointer<FieldEntry>
    ) -> Int {
        (Int(bitPattern: end) &- Int(bitPattern: first))
            &>> MemoryLayout<FieldEntry>.stride.trailingZeroBitCount
    }

    /// Records the start of each line, and its end in place of the length of the value.
    @inline(__always)
    private static func locate(
        _ source: Source,
        from start: Int,
        _ ends: LineEnds,
        into entries: Entries
    ) -> LocatedLines {
        // SAFETY: all lines end below the count: only bytes before the last are marked, so the LF of
        // every line end is within the count. Entries are written below `limit`.
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
                // The previous block may have ended between CR and LF.
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
        // SAFETY: the caller has checked that two bytes are readable.
        unsafe base.loadUnaligned(fromByteOffset: end, as: UInt16.self).littleEndian == 0x0a0d
    }

    /// Returns the bit map of special bytes among 64 bytes from `start`, which is below the count.
    ///
    /// The last byte of the input and all bytes after it are excluded. A line end has two bytes, so the
    /// byte after a marked one is always readable.
    @inline(__always)
    static func special(_ source: Source, from start: Int) -> UInt64 {
        // SAFETY: both reads end at or before `readable`, which is at least 64 and at least `count`.
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

    /// Completes the entries that `locate` has written.
    ///
    /// - Returns: the end, or the first line without a well-formed name.
    @inline(__always)
    private static func readNames(
        _ source: Source,
        _ first: UnsafeMutablePointer<FieldEntry>,
        _ end: UnsafeMutablePointer<FieldEntry>,
        _ table: KnownNameTable
    ) -> UnsafeMutablePointer<FieldEntry> {
        // SAFETY: `locate` has written the entries from `first` to `end`, in the order of the lines.
        // 32 bytes are readable from the start of each line before `near`.
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

    /// Completes entries with fewer than 32 readable bytes, on a copy padded with zeros.
    @inline(never)
    private static func readNamesNearEnd(
        _ source: Source,
        _ first: UnsafeMutablePointer<FieldEntry>,
        _ end: UnsafeMutablePointer<FieldEntry>,
        _ table: KnownNameTable
    ) -> UnsafeMutablePointer<FieldEntry> {
        // SAFETY: the last 32 of at least 64 bytes are copied to the front of the window. All lines
        // begin in them, and 32 bytes from any position in them are within its 64 bytes.
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

    /// Reads the name of a line and trims its value.
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

    /// Returns the entry of a line whose value is empty or not preceded by exactly one space.
    @inline(never)
    private static func trimmed(
        _ base: UnsafeRawPointer,
        _ line: Int,
        _ name: Name,
        _ end: Int
    ) -> FieldEntry {
        // SAFETY: all offsets are within the line, whose CRLF was found; the CR ends each loop.
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
        // SAFETY: the index is within a line whose CRLF was found.
        unsafe base.load(fromByteOffset: index, as: UInt8.self)
    }
}

extension HeadScanner {
    /// The number of bytes, of a name and after it, that ``name(at:lineLength:in:)`` may read.
    static let nameWindow = 32

    /// The length and the number of a name.
    struct Name {
        var length: Int
        var number: UInt16 = 0
    }

    /// Reads the name at the start of a line: a token followed by a colon; nil if there is none.
    ///
    /// 32 bytes must be readable. The byte after the line is a control byte or DEL, which no name can
    /// contain.
    @inline(__always)
    static func name(
        at start: UnsafeRawPointer,
        lineLength: Int,
        in table: KnownNameTable
    ) -> Name? {
        // SAFETY: the caller has checked that 32 bytes are readable.
        let first = unsafe load(start)
        if let near = colon(in: first) {
            guard near > 1 else { return unsafe longName(start, lineLength) }
            let row = unsafe row(of: start, length: near, in: table)
            if unsafe isRow(first, row.address, 0) {
                return unsafe Name(length: near, number: row.number)
            }
            if wordLength(first) == near { return Name(length: near) }
            return unsafe longName(start, lineLength)
        }
        let second = unsafe load(start + 16)
        guard let far = colon(in: second) else { return unsafe longName(start, lineLength) }
        let length = 16 &+ far
        let row = unsafe row(of: start, length: length, in: table)
        if unsafe isRow(first, row.address, 0), unsafe isRow(second, row.address, 16) {
            return unsafe Name(length: length, number: row.number)
        }
        if wordLength(first) == 16, wordLength(second) == far { return Name(length: length) }
        return unsafe longName(start, lineLength)
    }

    /// Returns the only row that can match a name of at least two bytes.
    @inline(__always)
    private static func row(
        of name: UnsafeRawPointer,
        length: Int,
        in table: KnownNameTable
    ) -> (number: UInt16, address: UnsafeRawPointer) {
        // SAFETY: the name has `length` bytes, at least two; slots and rows are those of the table.
        let first = unsafe name.loadUnaligned(as: UInt16.self).littleEndian
        let last = unsafe name.loadUnaligned(fromByteOffset: length &- 2, as: UInt16.self)
        let slot = KnownFieldNames.slot(first: first, last: last.littleEndian, length: length)
        let number = unsafe table.address.load(fromByteOffset: slot, as: UInt8.self)
        let offset = KnownFieldNames.slotCount &+ Int(number) &<< 6
        return unsafe (UInt16(number), table.address + offset)
    }

    /// Compares 16 bytes of a name, and of the bytes after it, with those of a row.
    @inline(__always)
    private static func isRow(_ bytes: V16, _ row: UnsafeRawPointer, _ offset: Int) -> Bool {
        // SAFETY: a row is 64 bytes, of which 32 are letters.
        let letters = unsafe load(row + offset)
        let bits = unsafe load(row + nameWindow + offset)
        return BitMasks.areAllSet(equal(select(bytes, bits), letters))
    }

    /// Reads a name of any length that contains any bytes of a token.
    @inline(never)
    static func longName(_ start: UnsafeRawPointer, _ lineLength: Int) -> Name? {
        // SAFETY: the line is within the bytes scanned.
        let line = unsafe UnsafeRawBufferPointer(start: start, count: lineLength)
        var length = 0
        while unsafe length < lineLength && ByteClass.isToken(line[length]) { length += 1 }
        guard length > 0, unsafe length < lineLength && line[length] == Byte.colon,
            length <= FieldStorage.maxNameLength
        else { return nil }
        let name = unsafe line.bindMemory(to: UInt8.self).span.extracting(first: length)
        return Name(length: length, number: KnownFieldNames.number(of: name))
    }
}

/// The table of ``KnownFieldNames``, in a layout for comparing names with vectors.
///
/// First come the slots of the hash, one byte each. Then come 64 bytes for each number: the letters
/// in lower case followed by a colon, and a mask of the bits to compare in each byte. The mask has all
/// bits, all but the case bit of a letter, or none after the end. Row 0 matches nothing.
///
/// A reader of many heads should keep a copy: each access to ``shared`` costs as much as a field.
extension HeadScanner {
    @safe struct KnownNameTable: Sendable {
        // SAFETY: filled once, before it is shared, and only read from then on; never freed.
        nonisolated(unsafe) fileprivate let address: UnsafeRawPointer

        static let shared = KnownNameTable()

        private init() {
            let window = HeadScanner.nameWindow
            let slots = KnownFieldNames.slotCount
            let known = FieldName.known
            let size = slots + (known.count + 1) * 2 * window
            let table = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
            // SAFETY: all stores are below `size`.
            unsafe table.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            unsafe (table + slots).initializeMemory(as: UInt8.self, repeating: 0xff, count: window)
            for name in known {
                let bytes = name.rawName.utf8.span
                precondition(bytes.count <= window, "a known name is too long for the table")
                let slot = KnownFieldNames.hash(bytes)
                unsafe table.storeBytes(of: UInt8(name.number), toByteOffset: slot, as: UInt8.self)
                let row = unsafe table + slots + Int(name.number) * 2 * window
                for index in 0...min(bytes.count, window - 1) {
                    let byte = index < bytes.count ? ByteClass.lowercase(bytes[index]) : Byte.colon
                    let bits: UInt8 = ByteClass.isAlpha(byte) ? 0xdf : 0xff
                    unsafe row.storeBytes(of: byte & bits, toByteOffset: index, as: UInt8.self)
                    unsafe row.storeBytes(of: bits, toByteOffset: window + index, as: UInt8.self)
                }
            }
            unsafe address = UnsafeRawPointer(table)
        }
    }
}

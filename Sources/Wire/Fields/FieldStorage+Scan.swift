extension FieldStorage {
    /// The number of entries in one table on the stack: 1 KiB, the largest size always put on the stack.
    private static let tableSize = 64

    /// The result of reading a section; it has a storage if the section is complete and well formed.
    struct Scan {
        var storage: FieldStorage?
        var lines: HeadScanner.Lines
    }

    /// Reads and stores an ordinary head; returns nil if it is incomplete or unusual.
    ///
    /// The bytes begin with the head. `recycled` becomes nil if it was used.
    static func head(
        _ role: HeadScanner.Role,
        of bytes: Span<UInt8>,
        from start: Int,
        maxFields: Int,
        reusing recycled: inout FieldStorage?,
        _ table: HeadScanner.KnownNameTable,
        _ line: inout HeadScanner.StartLine
    ) -> FieldStorage? {
        // SAFETY: the pointer does not leave the closure.
        unsafe bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, raw.count >= HeadScanner.blockSize else { return nil }
            let source = unsafe HeadScanner.Source(
                base: base,
                count: raw.count,
                readable: raw.count
            )
            let ends = unsafe HeadScanner.startLine(role, source, from: start, into: &line)
            guard let ends else { return nil }
            return unsafe fields(
                source,
                from: line.end,
                ends,
                maxFields: maxFields,
                reusing: &recycled,
                table
            ).storage
        }
    }

    /// Reads a section, and stores it with its entries if it is complete and well formed.
    ///
    /// - Parameters:
    ///   - bytes: stored from the first byte to the end of the section.
    ///   - start: the offset of the first field line.
    ///   - maxFields: the maximum number of lines.
    /// - Returns: the lines read, and the storage; it is nil unless the section is complete.
    static func scanned(_ bytes: Span<UInt8>, from start: Int, maxFields: Int) -> Scan {
        // SAFETY: the pointer does not leave the closure.
        unsafe bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, raw.count >= HeadScanner.blockSize,
                start < raw.count
            else { return Scan(storage: nil, lines: HeadScanner.Lines(position: start)) }
            let source = unsafe HeadScanner.Source(
                base: base,
                count: raw.count,
                readable: raw.count
            )
            let ends = unsafe HeadScanner.LineEnds(
                block: start,
                special: HeadScanner.special(source, from: start)
            )
            var none: FieldStorage?
            return unsafe fields(
                source,
                from: start,
                ends,
                maxFields: maxFields,
                reusing: &none,
                .shared
            )
        }
    }

    private static func fields(
        _ source: HeadScanner.Source,
        from start: Int,
        _ ends: HeadScanner.LineEnds,
        maxFields: Int,
        reusing recycled: inout FieldStorage?,
        _ table: HeadScanner.KnownNameTable
    ) -> Scan {
        // Uses `recycled` in place, so that no second reference to the storage is created.
        if recycled?.isUnique() == true, let pointers = unsafe recycled?.pointers {
            // SAFETY: this storage has one owner. No more entries are requested than there is room for.
            let maxLines = unsafe min(maxFields, pointers.entryCapacity)
            let lines = unsafe HeadScanner.lines(
                source,
                from: start,
                ends,
                into: HeadScanner.Entries(pointers.entries, maxLines: maxLines),
                table
            )
            if lines.isEnd {
                let own = recycled
                recycled = nil
                return unsafe Scan(storage: own?.filled(source, lines), lines: lines)
            }
            if lines.count < maxLines || maxLines == maxFields {
                return Scan(storage: nil, lines: lines)
            }
        }
        return unsafe fieldsOnStack(source, from: start, ends, maxFields: maxFields, table)
    }

    /// Adds the bytes to the entries read; creates a larger storage if they do not fit.
    @inline(__always)
    private consuming func filled(
        _ source: HeadScanner.Source,
        _ lines: HeadScanner.Lines
    ) -> FieldStorage {
        guard byteCapacity >= lines.position else {
            return unsafe copyWithMoreCapacity(source, lines)
        }
        unsafe fill(source, lines)
        return self
    }

    /// Creates a larger storage with spare capacity, so that a slightly longer head fits into it.
    private func copyWithMoreCapacity(
        _ source: HeadScanner.Source,
        _ lines: HeadScanner.Lines
    ) -> FieldStorage {
        let larger = FieldStorage(entryCapacity: entryCapacity, byteCapacity: 2 * lines.position)
        commit(entries: lines.count, received: 0..<0)
        for index in 0..<lines.count { larger.appendEntry(self[index]) }
        unsafe larger.fill(source, lines)
        return larger
    }

    private func fill(_ source: HeadScanner.Source, _ lines: HeadScanner.Lines) {
        // SAFETY: the caller has checked that the bytes fit.
        unsafe UnsafeMutableRawPointer(bytePointer()).copyMemory(
            from: source.base,
            byteCount: lines.position
        )
        commit(entries: lines.count, received: 0..<lines.position)
    }

    /// Reads entries into one or two tables on the stack, and copies them once into the storage.
    ///
    /// If a section has more fields than fit, the result is a section that is not complete.
    private static func fieldsOnStack(
        _ source: HeadScanner.Source,
        from start: Int,
        _ ends: HeadScanner.LineEnds,
        maxFields: Int,
        _ table: HeadScanner.KnownNameTable
    ) -> Scan {
        // SAFETY: only the entries that the scanner has written are read from a table.
        unsafe withUnsafeTemporaryAllocation(of: FieldEntry.self, capacity: tableSize) { room in
            guard let first = room.baseAddress else {
                return Scan(storage: nil, lines: HeadScanner.Lines(position: start))
            }
            let maxLines = min(maxFields, tableSize)
            let entries = unsafe HeadScanner.Entries(first, maxLines: maxLines)
            let lines = unsafe HeadScanner.lines(source, from: start, ends, into: entries, table)
            if lines.isEnd {
                let storage = FieldStorage(
                    entryCapacity: lines.count,
                    byteCapacity: lines.position
                )
                unsafe storage.appendEntries(room, lines.count)
                unsafe storage.fill(source, lines)
                return Scan(storage: storage, lines: lines)
            }
            guard lines.count == tableSize, maxFields > tableSize else {
                return Scan(storage: nil, lines: lines)
            }
            return unsafe fieldsOnStack(source, behind: room, lines, maxFields: maxFields, table)
        }
    }

    private static func fieldsOnStack(
        _ source: HeadScanner.Source,
        behind room: UnsafeMutableBufferPointer<FieldEntry>,
        _ first: HeadScanner.Lines,
        maxFields: Int,
        _ table: HeadScanner.KnownNameTable
    ) -> Scan {
        // SAFETY: as above; the first table was full, so its last line ends before the count.
        unsafe withUnsafeTemporaryAllocation(of: FieldEntry.self, capacity: tableSize) { more in
            guard let start = more.baseAddress, unsafe first.position < source.count else {
                return Scan(storage: nil, lines: first)
            }
            let ends = unsafe HeadScanner.LineEnds(
                block: first.position,
                special: HeadScanner.special(source, from: first.position)
            )
            let maxLines = min(maxFields - first.count, tableSize)
            var lines = unsafe HeadScanner.lines(
                source,
                from: first.position,
                ends,
                into: HeadScanner.Entries(start, maxLines: maxLines),
                table
            )
            let moreCount = lines.count
            lines.count += first.count
            guard lines.isEnd else { return Scan(storage: nil, lines: lines) }
            let storage = FieldStorage(entryCapacity: lines.count, byteCapacity: lines.position)
            unsafe storage.appendEntries(room, first.count)
            unsafe storage.appendEntries(more, moreCount)
            unsafe storage.fill(source, lines)
            return Scan(storage: storage, lines: lines)
        }
    }
}

extension FieldStorage {
    /// The number of bytes after the input that a scan may read.
    static let padding = HeadScanner.blockSize

    /// Creates a storage for `inputCapacity` bytes of input and for the entries of one head.
    init(inputCapacity: Int, entryCapacity: Int) {
        self.init(entryCapacity: entryCapacity, byteCapacity: inputCapacity + Self.padding)
        clearPadding(at: 0)
    }

    /// The capacity for input, in bytes.
    var inputCapacity: Int { byteCapacity - Self.padding }

    /// Reads an ordinary head without copying it.
    ///
    /// The range is the input from the first byte of the head on, and the start line begins at `start`.
    /// The caller must have the only reference to the storage.
    ///
    /// - Returns: the lines; nil if the head is incomplete or unusual.
    @inline(__always)
    func readHead(
        _ role: HeadScanner.Role,
        in range: Range<Int>,
        from start: Int,
        maxFields: Int,
        _ table: HeadScanner.KnownNameTable,
        _ line: inout HeadScanner.StartLine
    ) -> HeadScanner.Lines? {
        let pointers = unsafe self.pointers
        let readable = range.upperBound + Self.padding
        precondition(unsafe readable <= pointers.byteCapacity, "bytes out of range")
        // SAFETY: the line above checks that all of the range and 64 bytes more may be read; they
        // were cleared. No more entries are requested than there is room for, and the caller has the
        // only reference.
        let source = unsafe HeadScanner.Source(
            base: UnsafeRawPointer(pointers.bytes),
            count: range.upperBound,
            readable: readable
        )
        let ends = unsafe HeadScanner.startLine(role, source, from: start, into: &line)
        guard let ends else { return nil }
        let lines = unsafe HeadScanner.lines(
            source,
            from: line.end,
            ends,
            into: HeadScanner.Entries(
                pointers.entries,
                maxLines: min(maxFields, pointers.entryCapacity)
            ),
            table
        )
        return lines.isEnd ? lines : nil
    }

    /// Calls a closure with the bytes of `range`, which the caller must have written.
    func withInput<R, E: Error>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.upperBound <= inputCapacity, "bytes out of range")
        let pointer = unsafe bytePointer()
        // SAFETY: the range is within the buffer, whose owner has written it; as in withBytes.
        let bytes = unsafe UnsafeBufferPointer(
            start: pointer + range.lowerBound,
            count: range.count
        )
        defer { keepAlive() }
        return try unsafe body(bytes.span)
    }

    /// Lets a closure write at most `count` bytes from `start` on, and clears the padding after them.
    ///
    /// - Returns: the end of the bytes written. If the closure throws, no byte counts as written.
    func write<E: Error>(
        at start: Int,
        atMost count: Int,
        _ body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) -> Int {
        precondition(start + count <= inputCapacity, "no room for bytes")
        // SAFETY: the line above checks that the bytes fit; they need no deinitialization.
        let room = unsafe UnsafeMutableBufferPointer(start: bytePointer() + start, count: count)
        var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
        do throws(E) {
            try body(&output)
        } catch {
            clearPadding(at: start)
            throw error
        }
        let end = unsafe start + output.finalize(for: room)
        clearPadding(at: end)
        return end
    }

    /// Moves the bytes of `range` to the front.
    func moveToFront(_ range: Range<Int>) {
        precondition(range.upperBound <= inputCapacity, "bytes out of range")
        // SAFETY: both ranges are within the buffer, and copyMemory allows overlap.
        let base = unsafe UnsafeMutableRawPointer(bytePointer())
        unsafe base.copyMemory(from: base + range.lowerBound, byteCount: range.count)
        clearPadding(at: range.count)
    }

    /// Copies bytes of another buffer to the front.
    func copyToFront(_ range: Range<Int>, of other: FieldStorage) {
        precondition(
            range.count <= inputCapacity && range.upperBound <= other.inputCapacity,
            "bytes out of range"
        )
        // SAFETY: the precondition above checks both ranges; they are in different buffers.
        unsafe UnsafeMutableRawPointer(bytePointer()).copyMemory(
            from: other.bytePointer() + range.lowerBound,
            byteCount: range.count
        )
        other.keepAlive()
        clearPadding(at: range.count)
    }

    /// Clears the bytes that a scan may read after the end of the input.
    private func clearPadding(at end: Int) {
        // SAFETY: callers keep `end` within the input capacity, and the padding follows that capacity.
        unsafe (bytePointer() + end).update(repeating: 0, count: Self.padding)
    }
}

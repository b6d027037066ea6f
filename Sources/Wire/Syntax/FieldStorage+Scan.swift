extension FieldStorage {
    /// Entries of one table on the stack: 1 KiB, the most that is put there without asking.
    private static let tableSize = 64

    /// What was read of a section, and its storage if that is all there and well formed.
    struct Scan {
        var storage: FieldStorage?
        var lines: HeadScanner.Lines
    }

    /// Reads a head of the usual kind and keeps it; nil when it is incomplete, or of another kind.
    ///
    /// The bytes begin with the head. The storage to use again is nil afterwards when it was used.
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

    /// Reads a section and, if it is all there and well formed, keeps it with its entries.
    ///
    /// - Parameters:
    ///   - bytes: kept from their first byte to the end of the section.
    ///   - start: the first field line.
    ///   - maxFields: lines allowed.
    /// - Returns: the storage, nil unless the section is whole; and how far the lines were read.
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
        // In place, so that nobody else is asked to hold the storage meanwhile.
        if recycled?.isUnique() == true, let pointers = unsafe recycled?.pointers {
            // SAFETY: the storage is ours alone. No more entries are asked for than there is room for.
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

    /// Adds the bytes to the entries read; makes a larger storage if they do not fit.
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

    /// Makes a larger storage, with room to spare, so that a slightly longer head needs no other.
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

    /// Reads entries into a table on the stack, or two, from where they are copied once; a section
    /// with more fields than fit comes back as not read to the end.
    private static func fieldsOnStack(
        _ source: HeadScanner.Source,
        from start: Int,
        _ ends: HeadScanner.LineEnds,
        maxFields: Int,
        _ table: HeadScanner.KnownNameTable
    ) -> Scan {
        // SAFETY: as many entries are read from a table as the scanner says it has written there.
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

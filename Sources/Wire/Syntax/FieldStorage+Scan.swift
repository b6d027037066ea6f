extension FieldStorage {
    /// Entries of one table on the stack: 1 KiB, the most that is put there without asking.
    private static let tableSize = 64

    /// Reads a section and, if it is all there and well formed, keeps it with its entries.
    ///
    /// The entries land in a table on the stack, or two, and are copied once; a section with more
    /// fields than fit comes back as not read to the end.
    ///
    /// - Parameters:
    ///   - bytes: kept from their first octet to the end of the section.
    ///   - start: the first field line.
    ///   - mostFields: lines allowed.
    /// - Returns: the storage, nil unless the section is whole; and how far the lines were read.
    static func scanned(
        _ bytes: Span<UInt8>,
        from start: Int,
        mostFields: Int
    ) -> (storage: FieldStorage?, lines: HeadScanner.Lines) {
        // SAFETY: as many entries are read from a table as the scanner says it has written there.
        unsafe withUnsafeTemporaryAllocation(of: FieldEntry.self, capacity: tableSize) { table in
            let most = min(mostFields, tableSize)
            let lines = unsafe HeadScanner.lines(
                in: bytes,
                from: start,
                most: most,
                into: table.baseAddress
            )
            if lines.isEnd {
                let storage = FieldStorage(
                    received: bytes.extracting(first: lines.position),
                    entryCapacity: lines.count
                )
                unsafe storage.appendEntries(table, lines.count)
                return (storage, lines)
            }
            guard lines.count == tableSize else { return (nil, lines) }
            return unsafe scannedMore(bytes, lines, mostFields: mostFields, behind: table)
        }
    }

    private static func scannedMore(
        _ bytes: Span<UInt8>,
        _ first: HeadScanner.Lines,
        mostFields: Int,
        behind table: UnsafeMutableBufferPointer<FieldEntry>
    ) -> (storage: FieldStorage?, lines: HeadScanner.Lines) {
        // SAFETY: as above.
        unsafe withUnsafeTemporaryAllocation(of: FieldEntry.self, capacity: tableSize) { more in
            var lines = unsafe HeadScanner.lines(
                in: bytes,
                from: first.position,
                most: min(mostFields - first.count, tableSize),
                into: more.baseAddress
            )
            let moreCount = lines.count
            lines.count += first.count
            guard lines.isEnd else { return (nil, lines) }
            let storage = FieldStorage(
                received: bytes.extracting(first: lines.position),
                entryCapacity: lines.count
            )
            unsafe storage.appendEntries(table, first.count)
            unsafe storage.appendEntries(more, moreCount)
            return (storage, lines)
        }
    }
}

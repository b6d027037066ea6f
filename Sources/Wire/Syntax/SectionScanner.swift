/// Reads a field section, line by line, across any number of calls (RFC 9112 §5 and §7.1.2).
///
/// Where it stands is remembered, so octets that come one at a time are looked at a bounded number
/// of times. The entries of a section that arrives in one piece land in a table on the stack, and
/// then once in the storage; only a section that came in pieces, or is longer than the table, is
/// read a second time.
struct SectionScanner {
    /// Entries that fit on the stack; 1 KiB.
    static let tableSize = 64

    /// First octet of the first line that was not read yet.
    private(set) var position: Int
    /// Lines read.
    private(set) var count = 0
    /// Octets known to hold no LF behind `position`.
    private var searched: Int

    /// Begins at the first octet of a section.
    init(from start: Int) {
        position = start
        searched = start
    }

    /// Reads lines until the empty one.
    ///
    /// - Parameters:
    ///   - bytes: the head or section from its first octet; the same octets as last time, and more.
    ///   - mostFields: lines allowed.
    ///   - limit: thrown when there are more.
    ///   - table: receives the entries of the lines read now, as far as it reaches.
    /// - Returns: the first octet behind the empty line; nil while that has not come.
    /// - Throws: `limit`, or the case of the rule that a line breaks.
    mutating func scan(
        _ bytes: Span<UInt8>,
        mostFields: Int,
        limit: ExceededLimit,
        into table: inout InlineArray<64, FieldEntry>
    ) throws(WireError) -> Int? {
        while position < bytes.count {
            // A line that was incomplete last time is not read again before its LF is there.
            if searched > position {
                guard HeadScanner.lineFeed(in: bytes, from: searched) != nil else { break }
            }
            if bytes[position] == Byte.carriageReturn {
                guard position + 1 < bytes.count else { break }
                if bytes[position + 1] == Byte.lineFeed { return position + 2 }
            }
            let line = try HeadScanner.fieldLine(in: bytes, from: position, isFirst: count == 0)
            guard let line else { break }
            guard count < mostFields else { throw .limitExceeded(limit) }
            if count < Self.tableSize {
                table[count] = Self.entry(for: line, in: bytes)
            }
            count += 1
            position = line.end
            searched = line.end
        }
        searched = max(bytes.count, position)
        return nil
    }

    /// Copies a complete section and its entries into one storage.
    ///
    /// The octets are the whole head or section, its empty line included, and were checked before.
    /// `start` is the first field line. The table holds the entries only if all lines were read in
    /// one call; otherwise they are found again.
    func storage(
        of bytes: Span<UInt8>,
        from start: Int,
        table: inout InlineArray<64, FieldEntry>,
        isTableWhole: Bool
    ) throws(WireError) -> FieldStorage {
        let storage = FieldStorage(received: bytes, entryCapacity: count)
        if isTableWhole, count <= Self.tableSize {
            for index in 0..<count {
                storage.appendEntry(table[index])
            }
            return storage
        }
        var next = start
        for index in 0..<count {
            let line = try HeadScanner.fieldLine(in: bytes, from: next, isFirst: index == 0)
            guard let line else { break }
            storage.appendEntry(Self.entry(for: line, in: bytes))
            next = line.end
        }
        return storage
    }

    private static func entry(
        for line: HeadScanner.FieldLine,
        in bytes: Span<UInt8>
    ) -> FieldEntry {
        FieldEntry(
            name: line.name,
            number: KnownFieldNames.number(of: bytes.extracting(line.name)),
            value: line.value,
            marks: line.isWireForm ? .isWireForm : []
        )
    }
}

/// A scanner that reads a field section line by line, over several calls (RFC 9112 §5 and §7.1.2).
///
/// It remembers its position, so that bytes that arrive one at a time are examined a limited number
/// of times. A section that arrives in one piece is read once. One that arrives in pieces, or is
/// unusual, is read a second time to create its entries.
struct SectionScanner {
    /// The start of the first line that was not read yet.
    private(set) var position: Int
    /// The number of lines read.
    private(set) var count = 0
    private let start: Int
    /// The offset up to which there is no LF after `position`.
    private var searched: Int
    /// Whether Set-Cookie lines with a control byte get no entry, instead of refusing the section.
    private let dropsMalformedCookies: Bool

    /// Creates a scanner that starts at the first byte of a section.
    init(from start: Int, dropsMalformedCookies: Bool = false) {
        self.dropsMalformedCookies = dropsMalformedCookies
        position = start
        self.start = start
        searched = start
    }

    /// Reads lines up to the empty line; ``position`` is then the first byte after it.
    ///
    /// - Parameters:
    ///   - bytes: the head or section from its first byte; the bytes of the last call, and more.
    ///   - maxFields: the maximum number of lines.
    ///   - limit: the limit to throw if there are more lines.
    /// - Returns: all bytes up to the end of the section, and their entries; nil while the empty line is
    ///   missing.
    /// - Throws: `limit`, or the case for the rule that a line violates.
    mutating func read(
        _ bytes: Span<UInt8>,
        maxFields: Int,
        limit: ExceededLimit
    ) throws(WireError) -> FieldStorage? {
        if searched == start {
            let scan = FieldStorage.scanned(bytes, from: start, maxFields: maxFields)
            position = scan.lines.position
            count = scan.lines.count
            searched = max(searched, position)
            if let storage = scan.storage { return storage }
        }
        guard try findEnd(bytes, maxFields: maxFields, limit: limit) else { return nil }
        return try storage(of: bytes.extracting(first: position))
    }

    /// Reads lines up to the empty line, like ``read(_:maxFields:limit:)``, but creates no entries.
    ///
    /// - Returns: whether the empty line was read.
    mutating func findEnd(
        _ bytes: Span<UInt8>,
        maxFields: Int,
        limit: ExceededLimit
    ) throws(WireError) -> Bool {
        while position < bytes.count {
            // A line that was incomplete in the last call is not read again until its LF has arrived.
            if searched > position || count == 0 {
                guard HeadScanner.lineFeed(in: bytes, from: searched) != nil else { break }
                let lines = HeadScanner.lines(
                    in: bytes,
                    from: position,
                    maxLines: maxFields - count
                )
                count += lines.count
                position = lines.position
                searched = position
                if lines.isEnd { return true }
                guard position < bytes.count else { break }
            }
            if bytes[position] == Byte.carriageReturn {
                guard position + 1 < bytes.count else { break }
                if bytes[position + 1] == Byte.lineFeed {
                    position += 2
                    return true
                }
            }
            let line = try HeadScanner.fieldLine(
                in: bytes,
                from: position,
                isFirst: count == 0,
                dropsMalformedCookies: dropsMalformedCookies
            )
            guard let line else { break }
            guard count < maxFields else { throw .limitExceeded(limit) }
            count += 1
            position = line.end
            searched = line.end
        }
        searched = max(bytes.count, position)
        return false
    }

    /// Copies a complete section that was checked, and reads its entries again.
    func storage(of bytes: Span<UInt8>) throws(WireError) -> FieldStorage {
        if let storage = FieldStorage.scanned(bytes, from: start, maxFields: count).storage {
            return storage
        }
        let storage = FieldStorage(received: bytes, entryCapacity: count)
        var next = start
        for index in 0..<count {
            let line = try HeadScanner.fieldLine(
                in: bytes,
                from: next,
                isFirst: index == 0,
                dropsMalformedCookies: dropsMalformedCookies
            )
            guard let line else { break }
            if !line.isDropped { storage.appendEntry(Self.entry(for: line, in: bytes)) }
            next = line.end
        }
        return storage
    }

    static func entry(
        for line: HeadScanner.FieldLine,
        in bytes: Span<UInt8>
    ) -> FieldEntry {
        FieldEntry(
            name: line.name,
            number: KnownFieldNames.number(of: bytes.extracting(line.name)),
            value: line.value,
            flags: line.isWireForm ? .isWireForm : []
        )
    }
}

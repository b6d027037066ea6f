#if Zstd
/// The header of a frame, parsed byte by byte (RFC 8878 §3.1.1.1, §3.1.2).
struct ZstdFrameHeader {
    private(set) var bytes: [UInt8] = []

    /// The base-2 logarithm of the largest window, 8 MiB (RFC 9659 §3).
    static let maxWindowLog: Int32 = 23

    /// The number of bytes to skip; nil for a frame with content.
    var skippedLength: Int? {
        isSkippable ? bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } : nil
    }

    private var isSkippable: Bool {
        bytes[0] & 0xf0 == 0x50 && bytes[1...3].elementsEqual([0x2a, 0x4d, 0x18])
    }

    /// Appends a byte, and returns whether the header is complete.
    ///
    /// - Throws: `.corruptCoding`, `.codingWindowTooLarge` or `.codingNeedsDictionary`.
    mutating func append(_ byte: UInt8) throws(WireError) -> Bool {
        bytes.append(byte)
        guard bytes.count >= 4 else { return false }
        if isSkippable { return bytes.count == 8 }
        guard bytes[..<4].elementsEqual([0x28, 0xb5, 0x2f, 0xfd]) else {
            throw .corruptCoding(.zstd)
        }
        guard bytes.count >= 5 else { return false }
        let descriptor = bytes[4]
        let isSingleSegment = descriptor & 0x20 != 0
        let dictionaryLength = [0, 1, 2, 4][Int(descriptor & 3)]
        let sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let windowLength = isSingleSegment ? 0 : 1
        guard bytes.count == 5 + windowLength + dictionaryLength + sizeLength else { return false }
        // A reserved bit must be zero.
        guard descriptor & 0x08 == 0 else { throw .corruptCoding(.zstd) }
        let dictionary = bytes[(5 + windowLength)..<(5 + windowLength + dictionaryLength)]
        guard dictionary.allSatisfy({ $0 == 0 }) else { throw .codingNeedsDictionary(.zstd) }
        guard window(isSingleSegment, sizeLength) <= 1 << UInt64(Self.maxWindowLog) else {
            throw .codingWindowTooLarge(.zstd)
        }
        return true
    }

    /// The size of the window in bytes (§3.1.1.1.2); that of a single segment is its content.
    private func window(_ isSingleSegment: Bool, _ sizeLength: Int) -> UInt64 {
        guard isSingleSegment else {
            let base = UInt64(1) << (10 + UInt64(bytes[5] >> 3))
            return base + base / 8 * UInt64(bytes[5] & 7)
        }
        // Two bytes count from 256, which does not matter for the limit.
        return bytes.suffix(sizeLength).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
#endif

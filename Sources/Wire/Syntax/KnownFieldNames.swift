/// Gives common field names a small number, so that they compare as integers.
///
/// The table is built once from ``FieldName/known``: an open-addressed hash over length and three
/// octets. A match is always confirmed octet by octet, so a peer cannot forge one.
enum KnownFieldNames {
    /// Looks the name up, without ASCII case; 0 when it is not in the table.
    static func number(of name: Span<UInt8>) -> UInt16 {
        guard !name.isEmpty, name.count <= Table.longestName else { return 0 }
        var slot = hash(name)
        while true {
            let number = table.numbers[slot]
            if number == 0 { return 0 }
            if matches(name, number) { return UInt16(number) }
            slot = (slot + 1) & (slotCount - 1)
        }
    }

    private static func matches(_ name: Span<UInt8>, _ number: UInt8) -> Bool {
        let start = Int(table.starts[Int(number)])
        guard Int(table.starts[Int(number) + 1]) - start == name.count else { return false }
        for index in name.indices
        where ByteClass.lowercase(name[index]) != table.letters[start + index] {
            return false
        }
        return true
    }

    private static func hash(_ name: Span<UInt8>) -> Int {
        slot(
            length: name.count,
            first: name[0],
            middle: name[name.count / 2],
            last: name[name.count - 1]
        )
    }

    /// Mixes length, first, middle and last octet; below ``slotCount``.
    ///
    /// Setting bit 5 folds the letters; that it also folds a few other octets does no harm here.
    @inline(__always)
    static func slot(length: Int, first: UInt8, middle: UInt8, last: UInt8) -> Int {
        (length &* 143 &+ Int(first | 0x20) &* 160 &+ Int(middle | 0x20) &* 16
            &+ Int(last | 0x20) &* 148) & (slotCount - 1)
    }

    /// Slots of the hash table, a power of two.
    static let slotCount = 256

    private static let table = Table()

    /// Holds the lower-case letters of all names, where each begins, and the hash slots.
    private struct Table {
        static let longestName = 40

        var letters = InlineArray<1024, UInt8>(repeating: 0)
        var starts = InlineArray<128, UInt16>(repeating: 0)
        var numbers = InlineArray<256, UInt8>(repeating: 0)

        init() {
            var end: UInt16 = 0
            for name in FieldName.known {
                starts[Int(name.number)] = end
                for byte in name.rawName.utf8 {
                    letters[Int(end)] = ByteClass.lowercase(byte)
                    end += 1
                }
                starts[Int(name.number) + 1] = end
                var slot = KnownFieldNames.hash(name.rawName.utf8.span)
                while numbers[slot] != 0 {
                    slot = (slot + 1) & (slotCount - 1)
                }
                numbers[slot] = UInt8(truncatingIfNeeded: name.number)
            }
        }
    }
}

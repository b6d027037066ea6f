/// A table of common field names and their numbers, so that names compare as integers.
///
/// The table is built once from ``FieldName/known``. Its hash covers the length, the first two bytes
/// and the last two, and gives every name its own slot. A match is always confirmed byte by byte, so
/// a peer cannot forge one.
enum KnownFieldNames {
    /// Returns the number of a name, without regard to ASCII case; 0 if it is not in the table.
    static func number(of name: Span<UInt8>) -> UInt16 {
        guard name.count > 1 else { return 0 }
        let number = table.numbers[hash(name)]
        return matches(name, number) ? UInt16(number) : 0
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

    /// Returns the slot of a name of at least two bytes.
    static func hash(_ name: Span<UInt8>) -> Int {
        let last = name.count - 2
        return slot(
            first: UInt16(name[1]) << 8 | UInt16(name[0]),
            last: UInt16(name[last + 1]) << 8 | UInt16(name[last]),
            length: name.count
        )
    }

    /// Mixes the first two bytes, the last two and the length into a slot below ``slotCount``.
    ///
    /// Setting bit 5 ignores the case of letters. It also maps a few other bytes together, which is
    /// harmless here. The factor was found by trial, so that no two names collide. `Table` checks this:
    /// adding a name may require another factor.
    @inline(__always)
    static func slot(first: UInt16, last: UInt16, length: Int) -> Int {
        let ends = (UInt32(last) &<< 16 | UInt32(first)) | 0x2020_2020
        let mixed = ends &+ UInt32(truncatingIfNeeded: length) &* 0x0303_0303
        return Int((mixed &* 0xa370_6225) &>> 24)
    }

    /// The number of slots in the hash table.
    static let slotCount = 256

    private static let table = Table()

    /// The lower-case letters of all names, the start of each name, and the hash slots.
    private struct Table {
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
                let slot = KnownFieldNames.hash(name.rawName.utf8.span)
                precondition(numbers[slot] == 0, "two known names share a slot")
                numbers[slot] = UInt8(truncatingIfNeeded: name.number)
            }
        }
    }
}

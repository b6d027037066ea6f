extension HeadScanner {
    /// Octets of a name, and behind it, that ``number(at:length:in:)`` may look at.
    static let nameWindow = 32

    /// The table of ``KnownFieldNames``, laid out for comparing a name in one go.
    ///
    /// First the slots of the hash, one octet each. Then 64 octets for each number: the letters in
    /// lower case and a colon behind them; and which bits of each octet must agree: all, all but
    /// the case of a letter, or none behind the end.
    // SAFETY: filled once, before anybody sees it, and only read from then on.
    nonisolated(unsafe) static let nameTable: UnsafeRawPointer = {
        let known = FieldName.known
        let size = KnownFieldNames.slotCount + (known.count + 1) * 2 * nameWindow
        let table = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        // SAFETY: all stores lie below `size`; the table is never freed, and not written later.
        unsafe table.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        for name in known {
            let bytes = name.rawName.utf8.span
            precondition(bytes.count <= nameWindow, "a known name is too long for the table")
            var slot = KnownFieldNames.slot(
                length: bytes.count,
                first: bytes[0],
                middle: bytes[bytes.count / 2],
                last: bytes[bytes.count - 1]
            )
            while unsafe table.load(fromByteOffset: slot, as: UInt8.self) != 0 {
                slot = (slot + 1) & (KnownFieldNames.slotCount - 1)
            }
            unsafe table.storeBytes(of: UInt8(name.number), toByteOffset: slot, as: UInt8.self)
            let row = unsafe table + KnownFieldNames.slotCount + Int(name.number) * 2 * nameWindow
            for index in 0...min(bytes.count, nameWindow - 1) {
                let byte = index < bytes.count ? ByteClass.lowercase(bytes[index]) : Byte.colon
                let bits: UInt8 = ByteClass.isAlpha(byte) ? 0xdf : 0xff
                unsafe row.storeBytes(of: byte & bits, toByteOffset: index, as: UInt8.self)
                unsafe row.storeBytes(of: bits, toByteOffset: nameWindow + index, as: UInt8.self)
            }
        }
        return UnsafeRawPointer(table)
    }()

    /// Looks a name up, without ASCII case; 0 when it is not known.
    ///
    /// `length` is the distance to the first colon, at least 1 and at most ``nameWindow``, which is
    /// also how many octets must be readable. A match proves that the name is a token.
    @inline(__always)
    static func number(
        at name: UnsafeRawPointer,
        length: Int,
        in table: UnsafeRawPointer
    ) -> UInt16 {
        // SAFETY: length is within the window; slots and rows are those of the table.
        var slot = unsafe KnownFieldNames.slot(
            length: length,
            first: name.load(as: UInt8.self),
            middle: name.load(fromByteOffset: length / 2, as: UInt8.self),
            last: name.load(fromByteOffset: length - 1, as: UInt8.self)
        )
        while true {
            let number = unsafe table.load(fromByteOffset: slot, as: UInt8.self)
            if number == 0 { return 0 }
            let row = unsafe table + KnownFieldNames.slotCount + Int(number) * 2 * nameWindow
            let difference =
                unsafe difference(name, row, 0) | difference(name, row, 8)
                | difference(name, row, 16) | difference(name, row, 24)
            if difference == 0 { return UInt16(number) }
            slot = (slot + 1) & (KnownFieldNames.slotCount - 1)
        }
    }

    @inline(__always)
    private static func difference(
        _ name: UnsafeRawPointer,
        _ row: UnsafeRawPointer,
        _ offset: Int
    ) -> UInt64 {
        // SAFETY: all three lie within the window of the name and of the row.
        let bits = unsafe row.loadUnaligned(fromByteOffset: nameWindow + offset, as: UInt64.self)
        let letters = unsafe row.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return unsafe name.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & bits ^ letters
    }
}

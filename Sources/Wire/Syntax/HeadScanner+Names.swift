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

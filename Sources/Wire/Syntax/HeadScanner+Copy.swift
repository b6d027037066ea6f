// These functions copy bytes into a message and check them in the same pass. To read the bytes again
// right after writing them would have to wait for the stores.

extension HeadScanner {
    /// Appends bytes; there must be room.
    @inline(__always)
    static func append(_ source: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        let length = source.count
        // SAFETY: the precondition checks the room; source and output cannot overlap, as the output is
        // borrowed exclusively. Both pointers end with the closures.
        unsafe output.withUnsafeMutableBufferPointer { room, count in
            unsafe source.withUnsafeBytes { bytes in
                guard length > 0, let from = bytes.baseAddress, let start = room.baseAddress
                else { return }
                precondition(length <= room.count &- count, "no room for bytes")
                let to = unsafe UnsafeMutableRawPointer(start + count)
                unsafe copy(from, to, length)
                count &+= length
            }
        }
    }

    /// Appends CRLF; there must be room.
    @inline(__always)
    static func appendLineEnd(to output: inout OutputSpan<UInt8>) {
        output.append(Byte.carriageReturn)
        output.append(Byte.lineFeed)
    }

    /// Appends the eight bytes of a word, highest byte first; there must be room.
    @inline(__always)
    static func append(word: UInt64, to output: inout OutputSpan<UInt8>) {
        // SAFETY: the store comes after the check of the room.
        unsafe output.withUnsafeMutableBufferPointer { room, count in
            guard let start = room.baseAddress else { return }
            precondition(room.count &- count >= 8, "no room for bytes")
            unsafe UnsafeMutableRawPointer(start + count)
                .storeBytes(of: word.bigEndian, as: UInt64.self)
            count &+= 8
        }
    }

    /// Writes `name: value` CRLF to memory with room for both and four more bytes.
    ///
    /// - Returns: whether the value is allowed as a field value.
    @inline(__always)
    static func writeLine(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        _ target: UnsafeMutableRawPointer
    ) -> Bool {
        let (nameLength, valueLength) = (name.count, value.count)
        var isValid = true
        // SAFETY: the caller has checked the room; source and target cannot overlap, as the target
        // is memory that is not initialized yet.
        unsafe name.withUnsafeBytes { bytes in
            guard nameLength > 0, let from = bytes.baseAddress else { return }
            unsafe copy(from, target, nameLength)
        }
        unsafe target.storeBytes(
            of: UInt16(littleEndian: 0x203a),
            toByteOffset: nameLength,
            as: UInt16.self
        )
        let to = unsafe target + (nameLength &+ 2)
        unsafe value.withUnsafeBytes { bytes in
            guard valueLength > 0, let from = bytes.baseAddress else { return }
            isValid = unsafe copyValue(from, to, valueLength)
        }
        unsafe to.storeBytes(
            of: UInt16(littleEndian: 0x0a0d),
            toByteOffset: valueLength,
            as: UInt16.self
        )
        return isValid
    }

    /// Copies bytes, at least one, in blocks that overlap at the end.
    @inline(__always)
    private static func copy(
        _ from: UnsafeRawPointer,
        _ to: UnsafeMutableRawPointer,
        _ length: Int
    ) {
        // SAFETY: as in copyValue.
        guard length > 16 else {
            unsafe copyShort(from, to, length)
            return
        }
        guard length <= 32 else {
            unsafe to.copyMemory(from: from, byteCount: length)
            return
        }
        let first = unsafe Classes.block(from)
        let last = unsafe Classes.block(from + (length &- 16))
        unsafe to.storeBytes(of: first, as: SIMD16<UInt8>.self)
        unsafe to.storeBytes(of: last, toByteOffset: length &- 16, as: SIMD16<UInt8>.self)
    }

    /// Copies 1 to 16 bytes.
    @inline(__always)
    private static func copyShort(
        _ from: UnsafeRawPointer,
        _ to: UnsafeMutableRawPointer,
        _ length: Int
    ) {
        // SAFETY: the loads and stores may overlap, and each is within the length.
        if length >= 8 {
            let first = unsafe from.loadUnaligned(as: UInt64.self)
            let last = unsafe from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
            unsafe to.storeBytes(of: first, as: UInt64.self)
            unsafe to.storeBytes(of: last, toByteOffset: length &- 8, as: UInt64.self)
        } else if length >= 4 {
            let first = unsafe from.loadUnaligned(as: UInt32.self)
            let last = unsafe from.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
            unsafe to.storeBytes(of: first, as: UInt32.self)
            unsafe to.storeBytes(of: last, toByteOffset: length &- 4, as: UInt32.self)
        } else {
            let first = unsafe from.load(as: UInt8.self)
            let middle = unsafe from.load(fromByteOffset: length &>> 1, as: UInt8.self)
            let last = unsafe from.load(fromByteOffset: length &- 1, as: UInt8.self)
            unsafe to.storeBytes(of: first, as: UInt8.self)
            unsafe to.storeBytes(of: middle, toByteOffset: length &>> 1, as: UInt8.self)
            unsafe to.storeBytes(of: last, toByteOffset: length &- 1, as: UInt8.self)
        }
    }

    /// Copies bytes, at least one, and returns whether all of them are allowed in a field value.
    @inline(__always)
    private static func copyValue(
        _ from: UnsafeRawPointer,
        _ to: UnsafeMutableRawPointer,
        _ length: Int
    ) -> Bool {
        // SAFETY: every load and store ends at or before `length`.
        guard length >= 16 else {
            unsafe copyShort(from, to, length)
            return unsafe Classes.isAllZero(
                Classes.invalidValueMask(Classes.shortBlock(from, length))
            )
        }
        let last = length &- 16
        let end = unsafe Classes.block(from + last)
        var found = Classes.invalidValueMask(end)
        var index = 0
        while index < last {
            let bytes = unsafe Classes.block(from + index)
            found = Classes.union(found, Classes.invalidValueMask(bytes))
            unsafe to.storeBytes(of: bytes, toByteOffset: index, as: SIMD16<UInt8>.self)
            index &+= 16
        }
        unsafe to.storeBytes(of: end, toByteOffset: last, as: SIMD16<UInt8>.self)
        return Classes.isAllZero(found)
    }
}

// Each helper is one operator on concrete types. In larger expressions, the compiler has chosen the
// generic operators, which work lane by lane and are fifty times slower.

extension HeadScanner {
    typealias V16 = SIMD16<UInt8>
    typealias M16 = SIMDMask<SIMD16<Int8>>

    @inline(__always)
    static func load(_ start: UnsafeRawPointer) -> V16 {
        // SAFETY: the caller has checked that 16 bytes are readable.
        unsafe start.loadUnaligned(as: V16.self)
    }

    @inline(__always)
    static func below(_ left: V16, _ right: V16) -> M16 { left .< right }

    @inline(__always)
    static func below(_ left: SIMD16<Int8>, _ right: SIMD16<Int8>) -> M16 { left .< right }

    @inline(__always)
    static func equal(_ left: V16, _ right: V16) -> M16 { left .== right }

    @inline(__always)
    static func either(_ left: M16, _ right: M16) -> M16 { left .| right }

    @inline(__always)
    static func both(_ left: M16, _ right: M16) -> M16 { left .& right }

    @inline(__always)
    static func either(_ left: V16, _ right: V16) -> V16 { left | right }

    @inline(__always)
    static func select(_ left: V16, _ right: V16) -> V16 { left & right }

    @inline(__always)
    static func plus(_ left: V16, _ right: V16) -> V16 { left &+ right }

    @inline(__always)
    static func minus(_ left: V16, _ right: V16) -> V16 { left &- right }

    /// Reinterprets bytes as signed numbers.
    @inline(__always)
    static func numbers(_ bytes: V16) -> SIMD16<Int8> {
        // SAFETY: the cast is between plain integers of the same size.
        unsafe unsafeBitCast(bytes, to: SIMD16<Int8>.self)
    }

    @inline(__always)
    static func maskBytes(_ mask: M16) -> V16 {
        // SAFETY: a mask is 16 bytes of all ones or all zeros.
        unsafe unsafeBitCast(mask, to: V16.self)
    }

    /// Conversions of masks to integers that work with every processor and compiler.
    ///
    /// ``BitMasks`` is an alias of this type where nothing faster is available; the tests compare both.
    package enum PortableBitMasks {
        /// Returns the index of the first byte that is set; 16 if none is.
        @inline(__always)
        static func firstSet(_ mask: M16) -> Int {
            let packed = nibbles(select(maskBytes(mask), V16(repeating: 0x0f)))
            return packed.trailingZeroBitCount &>> 2
        }

        /// Returns the index of the first byte that is set; nil if none is.
        @inline(__always)
        static func firstSetIfAny(_ mask: M16) -> Int? {
            let index = firstSet(mask)
            return index < 16 ? index : nil
        }

        @inline(__always)
        static func areAllSet(_ mask: M16) -> Bool {
            nibbles(select(maskBytes(mask), V16(repeating: 0x0f))) == .max
        }

        /// Packs 64 bytes into 64 bits; bit n represents byte n.
        @inline(__always)
        static func bits(_ first: M16, _ second: M16, _ third: M16, _ fourth: M16) -> UInt64 {
            // Each of the four vectors uses one bit of each byte, so that they fit into one vector.
            let low = either(
                select(maskBytes(first), V16(repeating: 0x01)),
                select(maskBytes(second), V16(repeating: 0x02))
            )
            let high = either(
                select(maskBytes(third), V16(repeating: 0x04)),
                select(maskBytes(fourth), V16(repeating: 0x08))
            )
            let found = nibbles(either(low, high))
            // Long values have many blocks without special bytes, or with nothing else.
            return found == 0 || found == .max ? found : inOrder(found)
        }

        /// Packs 16 bytes below 16 into 8 bytes; the first is in the lowest bits.
        @inline(__always)
        private static func nibbles(_ bytes: V16) -> UInt64 {
            // SAFETY: both casts are between plain integers of the same size.
            let pairs = unsafe unsafeBitCast(bytes, to: SIMD8<UInt16>.self)
            let packed = SIMD8<UInt8>(truncatingIfNeeded: joined(pairs, shifted(pairs)))
            return unsafe unsafeBitCast(packed, to: UInt64.self).littleEndian
        }

        @inline(__always)
        private static func shifted(_ pairs: SIMD8<UInt16>) -> SIMD8<UInt16> {
            pairs &>> SIMD8<UInt16>(repeating: 4)
        }

        @inline(__always)
        private static func joined(
            _ left: SIMD8<UInt16>,
            _ right: SIMD8<UInt16>
        ) -> SIMD8<UInt16> { left | right }

        /// Moves bit 4n + k to bit 16k + n: the transpose of 16 nibbles, by swapping index bits.
        @inline(__always)
        private static func inOrder(_ nibbles: UInt64) -> UInt64 {
            var bits = nibbles
            bits = swapped(bits, 30, 0x0000_0000_cccc_cccc)
            bits = swapped(bits, 15, 0x0000_aaaa_0000_aaaa)
            bits = swapped(bits, 6, 0x00cc_00cc_00cc_00cc)
            return swapped(bits, 3, 0x0a0a_0a0a_0a0a_0a0a)
        }

        /// Swaps the bits of the mask with those `distance` above them.
        @inline(__always)
        private static func swapped(_ bits: UInt64, _ distance: UInt64, _ mask: UInt64) -> UInt64 {
            let difference = (bits ^ bits &>> distance) & mask
            return bits ^ difference ^ difference &<< distance
        }
    }
}

// Classifies sixteen bytes at a time. Each helper is one operator on concrete types, for the reason
// given in `+Vectors`.

extension HeadScanner {
    /// Tests whether bytes are allowed in a part of a message.
    package enum Classes {
        /// Returns whether all of the bytes are allowed in a field value or a reason phrase (RFC 9110 §5.5).
        package static func isValue(_ bytes: Span<UInt8>) -> Bool {
            isAllZero(mask(of: bytes, invalidValueMask))
        }

        /// Returns whether the bytes are a token (RFC 9110 §5.6.2).
        package static func isToken(_ bytes: Span<UInt8>) -> Bool {
            guard !bytes.isEmpty else { return false }
            if isAllZero(mask(of: bytes, nonWordMask)) { return true }
            for index in bytes.indices where !ByteClass.isToken(bytes[index]) { return false }
            return true
        }

        /// Returns whether all of the bytes are allowed in a request target (RFC 9112 §3.2); "#" is not.
        package static func isTarget(_ bytes: Span<UInt8>) -> Bool {
            isAllZero(mask(of: bytes, invalidTargetMask))
        }

        /// Marks bytes not allowed in a field value: control bytes other than HTAB, and DEL.
        @inline(__always)
        static func invalidValueMask(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
            let controls = both(below(bytes, V16(repeating: 0x20)), notEqual(bytes, Byte.tab))
            return maskBytes(either(controls, equal(bytes, 0x7f)))
        }

        /// Marks bytes other than letters, digits, "-" and "_"; most names have none.
        @inline(__always)
        private static func nonWordMask(_ bytes: V16) -> V16 {
            let folded = union(bytes, V16(repeating: 0x20))
            let letters = below(minus(folded, V16(repeating: 0x61)), V16(repeating: 26))
            let digits = below(minus(bytes, V16(repeating: 0x30)), V16(repeating: 10))
            let others = either(equal(bytes, 0x2d), equal(bytes, 0x5f))
            return maskBytes(not(either(either(letters, digits), others)))
        }

        /// Marks bytes outside 0x21 to 0x7E, and "#".
        @inline(__always)
        private static func invalidTargetMask(_ bytes: V16) -> V16 {
            let visible = below(minus(bytes, V16(repeating: 0x21)), V16(repeating: 0x5e))
            return maskBytes(either(not(visible), equal(bytes, Byte.hash)))
        }

        /// Returns whether no byte is marked.
        @inline(__always)
        static func isAllZero(_ mask: SIMD16<UInt8>) -> Bool {
            // SAFETY: the cast is between plain integers of the same size.
            let words = unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
            return words[0] | words[1] == 0
        }

        /// Returns the union of the marks of two blocks.
        @inline(__always)
        static func union(_ left: SIMD16<UInt8>, _ right: SIMD16<UInt8>) -> SIMD16<UInt8> {
            left | right
        }

        /// Loads 16 bytes.
        @inline(__always)
        static func block(_ start: UnsafeRawPointer) -> SIMD16<UInt8> {
            // SAFETY: the caller has checked that the bytes are readable.
            unsafe start.loadUnaligned(as: V16.self)
        }

        /// Loads 1 to 15 bytes into a block, some of them repeatedly, which does not change the marks.
        @inline(__always)
        static func shortBlock(_ start: UnsafeRawPointer, _ length: Int) -> SIMD16<UInt8> {
            // SAFETY: every load ends at or before `length`.
            let words: SIMD2<UInt64>
            if length >= 8 {
                words = unsafe SIMD2(
                    start.loadUnaligned(as: UInt64.self),
                    start.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
                )
            } else if length >= 4 {
                let first = unsafe start.loadUnaligned(as: UInt32.self)
                let last = unsafe start.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
                words = SIMD2(repeating: UInt64(first) | UInt64(last) &<< 32)
            } else {
                let first = unsafe start.load(as: UInt8.self)
                let middle = unsafe start.load(fromByteOffset: length &>> 1, as: UInt8.self)
                let last = unsafe start.load(fromByteOffset: length &- 1, as: UInt8.self)
                let three = UInt64(first) | UInt64(middle) &<< 8 | UInt64(last) &<< 16
                words = SIMD2(repeating: (three | UInt64(last) &<< 24) &* 0x1_0000_0001)
            }
            return unsafe unsafeBitCast(words, to: V16.self)
        }

        /// Returns the union of the marks of all blocks.
        @inline(__always)
        private static func mask(of bytes: Span<UInt8>, _ mark: (V16) -> V16) -> V16 {
            // SAFETY: every block is within the span.
            unsafe bytes.withUnsafeBytes { raw in
                let length = raw.count
                guard length > 0, let start = raw.baseAddress else { return V16(repeating: 0) }
                guard length >= 16 else { return unsafe mark(shortBlock(start, length)) }
                var found = unsafe mark(block(start + (length &- 16)))
                var index = 0
                while index &+ 16 < length {
                    found = unsafe union(found, mark(block(start + index)))
                    index &+= 16
                }
                return found
            }
        }

        private typealias V16 = SIMD16<UInt8>
        private typealias M16 = SIMDMask<SIMD16<Int8>>

        @inline(__always)
        private static func below(_ left: V16, _ right: V16) -> M16 { left .< right }

        @inline(__always)
        private static func equal(_ bytes: V16, _ byte: UInt8) -> M16 {
            let all = V16(repeating: byte)
            return bytes .== all
        }

        @inline(__always)
        private static func notEqual(_ bytes: V16, _ byte: UInt8) -> M16 {
            let all = V16(repeating: byte)
            return bytes .!= all
        }

        @inline(__always)
        private static func either(_ left: M16, _ right: M16) -> M16 { left .| right }

        @inline(__always)
        private static func both(_ left: M16, _ right: M16) -> M16 { left .& right }

        @inline(__always)
        private static func not(_ mask: M16) -> M16 { .!mask }

        @inline(__always)
        private static func minus(_ left: V16, _ right: V16) -> V16 { left &- right }

        @inline(__always)
        private static func maskBytes(_ mask: M16) -> V16 {
            // SAFETY: a mask is 16 bytes of all ones or all zeros.
            unsafe unsafeBitCast(mask, to: V16.self)
        }
    }
}

extension HeadScanner {
    /// The number of bytes that ``special(at:)`` classifies in one call.
    static let blockSize = 64

    /// Returns which of 64 bytes are special: control bytes, DEL and all bytes above it.
    ///
    /// Bit n represents byte n. The scanner needs only control bytes and DEL; to exclude the others would
    /// take twice as long, and few heads contain them.
    @inline(__always)
    static func special(at start: UnsafeRawPointer) -> UInt64 {
        // SAFETY: the caller has checked that 64 bytes are readable.
        unsafe ~BitMasks.bits(
            areOrdinary(load(start)),
            areOrdinary(load(start + 16)),
            areOrdinary(load(start + 32)),
            areOrdinary(load(start + 48))
        )
    }

    /// Skips bytes other than control bytes and DEL, eight at a time; stops near the first of those.
    static func plainEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: every load begins at most at count - 8 of the span that the pointer refers to.
        unsafe bytes.withUnsafeBytes { raw in
            var index = start
            while index + 8 <= raw.count {
                let word = unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let below = (word &- 0x2020_2020_2020_2020) & ~word
                let deleted = word ^ 0x7f7f_7f7f_7f7f_7f7f
                let isDeleted = (deleted &- 0x0101_0101_0101_0101) & ~deleted
                // A borrow can mark one byte too many but never too few: the slow loop decides.
                guard (below | isDeleted) & 0x8080_8080_8080_8080 == 0 else { break }
                index += 8
            }
            return index
        }
    }

    /// Returns whether a special byte is allowed in a field value (RFC 9110 §5.5).
    @inline(__always)
    static func isAllowedInValue(_ base: UnsafeRawPointer, _ index: Int) -> Bool {
        // SAFETY: the caller has checked that the byte is readable.
        let byte = unsafe base.load(fromByteOffset: index, as: UInt8.self)
        return byte == Byte.tab || byte > 0x7f
    }

    /// Returns the number of bytes before the first colon; nil if there is none.
    @inline(__always)
    static func colon(in bytes: V16) -> Int? {
        BitMasks.firstSetIfAny(equal(bytes, V16(repeating: Byte.colon)))
    }

    /// Returns the number of letters, digits, "-" and "_" before the first other byte.
    @inline(__always)
    static func wordLength(_ bytes: V16) -> Int {
        let letters = below(
            minus(either(bytes, V16(repeating: 0x20)), V16(repeating: 0x61)),
            V16(repeating: 26)
        )
        let digits = below(minus(bytes, V16(repeating: 0x30)), V16(repeating: 10))
        let marks = either(
            equal(bytes, V16(repeating: 0x2d)),
            equal(bytes, V16(repeating: 0x5f))
        )
        let words = maskBytes(either(either(letters, digits), marks))
        return BitMasks.firstSet(equal(words, V16()))
    }

    /// Returns the number of bytes before the first that is not allowed in a request target.
    @inline(__always)
    static func targetLength(_ bytes: V16) -> Int {
        let visible = below(minus(bytes, V16(repeating: 0x21)), V16(repeating: 0x5e))
        let refused = either(
            equal(maskBytes(visible), V16()),
            equal(bytes, V16(repeating: Byte.hash))
        )
        return BitMasks.firstSet(refused)
    }

    /// Marks the bytes that are not special.
    ///
    /// As signed numbers plus 1, DEL and all bytes above it are at most 0.
    @inline(__always)
    private static func areOrdinary(_ bytes: V16) -> M16 {
        below(SIMD16<Int8>(repeating: 0x20), numbers(plus(bytes, V16(repeating: 1))))
    }
}

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

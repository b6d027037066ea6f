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

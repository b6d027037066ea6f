// The ends of lines in bodies: text, JSON lines and event streams. Heads have their own scan (`+Lines`).

extension HeadScanner {
    /// Returns the offset of the first LF at or after `start`, searching 16 bytes at a time.
    @inline(__always)
    static func bodyLineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let feed = V16(repeating: Byte.lineFeed)
        return firstMark(in: bytes, from: start) { block in
            equal(block, feed)
        } orByte: { byte in
            byte == Byte.lineFeed
        }
    }

    /// Returns the offset of the first CR or LF at or after `start`, searching 16 bytes at a time.
    @inline(__always)
    static func bodyLineEnd(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let feed = V16(repeating: Byte.lineFeed)
        let back = V16(repeating: Byte.carriageReturn)
        return firstMark(in: bytes, from: start) { block in
            either(equal(block, feed), equal(block, back))
        } orByte: { byte in
            byte == Byte.lineFeed || byte == Byte.carriageReturn
        }
    }

    /// Returns the offset of the first CR at or after `start`, searching 16 bytes at a time.
    @inline(__always)
    static func bodyCarriageReturn(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let back = V16(repeating: Byte.carriageReturn)
        return firstMark(in: bytes, from: start) { block in
            equal(block, back)
        } orByte: { byte in
            byte == Byte.carriageReturn
        }
    }

    /// Returns the offset of the first byte at or after `start` that the closures mark.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to search.
    ///   - start: the first offset, not beyond the end.
    ///   - mark: marks bytes of a block.
    ///   - isMarked: returns whether a single byte is marked, by the same rule.
    /// - Returns: nil if no byte is marked.
    @inline(__always)
    private static func firstMark(
        in bytes: Span<UInt8>,
        from start: Int,
        _ mark: (V16) -> M16,
        orByte isMarked: (UInt8) -> Bool
    ) -> Int? {
        // SAFETY: every load begins at most at count - 16 of the span that the pointer refers to.
        unsafe bytes.withUnsafeBytes { raw in
            var index = start
            if let base = raw.baseAddress {
                while index &+ 16 <= raw.count {
                    if let found = unsafe BitMasks.firstSetIfAny(mark(load(base + index))) {
                        return index &+ found
                    }
                    index &+= 16
                }
            }
            while index < raw.count {
                if unsafe isMarked(raw[index]) { return index }
                index &+= 1
            }
            return nil
        }
    }
}

extension FieldStorage {
    /// Bytes behind the input that a scan may look at.
    static let padding = HeadScanner.blockSize

    /// Makes room for input of that many bytes, and for the entries of one head of it.
    init(inputCapacity: Int, entryCapacity: Int) {
        self.init(entryCapacity: entryCapacity, byteCapacity: inputCapacity + Self.padding)
        clearPadding(at: 0)
    }

    /// Bytes of input there is room for.
    var inputCapacity: Int { byteCapacity - Self.padding }

    /// Reads a head of the usual kind where it lies.
    ///
    /// The range is the input, from the first byte of the head on, with the start line at `start`;
    /// the places are those of a storage that the caller holds alone.
    ///
    /// - Returns: the lines read; nil when the head is incomplete, or of another kind.
    @inline(__always)
    static func readHead(
        _ role: HeadScanner.Role,
        in range: Range<Int>,
        from start: Int,
        of pointers: Pointers,
        maxFields: Int,
        _ table: HeadScanner.KnownNameTable,
        _ line: inout HeadScanner.StartLine
    ) -> HeadScanner.Lines? {
        let readable = range.upperBound + Self.padding
        precondition(unsafe readable <= pointers.byteCapacity, "bytes out of range")
        // SAFETY: the line above checks that all of the range and 64 bytes more may be read; they
        // were cleared. No more entries are asked for than there is room for.
        let source = unsafe HeadScanner.Source(
            base: UnsafeRawPointer(pointers.bytes),
            count: range.upperBound,
            readable: readable
        )
        let ends = unsafe HeadScanner.startLine(role, source, from: start, into: &line)
        guard let ends else { return nil }
        let lines = unsafe HeadScanner.lines(
            source,
            from: line.end,
            ends,
            into: HeadScanner.Entries(
                pointers.entries,
                maxLines: min(maxFields, pointers.entryCapacity)
            ),
            table
        )
        return lines.isEnd ? lines : nil
    }

    /// Lends the bytes of `range`, which the caller of this knows to be written.
    func withInput<R, E: Error>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.upperBound <= inputCapacity, "bytes out of range")
        let pointer = unsafe bytePointer()
        // SAFETY: the range lies in the buffer, whose owner has written it; as in withBytes.
        let bytes = unsafe UnsafeBufferPointer(
            start: pointer + range.lowerBound,
            count: range.count
        )
        defer { keepAlive() }
        return try unsafe body(bytes.span)
    }

    /// Has bytes written from `start` on, at most `count`; clears those behind them.
    ///
    /// - Returns: the first byte that was not written; when the body throws, none was.
    func write<E: Error>(
        at start: Int,
        atMost count: Int,
        _ body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) -> Int {
        precondition(start + count <= inputCapacity, "no room for bytes")
        // SAFETY: the line above checks that the bytes fit; they need no deinitialising.
        let room = unsafe UnsafeMutableBufferPointer(start: bytePointer() + start, count: count)
        var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
        do throws(E) {
            try body(&output)
        } catch {
            clearPadding(at: start)
            throw error
        }
        let end = unsafe start + output.finalize(for: room)
        clearPadding(at: end)
        return end
    }

    /// Moves bytes to the front.
    func moveToFront(_ range: Range<Int>) {
        precondition(range.upperBound <= inputCapacity, "bytes out of range")
        // SAFETY: both places lie in the buffer; this copes with an overlap.
        let base = unsafe UnsafeMutableRawPointer(bytePointer())
        unsafe base.copyMemory(from: base + range.lowerBound, byteCount: range.count)
        clearPadding(at: range.count)
    }

    /// Copies bytes of another buffer to the front.
    func copyToFront(_ range: Range<Int>, of other: FieldStorage) {
        precondition(
            range.count <= inputCapacity && range.upperBound <= other.inputCapacity,
            "bytes out of range"
        )
        // SAFETY: the line above checks both places; they are different buffers.
        unsafe UnsafeMutableRawPointer(bytePointer()).copyMemory(
            from: other.bytePointer() + range.lowerBound,
            byteCount: range.count
        )
        other.keepAlive()
        clearPadding(at: range.count)
    }

    /// Clears what a scan may look at behind the end of the input.
    private func clearPadding(at end: Int) {
        // SAFETY: callers keep `end` within what there is room for, and the padding lies behind that.
        unsafe (bytePointer() + end).update(repeating: 0, count: Self.padding)
    }
}

extension InputBuffer {
    /// Reads a head of the usual kind where it lies; ``prepareForHead()`` comes before.
    ///
    /// - Returns: the lines read; nil when the head is incomplete, or of another kind.
    @inline(__always)
    mutating func readHead(
        _ role: HeadScanner.Role,
        in range: Range<Int>,
        from start: Int,
        maxFields: Int,
        _ table: HeadScanner.KnownNameTable,
        _ line: inout HeadScanner.StartLine
    ) -> HeadScanner.Lines? {
        // SAFETY: the buffer is ours to change for the length of the call, and nobody else refers to
        // its entries, as prepareForHead() has seen to.
        unsafe FieldStorage.readHead(
            role,
            in: range,
            from: start,
            of: storage.pointers,
            maxFields: maxFields,
            table,
            &line
        )
    }
}

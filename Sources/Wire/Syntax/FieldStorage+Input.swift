extension FieldStorage {
    /// The number of bytes after the input that a scan may read.
    static let padding = HeadScanner.blockSize

    /// Creates a storage for `inputCapacity` bytes of input and for the entries of one head.
    init(inputCapacity: Int, entryCapacity: Int) {
        self.init(entryCapacity: entryCapacity, byteCapacity: inputCapacity + Self.padding)
        clearPadding(at: 0)
    }

    /// The capacity for input, in bytes.
    var inputCapacity: Int { byteCapacity - Self.padding }

    /// Reads an ordinary head without copying it.
    ///
    /// The range is the input from the first byte of the head on, and the start line begins at `start`.
    /// The pointers belong to a storage to which the caller has the only reference.
    ///
    /// - Returns: the lines; nil if the head is incomplete or unusual.
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
        // were cleared. No more entries are requested than there is room for.
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

    /// Calls a closure with the bytes of `range`, which the caller must have written.
    func withInput<R, E: Error>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.upperBound <= inputCapacity, "bytes out of range")
        let pointer = unsafe bytePointer()
        // SAFETY: the range is within the buffer, whose owner has written it; as in withBytes.
        let bytes = unsafe UnsafeBufferPointer(
            start: pointer + range.lowerBound,
            count: range.count
        )
        defer { keepAlive() }
        return try unsafe body(bytes.span)
    }

    /// Lets a closure write at most `count` bytes from `start` on, and clears the padding after them.
    ///
    /// - Returns: the end of the bytes written. If the closure throws, no byte counts as written.
    func write<E: Error>(
        at start: Int,
        atMost count: Int,
        _ body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) -> Int {
        precondition(start + count <= inputCapacity, "no room for bytes")
        // SAFETY: the line above checks that the bytes fit; they need no deinitialization.
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

    /// Moves the bytes of `range` to the front.
    func moveToFront(_ range: Range<Int>) {
        precondition(range.upperBound <= inputCapacity, "bytes out of range")
        // SAFETY: both ranges are within the buffer, and copyMemory allows overlap.
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
        // SAFETY: the precondition above checks both ranges; they are in different buffers.
        unsafe UnsafeMutableRawPointer(bytePointer()).copyMemory(
            from: other.bytePointer() + range.lowerBound,
            byteCount: range.count
        )
        other.keepAlive()
        clearPadding(at: range.count)
    }

    /// Clears the bytes that a scan may read after the end of the input.
    private func clearPadding(at end: Int) {
        // SAFETY: callers keep `end` within the input capacity, and the padding follows that capacity.
        unsafe (bytePointer() + end).update(repeating: 0, count: Self.padding)
    }
}

extension InputBuffer {
    /// Reads an ordinary head without copying it; ``prepareForHead()`` must be called first.
    ///
    /// - Returns: the lines; nil if the head is incomplete or unusual.
    @inline(__always)
    mutating func readHead(
        _ role: HeadScanner.Role,
        in range: Range<Int>,
        from start: Int,
        maxFields: Int,
        _ table: HeadScanner.KnownNameTable,
        _ line: inout HeadScanner.StartLine
    ) -> HeadScanner.Lines? {
        // SAFETY: this call has exclusive access to the buffer, and prepareForHead() has made sure that
        // nothing else refers to its entries.
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

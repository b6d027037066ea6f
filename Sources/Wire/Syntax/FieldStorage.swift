/// Holds field lines in one allocation: a table of entries, then the bytes they point into.
///
/// For a received section the bytes are the whole section (or head) exactly as it came. Fields
/// added later lie behind it in wire form, `name: value` CRLF, so that neighbours are sent with one
/// copy. Removing a field frees nothing; the room comes back when the storage grows.
///
/// Sendable although the buffer is a class: ``HTTPHeaders`` writes only after it has made sure that
/// it owns the one reference, so bytes that two values share never change.
struct FieldStorage: @unchecked Sendable {
    /// Longest name an entry can hold.
    static let maxNameLength = Int(UInt16.max)
    /// Bytes a storage may hold; offsets are 32 bits wide.
    static let maxBytes = Int(Int32.max)

    private struct Layout {
        var entryCount = 0
        let entryCapacity: Int
        var byteCount = 0
        let byteCapacity: Int
        var receivedStart = 0
        var receivedEnd = 0
    }

    private var buffer: ManagedBuffer<Layout, FieldEntry>

    /// The header of the buffer.
    ///
    /// Read and written through its address: `buffer.header` would have the runtime look for
    /// overlapping accesses each time, and these last no longer than a load or a store.
    private var layout: Layout {
        get {
            // SAFETY: the pointer does not leave the closure; the header is initialised with the buffer.
            unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee }
        }
        nonmutating set {
            // SAFETY: as in the getter; only an owner of the one reference writes.
            unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee = newValue }
        }
    }

    /// Makes room for that many entries and bytes.
    init(entryCapacity: Int, byteCapacity: Int) {
        let stride = MemoryLayout<FieldEntry>.stride
        buffer = .create(minimumCapacity: entryCapacity + (byteCapacity + stride - 1) / stride) {
            _ in Layout(entryCapacity: entryCapacity, byteCapacity: byteCapacity)
        }
    }

    /// Copies a received section, with room for `entryCapacity` entries that are still to come.
    ///
    /// The `room` is for bytes that are to be appended besides.
    init(received bytes: Span<UInt8>, entryCapacity: Int, room: Int = 0) {
        self.init(entryCapacity: entryCapacity, byteCapacity: bytes.count + room)
        appendBytes(bytes)
        layout.receivedEnd = bytes.count
    }

    var entryCount: Int { layout.entryCount }
    var entryCapacity: Int { layout.entryCapacity }
    /// Where the head or section lies that was received; empty for a storage that was built.
    var received: Range<Int> { layout.receivedStart..<layout.receivedEnd }

    var byteCount: Int { layout.byteCount }
    var byteCapacity: Int { layout.byteCapacity }

    /// Says whether nobody else refers to the bytes, so that they may be changed.
    mutating func isUnique() -> Bool {
        isKnownUniquelyReferenced(&buffer)
    }

    func hasRoom(entries: Int, bytes: Int) -> Bool {
        let layout = self.layout
        return layout.entryCapacity - layout.entryCount >= entries
            && layout.byteCapacity - layout.byteCount >= bytes
    }

    // MARK: - Entries

    subscript(index: Int) -> FieldEntry {
        get {
            precondition(index >= 0 && index < entryCount, "index of a field out of range")
            // SAFETY: entries below entryCount are initialised; the line above checks the index.
            return unsafe buffer.withUnsafeMutablePointerToElements { unsafe $0[index] }
        }
        nonmutating set {
            precondition(index >= 0 && index < entryCount, "index of a field out of range")
            // SAFETY: as in the getter; HTTPHeaders has checked that it owns the buffer alone.
            unsafe buffer.withUnsafeMutablePointerToElements { unsafe $0[index] = newValue }
        }
    }

    /// Finds the first entry of a known name from `start` on.
    ///
    /// Numbers alone are compared, as entries of known names all have theirs.
    func firstIndex(ofNumber number: UInt16, from start: Int) -> Int? {
        precondition(start >= 0, "index of a field out of range")
        // SAFETY: entries below entryCount are initialised, and the loop stays below it.
        return unsafe buffer.withUnsafeMutablePointers { header, elements in
            let count = unsafe header.pointee.entryCount
            var index = start
            while index < count {
                if unsafe elements[index].number == number { return index }
                index += 1
            }
            return nil
        }
    }

    /// Says whether there is an entry of any of three known names.
    func contains(numbers first: UInt16, _ second: UInt16, _ third: UInt16) -> Bool {
        // SAFETY: as in the function above.
        unsafe buffer.withUnsafeMutablePointers { header, elements in
            let count = unsafe header.pointee.entryCount
            for index in 0..<count {
                let number = unsafe elements[index].number
                if number == first || number == second || number == third { return true }
            }
            return false
        }
    }

    /// Adds an entry at the end; there must be room.
    func appendEntry(_ entry: FieldEntry) {
        // SAFETY: the index is below the capacity the buffer was created with; FieldEntry is trivial.
        unsafe buffer.withUnsafeMutablePointers { header, elements in
            let index = unsafe header.pointee.entryCount
            precondition(unsafe index < header.pointee.entryCapacity, "no room for an entry")
            unsafe elements[index] = entry
            unsafe header.pointee.entryCount = index + 1
        }
    }

    /// Where the parts of a storage lie.
    ///
    /// Holds no reference: to take one and drop it costs as much as reading two lines. So whoever
    /// asks for it keeps the storage alive, and to itself if it writes.
    @unsafe struct Pointers {
        let entries: UnsafeMutablePointer<FieldEntry>
        let entryCapacity: Int
        let bytes: UnsafeMutableRawPointer
        let byteCapacity: Int

        @inline(__always)
        fileprivate init(
            _ entries: UnsafeMutablePointer<FieldEntry>,
            entryCapacity: Int,
            byteCapacity: Int
        ) {
            // SAFETY: the bytes lie behind the last entry there is room for, as in bytePointer().
            unsafe self.entries = entries
            unsafe self.entryCapacity = entryCapacity
            unsafe bytes = UnsafeMutableRawPointer(entries + entryCapacity)
            unsafe self.byteCapacity = byteCapacity
        }
    }

    /// Tells where the parts lie, which is the same as long as the storage is there.
    @inline(__always)
    var pointers: Pointers {
        // SAFETY: what leaves the closure is for callers that keep the storage alive, see there.
        unsafe buffer.withUnsafeMutablePointers { layout, entries in
            unsafe Pointers(
                entries,
                entryCapacity: layout.pointee.entryCapacity,
                byteCapacity: layout.pointee.byteCapacity
            )
        }
    }

    /// Takes note of what was read into table and bytes.
    func commit(entries: Int, received: Range<Int>) {
        // SAFETY: entries and bytes up to there are written; only an owner of the one reference calls.
        unsafe buffer.withUnsafeMutablePointerToHeader { header in
            unsafe header.pointee.entryCount = entries
            unsafe header.pointee.byteCount = received.upperBound
            unsafe header.pointee.receivedStart = received.lowerBound
            unsafe header.pointee.receivedEnd = received.upperBound
        }
    }

    /// Adds the first `count` entries of a table at the end; there must be room.
    func appendEntries(_ table: UnsafeMutableBufferPointer<FieldEntry>, _ count: Int) {
        guard let source = table.baseAddress, count > 0 else { return }
        // SAFETY: the line below checks that the entries fit; the caller has written so many.
        unsafe buffer.withUnsafeMutablePointers { header, elements in
            let index = unsafe header.pointee.entryCount
            precondition(
                unsafe count <= header.pointee.entryCapacity - index,
                "no room for entries"
            )
            unsafe (elements + index).update(from: source, count: count)
            unsafe header.pointee.entryCount = index + count
        }
    }

    /// Takes everything out and keeps the room.
    func removeAll() {
        layout.entryCount = 0
        layout.byteCount = 0
        layout.receivedStart = 0
        layout.receivedEnd = 0
    }

    /// Takes an entry out; those behind it move up.
    func removeEntry(at index: Int) {
        for position in index..<entryCount - 1 {
            self[position] = self[position + 1]
        }
        layout.entryCount -= 1
    }

    // MARK: - Bytes

    /// Lends the bytes of `range`, which must lie within those stored.
    func withBytes<R, E: Error>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.upperBound <= layout.byteCount, "bytes out of range")
        let pointer = unsafe bytePointer()
        // SAFETY: the range lies below byteCount, all of which is initialised; `buffer` is kept
        // alive by withExtendedLifetime until the body returns, and the span cannot leave it.
        defer { withExtendedLifetime(buffer) {} }
        return try unsafe body(
            UnsafeBufferPointer(start: pointer + range.lowerBound, count: range.count).span
        )
    }

    /// Adds bytes at the end and tells where they lie; there must be room.
    @discardableResult
    func appendBytes(_ bytes: Span<UInt8>) -> Range<Int> {
        let start = layout.byteCount
        precondition(bytes.count <= layout.byteCapacity - start, "no room for bytes")
        let target = unsafe bytePointer() + start
        // SAFETY: the line above checks that the bytes fit behind those initialised so far.
        unsafe bytes.withUnsafeBufferPointer { source in
            if let base = source.baseAddress {
                unsafe target.update(from: base, count: source.count)
            }
        }
        layout.byteCount = start + bytes.count
        return start..<start + bytes.count
    }

    /// Adds `name: value` CRLF at the end and tells where the two lie; there must be room.
    ///
    /// `isValid` says whether a field value may hold the bytes of this one.
    @inline(__always)
    func appendWireLine(
        name: Span<UInt8>,
        value: Span<UInt8>
    ) -> (name: Range<Int>, value: Range<Int>, isValid: Bool) {
        let start = layout.byteCount
        let room = layout.byteCapacity - start - 4
        precondition(
            name.count <= room && value.count <= room - name.count,
            "no room for bytes"
        )
        // SAFETY: the line above checks that both and four bytes fit behind those initialised so far.
        let target = unsafe UnsafeMutableRawPointer(bytePointer() + start)
        let isValid = unsafe HeadScanner.writeLine(name, value, target)
        let valueStart = start + name.count + 2
        layout.byteCount = valueStart + value.count + 2
        return (
            start..<start + name.count, valueStart..<valueStart + value.count, isValid
        )
    }

    /// Adds a copy of the bytes of `range` to an array.
    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        withBytes(range) { bytes in
            // SAFETY: the pointer is valid inside the closure, and append copies.
            unsafe bytes.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
        }
    }

    /// Keeps the buffer alive up to here, for what was done with pointers into it.
    func keepAlive() {
        withExtendedLifetime(buffer) {}
    }

    /// Finds where the bytes begin: behind the last entry there is room for.
    func bytePointer() -> UnsafeMutablePointer<UInt8> {
        let capacity = layout.entryCapacity
        // SAFETY: the buffer was created with room for the entries and, rounded up, the bytes
        // behind them; the memory there is only ever bound to UInt8. Callers hold the buffer alive.
        return unsafe buffer.withUnsafeMutablePointerToElements { elements in
            unsafe UnsafeMutableRawPointer(elements + capacity).assumingMemoryBound(to: UInt8.self)
        }
    }
}

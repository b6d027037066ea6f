/// A storage for field lines in one allocation: a table of entries, then the bytes they refer to.
///
/// For a received section or head, the bytes are exactly those received. Fields added later follow in
/// wire form, `name: value` CRLF, so that adjacent lines are sent with one copy. Removing a field
/// frees no memory; the next reallocation does.
///
/// The type is Sendable although the buffer is a class. ``HTTPHeaders`` writes only after it has
/// checked that it has the only reference, so bytes shared by two values never change.
struct FieldStorage: @unchecked Sendable {
    /// The maximum length of a name in an entry.
    static let maxNameLength = Int(UInt16.max)
    /// The maximum number of bytes in a storage, so that offsets fit into 32 bits.
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
    /// It is accessed through its address. With `buffer.header`, the runtime would check for overlapping
    /// accesses each time, although an access takes only a load or a store.
    private var layout: Layout {
        get {
            // SAFETY: the pointer does not leave the closure; the header is initialized with the buffer.
            unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee }
        }
        nonmutating set {
            // SAFETY: as in the getter; only the owner of the only reference writes.
            unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee = newValue }
        }
    }

    /// Creates a storage for the given numbers of entries and bytes.
    init(entryCapacity: Int, byteCapacity: Int) {
        let stride = MemoryLayout<FieldEntry>.stride
        buffer = .create(minimumCapacity: entryCapacity + (byteCapacity + stride - 1) / stride) {
            _ in Layout(entryCapacity: entryCapacity, byteCapacity: byteCapacity)
        }
    }

    /// Copies a received section, with capacity for `entryCapacity` entries.
    ///
    /// `room` is the number of additional bytes that will be appended.
    init(received bytes: Span<UInt8>, entryCapacity: Int, room: Int = 0) {
        self.init(entryCapacity: entryCapacity, byteCapacity: bytes.count + room)
        appendBytes(bytes)
        layout.receivedEnd = bytes.count
    }

    var entryCount: Int { layout.entryCount }
    var entryCapacity: Int { layout.entryCapacity }
    /// The range of the received head or section; empty for a storage built by the program.
    var received: Range<Int> { layout.receivedStart..<layout.receivedEnd }

    var byteCount: Int { layout.byteCount }
    var byteCapacity: Int { layout.byteCapacity }

    /// Returns whether this is the only reference to the buffer, so that the bytes may be changed.
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
            // SAFETY: entries below entryCount are initialized; the line above checks the index.
            return unsafe buffer.withUnsafeMutablePointerToElements { unsafe $0[index] }
        }
        nonmutating set {
            precondition(index >= 0 && index < entryCount, "index of a field out of range")
            // SAFETY: as in the getter; HTTPHeaders has checked that it has the only reference.
            unsafe buffer.withUnsafeMutablePointerToElements { unsafe $0[index] = newValue }
        }
    }

    /// Returns the index of the first entry with the number of a known name, from `start` on.
    ///
    /// Comparing numbers is enough, because every entry of a known name has its number.
    func firstIndex(ofNumber number: UInt16, from start: Int) -> Int? {
        precondition(start >= 0, "index of a field out of range")
        // SAFETY: entries below entryCount are initialized, and the loop stays below it.
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

    /// Returns whether there is an entry of any of three known names.
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

    /// Appends an entry; there must be room.
    func appendEntry(_ entry: FieldEntry) {
        // SAFETY: the index is below the capacity the buffer was created with; FieldEntry is trivial.
        unsafe buffer.withUnsafeMutablePointers { header, elements in
            let index = unsafe header.pointee.entryCount
            precondition(unsafe index < header.pointee.entryCapacity, "no room for an entry")
            unsafe elements[index] = entry
            unsafe header.pointee.entryCount = index + 1
        }
    }

    /// The addresses of the parts of a storage.
    ///
    /// It has no reference to the storage: a retain and a release cost as much as reading two lines. The
    /// caller must keep the storage alive, and must have the only reference if it writes.
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
            // SAFETY: the bytes follow the last entry there is room for, as in bytePointer().
            unsafe self.entries = entries
            unsafe self.entryCapacity = entryCapacity
            unsafe bytes = UnsafeMutableRawPointer(entries + entryCapacity)
            unsafe self.byteCapacity = byteCapacity
        }
    }

    /// The addresses of the parts; they do not change during the lifetime of the storage.
    @inline(__always)
    var pointers: Pointers {
        // SAFETY: callers keep the storage alive while they use the pointers, see Pointers.
        unsafe buffer.withUnsafeMutablePointers { layout, entries in
            unsafe Pointers(
                entries,
                entryCapacity: layout.pointee.entryCapacity,
                byteCapacity: layout.pointee.byteCapacity
            )
        }
    }

    /// Records what was read into the table and the bytes.
    func commit(entries: Int, received: Range<Int>) {
        // SAFETY: entries and bytes up to there are written; only the owner of the only reference calls.
        unsafe buffer.withUnsafeMutablePointerToHeader { header in
            unsafe header.pointee.entryCount = entries
            unsafe header.pointee.byteCount = received.upperBound
            unsafe header.pointee.receivedStart = received.lowerBound
            unsafe header.pointee.receivedEnd = received.upperBound
        }
    }

    /// Appends the first `count` entries of a table; there must be room.
    func appendEntries(_ table: UnsafeMutableBufferPointer<FieldEntry>, _ count: Int) {
        guard let source = table.baseAddress, count > 0 else { return }
        // SAFETY: the precondition below checks that the entries fit; the caller has written `count` entries.
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

    /// Removes all entries and bytes, and keeps the capacity.
    func removeAll() {
        layout.entryCount = 0
        layout.byteCount = 0
        layout.receivedStart = 0
        layout.receivedEnd = 0
    }

    /// Removes an entry; those after it move up.
    func removeEntry(at index: Int) {
        for position in index..<entryCount - 1 {
            self[position] = self[position + 1]
        }
        layout.entryCount -= 1
    }

    // MARK: - Bytes

    /// Calls a closure with the bytes of `range`, which must be within those stored.
    func withBytes<R, E: Error>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.upperBound <= layout.byteCount, "bytes out of range")
        let pointer = unsafe bytePointer()
        // SAFETY: the range is below byteCount, all of which is initialized; withExtendedLifetime keeps
        // `buffer` alive until the body returns, and the span cannot leave the body.
        defer { withExtendedLifetime(buffer) {} }
        return try unsafe body(
            UnsafeBufferPointer(start: pointer + range.lowerBound, count: range.count).span
        )
    }

    /// Appends bytes and returns their range; there must be room.
    @discardableResult
    func appendBytes(_ bytes: Span<UInt8>) -> Range<Int> {
        let start = layout.byteCount
        precondition(bytes.count <= layout.byteCapacity - start, "no room for bytes")
        let target = unsafe bytePointer() + start
        // SAFETY: the precondition above checks that the bytes fit after those initialized so far.
        unsafe bytes.withUnsafeBufferPointer { source in
            if let base = source.baseAddress {
                unsafe target.update(from: base, count: source.count)
            }
        }
        layout.byteCount = start + bytes.count
        return start..<start + bytes.count
    }

    /// Appends `name: value` CRLF and returns the ranges of name and value; there must be room.
    ///
    /// `isValid` is whether all bytes of the value are allowed in a field value.
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
        // SAFETY: the precondition checks that both and four bytes fit after those initialized so far.
        let target = unsafe UnsafeMutableRawPointer(bytePointer() + start)
        let isValid = unsafe HeadScanner.writeLine(name, value, target)
        let valueStart = start + name.count + 2
        layout.byteCount = valueStart + value.count + 2
        return (
            start..<start + name.count, valueStart..<valueStart + value.count, isValid
        )
    }

    /// Appends a copy of the bytes of `range` to an array.
    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        withBytes(range) { bytes in
            // SAFETY: the pointer is valid inside the closure, and append copies.
            unsafe bytes.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
        }
    }

    /// Keeps the buffer alive up to this call, for code that used pointers into it.
    func keepAlive() {
        withExtendedLifetime(buffer) {}
    }

    /// Returns the start of the bytes, which follow the last entry there is room for.
    func bytePointer() -> UnsafeMutablePointer<UInt8> {
        let capacity = layout.entryCapacity
        // SAFETY: the buffer was created with room for the entries and, rounded up, the bytes after
        // them. That memory is only ever bound to UInt8. Callers keep the buffer alive.
        return unsafe buffer.withUnsafeMutablePointerToElements { elements in
            unsafe UnsafeMutableRawPointer(elements + capacity).assumingMemoryBound(to: UInt8.self)
        }
    }
}

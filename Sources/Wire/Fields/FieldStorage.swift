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
        /// The known names that may have entries; see ``FieldStorage/bit(of:)``.
        var names: UInt64 = 0
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
            unsafe buffer.withUnsafeMutablePointers { header, elements in
                unsafe elements[index] = newValue
                unsafe header.pointee.names |= Self.bit(of: newValue.number)
            }
        }
    }

    /// Returns the bit of a name in a set of known names, which some names share.
    ///
    /// Most lookups are for fields that a section does not have; the set answers them without a loop. A removed
    /// entry leaves its bit.
    private static func bit(of number: UInt16) -> UInt64 {
        1 &<< UInt64(truncatingIfNeeded: number)
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
            let mayContain = unsafe header.pointee.names & Self.bit(of: number) != 0
            #if !DEBUG
            guard mayContain else { return nil }
            #endif
            while index < count {
                if unsafe elements[index].number == number {
                    assert(mayContain, "the set lacks a name that has an entry")
                    return index
                }
                index += 1
            }
            return nil
        }
    }

    /// Returns whether there is an entry of any of three known names.
    func contains(numbers first: UInt16, _ second: UInt16, _ third: UInt16) -> Bool {
        // SAFETY: as in the function above.
        unsafe buffer.withUnsafeMutablePointers { header, elements in
            let bits = Self.bit(of: first) | Self.bit(of: second) | Self.bit(of: third)
            guard unsafe header.pointee.names & bits != 0 else { return false }
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
            unsafe header.pointee.names |= Self.bit(of: entry.number)
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
        unsafe buffer.withUnsafeMutablePointers { header, elements in
            var names: UInt64 = 0
            for index in 0..<entries { names |= unsafe Self.bit(of: elements[index].number) }
            unsafe header.pointee.names = names
            unsafe header.pointee.entryCount = entries
            unsafe header.pointee.byteCount = received.upperBound
            unsafe header.pointee.receivedStart = received.lowerBound
            unsafe header.pointee.receivedEnd = received.upperBound
        }
    }

    /// Appends the first `count` entries of a table; there must be room, and ``commit(entries:received:)`` must follow.
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
        layout.names = 0
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

extension FieldStorage {
    /// Returns the number of bytes of all lines in wire form, after checking that all may be sent.
    ///
    /// - Parameter first: the index that an error gives for the first field.
    /// - Returns: the number of bytes that ``encode(into:)`` writes.
    /// - Throws: `.fieldTooLong`, `.invalidFieldName` or `.invalidFieldValue` for the first field
    ///   that may not be sent.
    func encodedByteCount(indexedFrom first: Int = 0) throws(WireError) -> Int {
        var sum = 0
        for index in 0..<entryCount {
            let entry = self[index]
            guard entry.flags.isSubset(of: .isWireForm) else {
                throw encodingError(entry.flags, index: first + index)
            }
            sum &+= Int(entry.nameLength) &+ Int(entry.valueLength) &+ 4
        }
        return sum
    }

    private func encodingError(_ flags: FieldEntry.Flags, index: Int) -> WireError {
        if flags.contains(.isTruncated) { return .fieldTooLong(index: index) }
        if flags.contains(.hasInvalidName) { return .invalidFieldName(index: index) }
        return .invalidFieldValue(index: index)
    }

    /// Appends every line in wire form; adjacent lines already in wire form are copied together.
    ///
    /// There must be room for the bytes that ``encodedByteCount(indexedFrom:)`` counted.
    func encode(into output: inout OutputSpan<UInt8>) {
        var run = 0..<0
        for index in 0..<entryCount {
            let entry = self[index]
            guard entry.flags.contains(.isWireForm) else {
                append(run, to: &output)
                run = 0..<0
                append(entry.name, to: &output)
                output.append(Byte.colon)
                output.append(Byte.space)
                append(entry.value, to: &output)
                HeadScanner.appendLineEnd(to: &output)
                continue
            }
            let line = entry.line
            if line.lowerBound == run.upperBound, !run.isEmpty {
                run = run.lowerBound..<line.upperBound
            } else {
                append(run, to: &output)
                run = line
            }
        }
        append(run, to: &output)
    }

    private func append(_ range: Range<Int>, to output: inout OutputSpan<UInt8>) {
        withBytes(range) { HeadScanner.append($0, to: &output) }
    }
}

extension FieldStorage {
    /// The number of bytes kept of the name of a field that is too long to store.
    private static let truncatedNameLength = 64

    /// Returns the number of bytes that a field line needs; fewer if it is too long and will be truncated.
    static func lineLength(for name: FieldName, value: Span<UInt8>, behind stored: Int) -> Int {
        let nameLength = name.rawName.utf8.count
        let (room, overflow) = (nameLength + 4).addingReportingOverflow(value.count)
        let fits = nameLength <= maxNameLength && !overflow && room <= maxBytes - stored
        return fits ? room : min(nameLength, truncatedNameLength)
    }

    /// Appends a field line in wire form; ``lineLength(for:value:behind:)`` gave the `room` it needs.
    ///
    /// A line that may not be sent is stored and marked, and the encoder refuses it.
    func appendLine(_ name: FieldName, value: Span<UInt8>, room: Int) {
        HeadScanner.withSpan(of: name.rawName) { appendLine(name, $0, value: value, room: room) }
    }

    private func appendLine(
        _ name: FieldName,
        _ nameBytes: Span<UInt8>,
        value: Span<UInt8>,
        room: Int
    ) {
        guard room == nameBytes.count + value.count + 4 else {
            let cut = appendBytes(nameBytes.extracting(first: min(nameBytes.count, room)))
            let end = cut.upperBound..<cut.upperBound
            appendEntry(FieldEntry(name: cut, number: 0, value: end, flags: .isTruncated))
            return
        }
        var flags: FieldEntry.Flags = .isWireForm
        if !name.isToken { flags.insert(.hasInvalidName) }
        let trimmed = value.extracting(ListSyntax.trim(0..<value.count, of: value))
        let line = appendWireLine(name: nameBytes, value: trimmed)
        if !line.isValid { flags.insert(.hasInvalidValue) }
        appendEntry(
            FieldEntry(name: line.name, number: name.number, value: line.value, flags: flags)
        )
    }

    /// Appends a line of another storage in wire form; there must be room for its bytes and 4 more.
    ///
    /// A line that exceeds ``maxBytes`` is truncated as in ``appendLine(_:value:room:)``.
    func appendLine(_ entry: FieldEntry, from other: FieldStorage) {
        guard entry.lineLength <= Self.maxBytes - byteCount else {
            let end = byteCount..<byteCount
            appendEntry(FieldEntry(name: end, number: 0, value: end, flags: .isTruncated))
            return
        }
        let line = other.withBytes(entry.name) { name in
            other.withBytes(entry.value) { value in
                appendWireLine(name: name, value: value)
            }
        }
        let flags = entry.flags.union(.isWireForm)
        appendEntry(
            FieldEntry(name: line.name, number: entry.number, value: line.value, flags: flags)
        )
    }

    /// Appends those lines of another storage that pass a test; there must be room for all of them.
    ///
    /// Adjacent lines in wire form are copied together.
    func appendLines(of other: FieldStorage, where isWanted: (FieldEntry) -> Bool) {
        var first = 0
        let count = other.entryCount
        while first < count {
            let entry = other[first]
            first += 1
            guard isWanted(entry) else { continue }
            guard entry.flags.contains(.isWireForm) else {
                appendLine(entry, from: other)
                continue
            }
            var run = entry.line
            guard run.count <= Self.maxBytes - byteCount else {
                appendLine(entry, from: other)
                continue
            }
            let room = Self.maxBytes - byteCount
            var last = first
            while last < count {
                let next = other[last]
                guard next.flags.contains(.isWireForm), next.name.lowerBound == run.upperBound,
                    next.line.upperBound - run.lowerBound <= room, isWanted(next)
                else { break }
                run = run.lowerBound..<next.line.upperBound
                last += 1
            }
            let target = other.withBytes(run) { appendBytes($0) }
            let distance = target.lowerBound - run.lowerBound
            appendEntry(entry.moved(by: distance))
            while first < last {
                appendEntry(other[first].moved(by: distance))
                first += 1
            }
        }
    }

    /// The number of bytes of all lines in wire form.
    var lineBytes: Int {
        var sum = 0
        for index in 0..<entryCount {
            let entry = self[index]
            sum += entry.lineLength
        }
        return sum
    }

    /// Returns the name of the field at `index`.
    func name(at index: Int) -> FieldName {
        FieldName(text(self[index].name))
    }

    /// Returns the index of the first field of the given name at or after `start`.
    func firstIndex(of name: FieldName, from start: Int) -> Int? {
        var index = start
        while index < entryCount {
            if isNamed(name, at: index) { return index }
            index += 1
        }
        return nil
    }

    /// Returns whether the field at `index` has the given name.
    func isNamed(_ name: FieldName, at index: Int) -> Bool {
        isNamed(name, self[index])
    }

    /// Returns whether the field of an entry has the given name.
    func isNamed(_ name: FieldName, _ entry: FieldEntry) -> Bool {
        if entry.number != 0 || name.number != 0 { return entry.number == name.number }
        let wanted = name.rawName.utf8.span
        guard wanted.count == Int(entry.nameLength) else { return false }
        return withBytes(entry.name) { ByteClass.equalsIgnoringCase($0, wanted) }
    }

    /// Returns whether a field has the same name as an entry of another storage.
    func containsName(of entry: FieldEntry, in other: FieldStorage) -> Bool {
        for index in 0..<entryCount {
            let own = self[index]
            guard own.number == entry.number else { continue }
            if own.number != 0 { return true }
            let isSame = withBytes(own.name) { left in
                other.withBytes(entry.name) { ByteClass.equalsIgnoringCase(left, $0) }
            }
            if isSame { return true }
        }
        return false
    }

    /// Returns bytes as text: as UTF-8 if they are valid, otherwise as Latin-1, which maps every byte.
    func text(_ range: Range<Int>) -> String {
        withBytes(range) { TextDecoding.text($0) }
    }
}

/// Holds the fields of a header or trailer section: ordered, repeatable, any case (RFC 9110 §5, §6.3).
///
/// Order, spelling and repeats are kept. Looking a name up ignores ASCII case; for the names in
/// ``FieldName`` it compares integers. Copies share their storage until one of them is changed.
///
/// Any text can be stored, so that no call here fails; what may not be sent (a name that is no
/// token, a control byte in a value) is refused when the message is written.
///
/// ## Topics
/// ### Reading
/// - ``subscript(_:)->String?``
/// - ``values(_:)``
/// - ``combined(_:)``
/// - ``contains(_:)``
/// ### Changing
/// - ``append(_:_:)``
/// - ``replace(_:with:)``
/// - ``remove(_:)``
/// - ``removeAll(keepingCapacity:)``
/// - ``merge(_:)``
public struct HTTPHeaders: Sendable {
    /// Nil while there is no field: an empty section costs no allocation.
    private(set) var storage: FieldStorage?

    /// Creates an empty section.
    public init() {}

    /// Creates a section of those fields, in that order, repeats included.
    public init(_ pairs: [(FieldName, String)]) {
        for (name, value) in pairs {
            append(name, value)
        }
    }

    /// Takes a storage over, received or built.
    init(storage: FieldStorage) {
        self.storage = storage
    }

    // MARK: - Reading

    /// Reads the first value of that name, or replaces all of them.
    ///
    /// Setting a value leaves one field of that name, at the place of the first; setting nil
    /// removes them all.
    public subscript(name: FieldName) -> String? {
        get {
            guard let storage, let index = firstIndex(of: name) else { return nil }
            return storage.text(storage[index].value)
        }
        set {
            if let newValue {
                replace(name, with: newValue)
            } else {
                remove(name)
            }
        }
    }

    /// Lists the value of every line of that name, in order; empty when there is none.
    public func values(_ name: FieldName) -> [String] {
        guard let storage else { return [] }
        var values: [String] = []
        for index in 0..<storage.entryCount where storage.isNamed(name, at: index) {
            values.append(storage.text(storage[index].value))
        }
        return values
    }

    /// Lists the value of every line of that name byte by byte, in order; empty when there is none.
    package func valueBytes(_ name: FieldName) -> [[UInt8]] {
        guard let storage else { return [] }
        var values: [[UInt8]] = []
        for index in 0..<storage.entryCount where storage.isNamed(name, at: index) {
            var value: [UInt8] = []
            storage.append(storage[index].value, to: &value)
            values.append(value)
        }
        return values
    }

    /// Joins the values of every line of that name with ", "; nil when there is none.
    ///
    /// This is the meaning of repeats for every list field (RFC 9110 §5.3). Do not use it for
    /// Set-Cookie: its values contain commas of their own.
    public func combined(_ name: FieldName) -> String? {
        guard contains(name) else { return nil }
        return values(name).joined(separator: ", ")
    }

    /// Says whether there is a field of that name.
    public func contains(_ name: FieldName) -> Bool {
        firstIndex(of: name) != nil
    }

    /// Finds the first field of that name.
    func firstIndex(of name: FieldName, from start: Int = 0) -> Int? {
        if name.number != 0 { return storage?.firstIndex(ofNumber: name.number, from: start) }
        return storage?.firstIndex(of: name, from: start)
    }

    /// Says whether there is a field of any of three names, which must be in ``KnownFieldNames``.
    func containsAny(of first: FieldName, _ second: FieldName, _ third: FieldName) -> Bool {
        storage?.contains(numbers: first.number, second.number, third.number) ?? false
    }

    // MARK: - Changing

    /// Adds a field at the end; others of that name stay.
    ///
    /// Spaces and tabs around the value are dropped, as they are not part of it (RFC 9110 §5.5).
    public mutating func append(_ name: FieldName, _ value: String) {
        HeadScanner.withSpan(of: value) { appendLine(name, $0) }
    }

    /// Adds a field with a value of any bytes at the end; others of that name stay.
    public mutating func append(_ name: FieldName, bytes value: [UInt8]) {
        appendLine(name, value.span)
    }

    /// Leaves one field of that name, at the place of the first or else at the end.
    public mutating func replace(_ name: FieldName, with value: String) {
        HeadScanner.withSpan(of: value) { replace(name, $0) }
    }

    /// Leaves one field of that name with a value of any bytes, at the place of the first or else at
    /// the end.
    package mutating func replace(_ name: FieldName, with value: [UInt8]) {
        replace(name, value.span)
    }

    private mutating func replace(_ name: FieldName, _ value: Span<UInt8>) {
        guard let first = firstIndex(of: name) else {
            appendLine(name, value)
            return
        }
        appendLine(name, value)
        guard let storage else { return }
        let last = storage.entryCount - 1
        storage[first] = storage[last]
        storage.removeEntry(at: last)
        remove(name, from: first + 1)
    }

    /// Removes every field of that name.
    public mutating func remove(_ name: FieldName) {
        guard contains(name) else { return }
        makeRoom(entries: 0, bytes: 0)
        remove(name, from: 0)
    }

    /// Removes every field.
    ///
    /// - Parameter keepingCapacity: true to keep the room for the next section that is built here;
    ///   there is nothing to keep when a copy of this section, or a received head, shares it.
    public mutating func removeAll(keepingCapacity: Bool = false) {
        guard keepingCapacity, storage?.isUnique() == true else {
            storage = nil
            return
        }
        storage?.removeAll()
    }

    /// Takes over the fields of `other`: they replace those of the same name here.
    ///
    /// The replacing fields stand where the first of that name stood; names that are new here
    /// follow at the end, in the order they have there. All repeats in `other` are kept.
    public mutating func merge(_ other: HTTPHeaders) {
        guard let added = other.storage, added.entryCount > 0 else { return }
        guard let storage, storage.entryCount > 0 else {
            self = other
            return
        }
        let merged = FieldStorage(
            entryCapacity: storage.entryCount + added.entryCount,
            byteCapacity: storage.lineBytes + added.lineBytes
        )
        for index in 0..<storage.entryCount {
            let name = storage.name(at: index)
            guard other.contains(name) else {
                merged.appendLine(storage[index], from: storage)
                continue
            }
            guard firstIndex(of: name) == index else { continue }
            for position in 0..<added.entryCount where added.isNamed(name, at: position) {
                merged.appendLine(added[position], from: added)
            }
        }
        for position in 0..<added.entryCount where !contains(added.name(at: position)) {
            merged.appendLine(added[position], from: added)
        }
        self.storage = merged
    }

    /// Makes room for so many more fields, and bytes of their lines, in one step.
    package mutating func reserve(fields: Int, bytes: Int) {
        makeRoom(entries: fields, bytes: bytes)
    }

    /// Counts the bytes of all lines as they are sent.
    package var lineBytes: Int { storage?.lineBytes ?? 0 }

    /// Adds the fields of `other` at the end, but none of that name, nor of a name in `replaced`.
    package mutating func append(
        contentsOf other: HTTPHeaders,
        except name: FieldName,
        replaced: HTTPHeaders = [:]
    ) {
        guard let added = other.storage, added.entryCount > 0 else { return }
        makeRoom(entries: added.entryCount, bytes: added.lineBytes)
        storage?.appendLines(of: added) { entry in
            guard !added.isNamed(name, entry) else { return false }
            guard let others = replaced.storage else { return true }
            return !others.containsName(of: entry, in: added)
        }
    }

    private func remove(_ name: FieldName, from start: Int) {
        guard let storage else { return }
        var index = start
        while index < storage.entryCount {
            if storage.isNamed(name, at: index) {
                storage.removeEntry(at: index)
            } else {
                index += 1
            }
        }
    }

    private mutating func appendLine(_ name: FieldName, _ value: Span<UInt8>) {
        let room = FieldStorage.lineLength(for: name, value: value, behind: storage?.byteCount ?? 0)
        makeRoom(entries: 1, bytes: room)
        storage?.appendLine(name, value: value, room: room)
    }

    /// Makes sure that the storage is ours alone and has that much room.
    ///
    /// A copy holds the live fields alone, in wire form, and grows by half at least, so that a loop
    /// of replacements neither leaks nor copies each time.
    private mutating func makeRoom(entries: Int, bytes: Int) {
        // The order matters: binding the storage to a name would make a second reference.
        if storage?.isUnique() == true, storage?.hasRoom(entries: entries, bytes: bytes) == true {
            return
        }
        guard let old = storage else {
            storage = FieldStorage(
                entryCapacity: Swift.max(entries, 12),
                byteCapacity: Swift.max(bytes, 320)
            )
            return
        }
        let live = old.lineBytes
        let copy = FieldStorage(
            entryCapacity: Swift.max(old.entryCount + entries + old.entryCount / 2, 12),
            byteCapacity: live + bytes + live / 2
        )
        for index in 0..<old.entryCount {
            copy.appendLine(old[index], from: old)
        }
        storage = copy
    }
}

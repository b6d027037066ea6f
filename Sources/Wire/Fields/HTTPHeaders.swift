/// The fields of a header or trailer section, in order and with repeats (RFC 9110 §5, §6.3).
///
/// Order, spelling and repeats are kept. Lookups ignore ASCII case; for the names in ``FieldName``
/// they compare integers. Copies share their storage until one of them is changed.
///
/// Any text can be stored, so no method here fails. Encoders refuse a name that is not a token and
/// a value with a control byte.
///
/// ## Topics
/// ### Reading
/// - ``subscript(_:)->String?``
/// - ``values(_:)``
/// - ``combined(_:)``
/// - ``contains(_:)``
/// - ``dictionary``
/// - ``sortedByName``
/// ### Changing
/// - ``append(_:_:)``
/// - ``replace(_:with:)``
/// - ``remove(_:)``
/// - ``removeAll(keepingCapacity:)``
/// - ``merge(_:)``
/// - ``+(_:_:)``
public struct HTTPHeaders: Sendable {
    /// The bytes and the field table; nil while there is no field, so an empty section allocates nothing.
    private(set) var storage: FieldStorage?

    /// Creates an empty section.
    public init() {}

    /// Creates a section with the given fields, in the given order, repeats included.
    public init(_ pairs: [(FieldName, String)]) {
        for (name, value) in pairs {
            append(name, value)
        }
    }

    /// Creates a section that uses an existing storage, received or built.
    init(storage: FieldStorage) {
        self.storage = storage
    }

    // MARK: - Reading

    /// The first value of the given name, or nil if there is none.
    ///
    /// Setting a value replaces all fields of that name by one, at the position of the first. Setting
    /// nil removes them all.
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

    /// Returns the value of every line with the given name, in order; empty if there is none.
    public func values(_ name: FieldName) -> [String] {
        guard let storage, contains(name) else { return [] }
        var values: [String] = []
        for index in 0..<storage.entryCount where storage.isNamed(name, at: index) {
            values.append(storage.text(storage[index].value))
        }
        return values
    }

    /// Returns the bytes of every value with the given name, in order; empty if there is none.
    package func valueBytes(_ name: FieldName) -> [[UInt8]] {
        guard let storage, contains(name) else { return [] }
        var values: [[UInt8]] = []
        for index in 0..<storage.entryCount where storage.isNamed(name, at: index) {
            var value: [UInt8] = []
            storage.append(storage[index].value, to: &value)
            values.append(value)
        }
        return values
    }

    /// Returns the values of every line with the given name, joined by ", "; nil if there is none.
    ///
    /// For a list field, this has the same meaning as the repeated lines (RFC 9110 §5.3). Do not use it
    /// for Set-Cookie, whose values can contain commas.
    public func combined(_ name: FieldName) -> String? {
        guard contains(name) else { return nil }
        return values(name).joined(separator: ", ")
    }

    /// Returns whether there is a field of the given name.
    public func contains(_ name: FieldName) -> Bool {
        firstIndex(of: name) != nil
    }

    /// Returns the index of the first field of the given name at or after `start`.
    func firstIndex(of name: FieldName, from start: Int = 0) -> Int? {
        if name.number != 0 { return storage?.firstIndex(ofNumber: name.number, from: start) }
        return storage?.firstIndex(of: name, from: start)
    }

    /// Returns whether there is a field of any of three names, which must be in ``KnownFieldNames``.
    func containsAny(of first: FieldName, _ second: FieldName, _ third: FieldName) -> Bool {
        storage?.contains(numbers: first.number, second.number, third.number) ?? false
    }

    // MARK: - Changing

    /// Adds a field at the end; other fields of that name stay.
    ///
    /// Spaces and tabs around the value are removed, because they are not part of it (RFC 9110 §5.5).
    public mutating func append(_ name: FieldName, _ value: String) {
        HeadScanner.withSpan(of: value) { appendLine(name, $0) }
    }

    /// Adds a field whose value can be any bytes at the end; other fields of that name stay.
    public mutating func append(_ name: FieldName, bytes value: [UInt8]) {
        appendLine(name, value.span)
    }

    /// Replaces all fields of a name by one, at the position of the first, or at the end if there is none.
    public mutating func replace(_ name: FieldName, with value: String) {
        HeadScanner.withSpan(of: value) { replace(name, $0) }
    }

    /// Replaces all fields of a name by one whose value can be any bytes.
    ///
    /// The field takes the position of the first one, or the end if there is none.
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

    /// Removes every field of the given name.
    public mutating func remove(_ name: FieldName) {
        guard contains(name) else { return }
        makeRoom(entries: 0, bytes: 0)
        remove(name, from: 0)
    }

    /// Removes every field.
    ///
    /// - Parameter keepingCapacity: true to keep the memory for the next section built here. It cannot
    ///   be kept if a copy of this section, or a received head, shares it.
    public mutating func removeAll(keepingCapacity: Bool = false) {
        guard keepingCapacity, storage?.isUnique() == true else {
            storage = nil
            return
        }
        storage?.removeAll()
    }

    /// Adds the fields of `other`, replacing the fields of the same names.
    ///
    /// Replacing fields take the position of the first field of that name. Fields with new names follow
    /// at the end, in the order of `other`. All repeats in `other` are kept.
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

    /// Reserves capacity for `fields` more fields and `bytes` more bytes of their lines.
    package mutating func reserve(fields: Int, bytes: Int) {
        makeRoom(entries: fields, bytes: bytes)
    }

    /// The number of bytes of all lines as they are sent.
    package var lineBytes: Int { storage?.lineBytes ?? 0 }

    /// Appends the fields of `other`, except those named `name` or like a field in `replaced`.
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

    /// Makes the storage unshared, with room for `entries` more fields and `bytes` more bytes.
    ///
    /// A copy contains only the live fields, in wire form. It grows by at least half, so a loop of
    /// replacements does not leak and does not copy each time.
    private mutating func makeRoom(entries: Int, bytes: Int) {
        // The order matters: binding the storage to a name would create a second reference.
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

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field line; always 0.
    public var startIndex: Int { 0 }

    /// The number of field lines.
    public var endIndex: Int { storage?.entryCount ?? 0 }

    /// Returns the field line at a position, which must be below ``endIndex``.
    public subscript(position: Int) -> HTTPField {
        guard let storage else { preconditionFailure("index of a field out of range") }
        return HTTPField(storage: storage, entry: storage[position])
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a section with the given fields, in the given order, repeats included.
    public init(dictionaryLiteral elements: (FieldName, String)...) {
        self.init(elements)
    }
}

extension HTTPHeaders: Hashable {
    /// Compares line by line: order and the bytes of values matter, the ASCII case of names does not.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }

    /// Hashes the field lines in order.
    public func hash(into hasher: inout Hasher) {
        for field in self {
            hasher.combine(field)
        }
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    /// The fields as on the wire, one per line, with `***` in place of secrets, such as tokens and cookies.
    public var description: String {
        map(\.description).joined(separator: "\n")
    }

    /// The texts of ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: map(\.description), displayStyle: .collection)
    }
}

extension HTTPHeaders {
    /// Returns whether a list field contains an element (RFC 9110 §5.6.1).
    ///
    /// All field lines of that name form one list. Elements are compared without regard to ASCII case.
    package func containsToken(_ token: String, in name: FieldName) -> Bool {
        var found = false
        let bytes = token.utf8.span
        forEachElement(of: name) { element in
            found = found || ByteClass.equalsIgnoringCase(element, bytes)
        }
        return found
    }

    /// Calls a closure with every element of a list field, empty elements included.
    func forEachElement<E: Error>(
        of name: FieldName,
        _ visit: (Span<UInt8>) throws(E) -> Void
    ) throws(E) {
        guard let storage else { return }
        var next = firstIndex(of: name)
        while let index = next {
            try storage.withBytes(storage[index].value) { (bytes) throws(E) in
                var position = 0
                while let range = ListSyntax.nextElement(in: bytes, at: &position) {
                    try visit(bytes.extracting(range))
                }
            }
            next = firstIndex(of: name, from: index + 1)
        }
    }
}

/// Holds one field line: a name and a value (RFC 9110 §5).
///
/// Fields taken from ``HTTPHeaders`` share its bytes; text is made on each access, so keep the
/// text if you need it often.
public struct HTTPField: Sendable, Hashable, CustomStringConvertible {
    private let storage: FieldStorage
    private let entry: FieldEntry

    init(storage: FieldStorage, entry: FieldEntry) {
        self.storage = storage
        self.entry = entry
    }

    /// Creates a field; whitespace around the value is dropped, as it is not part of it.
    public init(_ name: FieldName, _ value: String) {
        let room = FieldStorage.lineLength(for: name, value: value.utf8.span, behind: 0)
        storage = FieldStorage(entryCapacity: 1, byteCapacity: room)
        storage.appendLine(name, value: value.utf8.span, room: room)
        entry = storage[0]
    }

    /// The name as it is spelled on the wire.
    public var name: String { storage.text(entry.name) }

    /// The value as text: UTF-8 if it is valid, else Latin-1, which loses nothing.
    public var value: String { storage.text(entry.value) }

    /// The value as it is on the wire: without surrounding whitespace, every byte kept.
    public var valueBytes: [UInt8] {
        var bytes: [UInt8] = []
        storage.append(entry.value, to: &bytes)
        return bytes
    }

    /// The value in Latin-1: each byte is the one character of that number, so none is lost.
    ///
    /// Unlike ``value`` it tells bytes that happen to be UTF-8 from the text they would spell.
    public var latin1Value: String { withValueBytes { TextDecoding.latin1($0) } }

    /// The name byte by byte, as it is on the wire.
    public var nameBytes: [UInt8] {
        var bytes: [UInt8] = []
        storage.append(entry.name, to: &bytes)
        return bytes
    }

    /// Lends the bytes of ``valueBytes`` without a copy; they may not be kept.
    ///
    /// - Parameter body: called once; what it throws or returns comes back.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` threw.
    public func withValueBytes<R, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try storage.withBytes(entry.value, body)
    }

    /// Says whether the field has that name; ASCII case does not matter.
    public func isNamed(_ name: FieldName) -> Bool {
        self.name == name.rawName || FieldName(self.name) == name
    }

    /// Compares names without ASCII case, and values byte by byte.
    public static func == (left: HTTPField, right: HTTPField) -> Bool {
        guard left.entry.number == right.entry.number else { return false }
        return left.storage.withBytes(left.entry.name) { leftName in
            right.storage.withBytes(right.entry.name) { rightName in
                ByteClass.equalsIgnoringCase(leftName, rightName)
            }
        }
            && left.storage.withBytes(left.entry.value) { leftValue in
                right.storage.withBytes(right.entry.value) { rightValue in
                    guard leftValue.count == rightValue.count else { return false }
                    for index in leftValue.indices where leftValue[index] != rightValue[index] {
                        return false
                    }
                    return true
                }
            }
    }

    /// Hashes the name without ASCII case, and the bytes of the value.
    public func hash(into hasher: inout Hasher) {
        storage.withBytes(entry.name) { bytes in
            for index in bytes.indices { hasher.combine(ByteClass.lowercase(bytes[index])) }
        }
        storage.withBytes(entry.value) { bytes in
            hasher.combine(bytes.count)
            for index in bytes.indices { hasher.combine(bytes[index]) }
        }
    }

    /// Spells the field as it stands on the wire, without the line end.
    public var description: String { "\(name): \(value)" }
}

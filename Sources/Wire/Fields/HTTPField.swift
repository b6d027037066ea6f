/// A field line: a name and a value (RFC 9110 §5).
///
/// Fields taken from ``HTTPHeaders`` share its bytes. Each access creates the text, so keep the
/// text if you need it often.
public struct HTTPField: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private let storage: FieldStorage
    private let entry: FieldEntry

    init(storage: FieldStorage, entry: FieldEntry) {
        self.storage = storage
        self.entry = entry
    }

    /// Creates a field; whitespace around the value is removed, because it is not part of the value.
    public init(_ name: FieldName, _ value: String) {
        let room = FieldStorage.lineLength(for: name, value: value.utf8.span, behind: 0)
        storage = FieldStorage(entryCapacity: 1, byteCapacity: room)
        storage.appendLine(name, value: value.utf8.span, room: room)
        entry = storage[0]
    }

    /// The name as spelled on the wire.
    public var name: String { storage.text(entry.name) }

    /// The value as text: UTF-8 if it is valid UTF-8, otherwise Latin-1, which loses no byte.
    public var value: String { storage.text(entry.value) }

    /// The bytes of the value as on the wire, without the surrounding whitespace.
    public var valueBytes: [UInt8] {
        var bytes: [UInt8] = []
        storage.append(entry.value, to: &bytes)
        return bytes
    }

    /// The value in Latin-1: each byte becomes the character with the same number, so no byte is lost.
    ///
    /// Use it instead of ``value`` when bytes that happen to be valid UTF-8 must not be decoded as UTF-8.
    public var latin1Value: String { withValueBytes { TextDecoding.latin1($0) } }

    /// The bytes of the name as on the wire.
    public var nameBytes: [UInt8] {
        var bytes: [UInt8] = []
        storage.append(entry.name, to: &bytes)
        return bytes
    }

    /// Calls a closure with the bytes of ``valueBytes``, without copying them.
    ///
    /// - Parameter body: called once with the bytes, which it must not keep.
    /// - Returns: the value that `body` returned.
    /// - Throws: the error that `body` threw.
    public func withValueBytes<R, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try storage.withBytes(entry.value, body)
    }

    /// Returns whether the field has the given name; ASCII case does not matter.
    public func isNamed(_ name: FieldName) -> Bool {
        self.name == name.rawName || FieldName(self.name) == name
    }

    /// Compares names without regard to ASCII case, and values byte by byte.
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

    /// Hashes the name without regard to ASCII case, and the bytes of the value.
    public func hash(into hasher: inout Hasher) {
        storage.withBytes(entry.name) { bytes in
            for index in bytes.indices { hasher.combine(ByteClass.lowercase(bytes[index])) }
        }
        storage.withBytes(entry.value) { bytes in
            hasher.combine(bytes.count)
            for index in bytes.indices { hasher.combine(bytes[index]) }
        }
    }

    /// The field as on the wire, on one line, with `***` in place of a secret.
    ///
    /// A cookie keeps its name, and a URL everything but its secrets. Control characters are escaped.
    public var description: String {
        LogText.line("\(name): \(SecretNames.common.shown(value, of: FieldName(name)))")
    }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

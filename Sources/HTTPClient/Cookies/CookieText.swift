internal import Wire

/// The name and the value of a cookie: text or, if they are not UTF-8, bytes as ISO 8859-1.
struct CookieText {
    let name: String
    let value: String
    /// Whether each character stands for the byte of that number; false for what is UTF-8.
    let isLatin1: Bool

    /// Uses what a server sent.
    init(_ pair: CookiePair) {
        (name, value, isLatin1) = (pair.name, pair.value, pair.isLatin1)
    }

    init(_ cookie: Cookie) {
        (name, value, isLatin1) = (cookie.name, cookie.value, cookie.isLatin1)
    }

    /// Uses text, or characters that stand for bytes; nil if one of these is above U+00FF.
    init?(_ name: String, _ value: String, isLatin1: Bool) {
        guard isLatin1 else {
            self.init(text: name, value)
            return
        }
        guard let nameBytes = Self.latin1(name), let valueBytes = Self.latin1(value) else {
            return nil
        }
        self.init(nameBytes, valueBytes)
    }

    private init(text name: String, _ value: String) {
        (self.name, self.value, isLatin1) = (name, value, false)
    }

    /// Uses bytes: as text if both are UTF-8.
    init(_ name: [UInt8], _ value: [UInt8]) {
        if let nameText = String(validating: name, as: UTF8.self),
            let valueText = String(validating: value, as: UTF8.self)
        {
            (self.name, self.value, isLatin1) = (nameText, valueText, false)
        } else {
            (self.name, self.value, isLatin1) = (Self.text(name), Self.text(value), true)
        }
    }

    /// Bytes of name and value together.
    var count: Int {
        isLatin1
            ? name.unicodeScalars.count + value.unicodeScalars.count
            : name.utf8.count + value.utf8.count
    }

    /// Whether the names are the same bytes: Swift takes more texts for equal than servers do.
    func hasSameName(as other: CookieText) -> Bool {
        guard isLatin1 || other.isLatin1 else { return name.utf8.elementsEqual(other.name.utf8) }
        return bytes(name) == other.bytes(other.name)
    }

    func bytes(_ part: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(part, to: &bytes)
        return bytes
    }

    /// Appends the bytes of the name or the value.
    func append(_ part: String, to bytes: inout [UInt8]) {
        if isLatin1 {
            bytes += part.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        } else {
            bytes += part.utf8
        }
    }

    private static func latin1(_ text: String) -> [UInt8]? {
        guard text.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else { return nil }
        return text.unicodeScalars.map { UInt8($0.value) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

extension SecretNames {
    /// Bytes that are looked at of a name, from its end on.
    private static let maxNameBytes = 256

    /// Whether something has a secret's name in quotes with a colon behind, as members of JSON have;
    /// for content that cannot be read, or is only in parts JSON.
    func areMentioned(in bytes: [UInt8]) -> Bool {
        // JSON in UTF-16 has one beside each letter.
        let bytes = bytes.contains(0) ? bytes.filter { $0 != 0 } : bytes
        for index in bytes.indices where bytes[index] == UInt8(ascii: ":") {
            var end = index
            while end > 0, bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
            guard end > 0 else { continue }
            let quote = bytes[end - 1]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
            end -= 1
            var start = end
            while start > 0, bytes[start - 1] != quote, end - start < Self.maxNameBytes {
                start -= 1
            }
            if isSecret(spelled: bytes[start..<end]) { return true }
        }
        return false
    }

    /// Reads a name as JSON spells it; one that it cannot is taken for a secret.
    private func isSecret(spelled name: ArraySlice<UInt8>) -> Bool {
        var name = name
        // JSON within a text of JSON has them before its quotes.
        while name.last == UInt8(ascii: "\\") { name.removeLast() }
        var text = String(decoding: name, as: UTF8.self)
        if name.contains(UInt8(ascii: "\\")) {
            guard let read = try? HTTPJSON(parsing: "\"\(text)\"").string else { return true }
            text = read
        }
        return isSecret(text, in: .member)
    }
}

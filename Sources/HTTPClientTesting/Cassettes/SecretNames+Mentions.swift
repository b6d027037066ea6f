internal import HTTPClient
internal import Wire

extension SecretNames {
    /// The number of bytes of a name that are checked, from its end.
    private static let maxNameBytes = 256

    /// Returns whether the bytes contain a secret's name in quotes before a colon, as in JSON.
    ///
    /// It is for content that cannot be parsed, or is only partly JSON.
    func areMentioned(in bytes: [UInt8]) -> Bool {
        // JSON in UTF-16 has a zero byte beside each letter.
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

    /// Decodes a name with JSON escapes; one that cannot be decoded counts as a secret.
    private func isSecret(spelled name: ArraySlice<UInt8>) -> Bool {
        var name = name
        // In JSON nested in a JSON string, the quotes have backslashes before them.
        while name.last == UInt8(ascii: "\\") { name.removeLast() }
        var text = String(decoding: name, as: UTF8.self)
        if name.contains(UInt8(ascii: "\\")) {
            guard let read = try? HTTPJSON(parsing: "\"\(text)\"").string else { return true }
            text = read
        }
        return isSecret(text, in: .member)
    }
}

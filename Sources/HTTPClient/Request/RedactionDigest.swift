internal import SocketTransport

/// Collects what was hidden of a request, to know later whether it is the same again.
struct RedactionDigest: Sendable {
    private var values: [[UInt8]] = []

    /// Adds a value that ``SecretNames/mask`` stands for; one that is the mask already tells nothing.
    mutating func record(_ name: [UInt8], _ value: [UInt8]) {
        guard !value.elementsEqual(SecretNames.mask.utf8) else { return }
        // So that where the one ends and the other begins is clear.
        values.append(Array("\(name.count) ".utf8) + name + value)
    }

    /// Draws 16 bits of a digest from all values, in whatever order they were found.
    ///
    /// Enough to tell the requests of a recording apart, and so few that of any long list of passwords many
    /// fit. Of a short list just one may.
    ///
    /// - Returns: four hexadecimal digits; nil when nothing was hidden.
    func digest(salt: String) -> String? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted { $0.lexicographicallyPrecedes($1) }
        let message = sorted.reduce(into: Array(salt.utf8)) { message, value in
            message += Array(" \(value.count) ".utf8) + value
        }
        guard let hash = MessageDigest.sha256.hash(message) else { return nil }
        let number = Int(hash[0]) << 8 | Int(hash[1])
        return String(String(number + 0x10000, radix: 16).dropFirst())
    }
}

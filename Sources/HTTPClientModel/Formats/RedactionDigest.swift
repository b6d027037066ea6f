internal import SocketTransport
package import Wire

extension RedactionDigest {
    /// Returns 16 bits of a digest of all values, independent of the order in which they were found.
    ///
    /// 16 bits are enough to distinguish the requests of a recording. They are so few that many entries
    /// of a long password list match them; of a short list, only one entry may match.
    ///
    /// - Returns: four hexadecimal digits; nil when nothing was hidden.
    package func digest(salt: String) -> String? {
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

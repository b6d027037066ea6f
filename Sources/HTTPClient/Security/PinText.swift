/// Reads and writes digests as pins are written down: `sha256//` and base64.
enum PinText {
    /// Writes a digest.
    static func text(_ digest: [UInt8]) -> String {
        "sha256//" + BasicAuthentication.base64(digest)
    }

    /// Reads 32 bytes; nil for anything else.
    static func digest(_ text: String) -> [UInt8]? {
        var rest = text.utf8[...]
        for prefix in ["sha256//", "sha256/"] where text.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.utf8.count)
            break
        }
        guard rest.count == 44, let bytes = Base64Text.decode(rest), bytes.count == 32 else {
            return nil
        }
        return bytes
    }
}

/// The text of a journal that a test has written or changed.
package enum JournalText {
    /// Returns the text with its last line, which has the FNV-1a hash of the lines before it.
    package static func sealed(_ text: String) -> String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        let digits = String(hash, radix: 16)
        return text + "check: " + String(repeating: "0", count: 16 - digits.count) + digits + "\n"
    }

    /// Returns the text without its last line.
    package static func unsealed(_ text: String) -> String {
        String(text[..<(text.firstRange(of: "check: ")?.lowerBound ?? text.endIndex)])
    }

    /// Returns the text without the line that begins so, with a fitting last line.
    package static func without(_ start: String, _ text: String) -> String {
        let lines = unsealed(text).split(separator: "\n").filter { !$0.hasPrefix(start) }
        return sealed(lines.joined(separator: "\n") + "\n")
    }
}

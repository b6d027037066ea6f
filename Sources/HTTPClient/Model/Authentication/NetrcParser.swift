internal import Wire

/// A parser of netrc files.
struct NetrcParser {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses all entries.
    mutating func entries() throws(HTTPNetrcError) -> [HTTPNetrc.Entry] {
        var entries: [HTTPNetrc.Entry] = []
        while skipSpace() {
            guard bytes[index] != UInt8(ascii: "#") else {
                skipLine()
                continue
            }
            let keyword = String(decoding: try word(), as: UTF8.self).lowercasedASCII
            switch keyword {
            case "machine":
                guard let name = try nextWord() else { break }
                // Normalized as in a URL, which also removes brackets.
                let host = Origin(scheme: .https, host: String(decoding: name, as: UTF8.self)).host
                entries.append(HTTPNetrc.Entry(host: host))
            case "default": entries.append(HTTPNetrc.Entry(host: nil))
            case "login", "password", "account":
                guard let value = try nextWord(), !entries.isEmpty else { break }
                if keyword == "login" { entries[entries.count - 1].user = value }
                if keyword == "password" { entries[entries.count - 1].password = value }
            case "macdef":
                _ = try nextWord()
                skipMacro()
            // Unknown words are ignored, as in other programs.
            default: break
            }
        }
        return entries
    }

    /// Reads the word after a keyword; returns nil at the end.
    private mutating func nextWord() throws(HTTPNetrcError) -> [UInt8]? {
        guard skipSpace() else { return nil }
        return try word()
    }

    /// Reads the word at the current position.
    private mutating func word() throws(HTTPNetrcError) -> [UInt8] {
        guard bytes[index] == UInt8(ascii: "\"") else {
            let start = index
            while index < bytes.count, !Self.isSpace(bytes[index]) { index += 1 }
            return Array(bytes[start..<index])
        }
        let start = line
        var word: [UInt8] = []
        index += 1
        while index < bytes.count {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return word }
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte == UInt8(ascii: "\\"), index < bytes.count {
                byte = Self.escaped(bytes[index])
                index += 1
            }
            word.append(byte)
        }
        throw .unterminatedQuote(line: start)
    }

    /// Moves to the next word; returns false at the end.
    private mutating func skipSpace() -> Bool {
        while index < bytes.count, Self.isSpace(bytes[index]) {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
        return index < bytes.count
    }

    /// Moves to the line break.
    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    }

    /// Moves past a macro, which ends with an empty line.
    private mutating func skipMacro() {
        skipLine()
        while index < bytes.count {
            index += 1
            line += 1
            let start = index
            skipLine()
            if bytes[start..<index].allSatisfy({ $0 == UInt8(ascii: "\r") }) { return }
        }
    }

    private static func escaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        default: byte
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}

internal import Wire

/// Reads the words of a netrc file.
struct NetrcReader {
    private let octets: [UInt8]
    private var index = 0
    private var line = 1

    init(_ octets: [UInt8]) {
        self.octets = octets
    }

    /// Reads all entries.
    mutating func entries() throws(HTTPNetrcFault) -> [HTTPNetrc.Entry] {
        var entries: [HTTPNetrc.Entry] = []
        while skipSpace() {
            guard octets[index] != UInt8(ascii: "#") else {
                skipLine()
                continue
            }
            let keyword = String(decoding: try word(), as: UTF8.self).lowercasedASCII
            switch keyword {
            case "machine":
                guard let name = try nextWord() else { break }
                // As in a URL, whose brackets go as well.
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
            // What other programs have words for is nothing to us, as it is to them.
            default: break
            }
        }
        return entries
    }

    /// Reads the word behind a keyword; nil at the end.
    private mutating func nextWord() throws(HTTPNetrcFault) -> [UInt8]? {
        guard skipSpace() else { return nil }
        return try word()
    }

    /// Reads a word that begins here.
    private mutating func word() throws(HTTPNetrcFault) -> [UInt8] {
        guard octets[index] == UInt8(ascii: "\"") else {
            let start = index
            while index < octets.count, !Self.isSpace(octets[index]) { index += 1 }
            return Array(octets[start..<index])
        }
        let start = line
        var word: [UInt8] = []
        index += 1
        while index < octets.count {
            var octet = octets[index]
            index += 1
            if octet == UInt8(ascii: "\"") { return word }
            if octet == UInt8(ascii: "\n") { line += 1 }
            if octet == UInt8(ascii: "\\"), index < octets.count {
                octet = Self.escaped(octets[index])
                index += 1
            }
            word.append(octet)
        }
        throw .openQuote(line: start)
    }

    /// Moves to the next word; false at the end.
    private mutating func skipSpace() -> Bool {
        while index < octets.count, Self.isSpace(octets[index]) {
            if octets[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
        return index < octets.count
    }

    /// Moves to the line break.
    private mutating func skipLine() {
        while index < octets.count, octets[index] != UInt8(ascii: "\n") { index += 1 }
    }

    /// Moves behind a macro, which ends with an empty line.
    private mutating func skipMacro() {
        skipLine()
        while index < octets.count {
            index += 1
            line += 1
            let start = index
            skipLine()
            if octets[start..<index].allSatisfy({ $0 == UInt8(ascii: "\r") }) { return }
        }
    }

    private static func escaped(_ octet: UInt8) -> UInt8 {
        switch octet {
        case UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        default: octet
        }
    }

    private static func isSpace(_ octet: UInt8) -> Bool {
        octet == 0x20 || (0x09...0x0D).contains(octet)
    }
}

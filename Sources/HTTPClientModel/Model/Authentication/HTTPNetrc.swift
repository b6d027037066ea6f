internal import SocketTransport
internal import Wire

/// User names and passwords by host, in the format of `~/.netrc`.
///
///     # comments go from here to the end of the line
///     machine example.com login ada password "two words"
///     default login anonymous password guest
///
/// Words are separated by white space and line breaks. A word in double quotes can contain both,
/// and the escapes `\"`, `\\`, `\n`, `\r` and `\t`. Keywords are case-insensitive. The parser
/// ignores `account`, `macdef`, unknown words, and user names and passwords before the first
/// `machine`.
///
/// The format has no ports and schemes. An entry applies to all ports of its host, with and without
/// TLS.
///
/// The permissions of the file are not checked, as in curl. Descriptions show only hosts.
public struct HTTPNetrc: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// The host in lower case; nil for `default`.
        package let host: String?
        package var user: [UInt8]?
        package var password: [UInt8]?
    }

    /// The entries with their hash, because a file can be long.
    private let hashed: CachedHash<[Entry]>

    package var entries: [Entry] { hashed.value }

    /// The maximum size of a file in bytes.
    public static let maxFileBytes = 1 << 20

    /// Parses the text of a file.
    ///
    /// - Throws: `.invalidRequest(.netrc(reason))` with `.tooLong`, or `.unterminatedQuote` with its line.
    public init(text: String) throws(HTTPError) {
        try self.init(bytes: Array(text.utf8))
    }

    /// Reads and parses a file; passwords may have any encoding.
    ///
    /// The call blocks while it reads the file.
    ///
    /// - Parameter path: the path of a regular file. `~` is not expanded.
    /// - Throws: `.fileFailed` if the file cannot be read or is not regular, and the errors of ``init(bytes:)``.
    public init(contentsOf path: String) throws(HTTPError) {
        let bytes: [UInt8]
        do throws(FileReader.ReadError) {
            bytes = try FileReader(path: path).read(Self.maxFileBytes + 1, at: 0)
        } catch {
            throw HTTPError(.fileFailed(path: path, .read, reason: error.reason), phase: .preparing)
        }
        try self.init(bytes: bytes)
    }

    /// Parses the content of a file, for example from a pipe or another store.
    ///
    /// - Parameter bytes: the whole content; passwords may have any encoding.
    /// - Throws: `.invalidRequest(.netrc(reason))` with `.tooLong`, or `.unterminatedQuote` with its line.
    public init(bytes: [UInt8]) throws(HTTPError) {
        guard bytes.count <= Self.maxFileBytes else {
            throw HTTPError(invalid: .netrc(.tooLong(limit: Self.maxFileBytes)))
        }
        var reader = NetrcParser(bytes)
        do throws(ParsingError) {
            hashed = CachedHash(try reader.entries())
        } catch {
            throw HTTPError(invalid: .netrc(error))
        }
    }

    /// Returns the user name and password for a host.
    ///
    /// - Parameters:
    ///   - host: a name or an address; ASCII case does not matter.
    ///   - user: the user whose password is needed. Default nil: the first entry for the host.
    /// - Returns: the credentials, or nil if there is neither an entry for the host or user nor a
    ///   `default`. Missing parts of an entry are empty. An entry without a user name applies to
    ///   every user.
    public func credentials(host: String, user: String? = nil) -> HTTPCredentials? {
        find(host: host, user: user.map { Array($0.utf8) }, takesDefault: true)
    }

    package func find(host: String, user: [UInt8]?, takesDefault: Bool) -> HTTPCredentials? {
        let host = Origin(scheme: .https, host: host).host
        let entry =
            entries.first { $0.host == host && $0.isFor(user) }
            ?? entries.first { takesDefault && $0.host == nil && $0.isFor(user) }
        guard let entry, entry.user != nil || entry.password != nil else { return nil }
        return HTTPCredentials(user: entry.user ?? user ?? [], password: entry.password ?? [])
    }
}

extension HTTPNetrc.Entry {
    fileprivate func isFor(_ wanted: [UInt8]?) -> Bool {
        wanted == nil || user == nil || user == wanted
    }
}

extension HTTPNetrc: CustomStringConvertible, CustomReflectable {
    /// The hosts, without user names and passwords, so that no secret is logged by accident.
    public var description: String {
        LogText.line(entries.map { $0.host ?? "default" }.joined(separator: ", "))
    }

    /// A mirror of the hosts only, so that no secret is logged by accident.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": description]) }
}

extension HTTPNetrc {
    /// The reason why a text is not a netrc file.
    ///
    /// It contains no text of the file; lines count from 1.
    @nonexhaustive public enum ParsingError: Error, Sendable, Hashable {
        /// The file has more than ``HTTPNetrc/maxFileBytes`` bytes.
        case tooLong(limit: Int)
        /// A quote is not closed.
        case unterminatedQuote(line: Int)
    }
}

extension HTTPNetrc.ParsingError: CustomStringConvertible {
    /// One line that describes the error.
    public var description: String {
        switch self {
        case .tooLong(let limit): "the netrc is longer than \(limit) bytes"
        case .unterminatedQuote(let line): "the quote in line \(line) of the netrc is not closed"
        }
    }
}

/// A parser of netrc files.
struct NetrcParser {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses all entries.
    mutating func entries() throws(HTTPNetrc.ParsingError) -> [HTTPNetrc.Entry] {
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
    private mutating func nextWord() throws(HTTPNetrc.ParsingError) -> [UInt8]? {
        guard skipSpace() else { return nil }
        return try word()
    }

    /// Reads the word at the current position.
    private mutating func word() throws(HTTPNetrc.ParsingError) -> [UInt8] {
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

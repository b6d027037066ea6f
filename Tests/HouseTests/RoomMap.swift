/// Which names the files of a module declare, and which rooms use them.
///
/// Sees top-level types, functions and constants, and the members that one room adds to a type of another by an
/// extension. A name that two rooms declare is not followed: the text does not tell which is meant.
struct RoomMap {
    /// What a file declares and names.
    struct File {
        let path: String
        /// The folder below the module's.
        let room: String
        /// Names at the top level that other files can see.
        private(set) var declared: Set<String> = []
        /// Members that other files can see, with the type that they belong to.
        private(set) var members: [(name: String, owner: String)] = []
        /// Types declared inside of others.
        private(set) var nested: Set<String> = []
        /// Names used without a dot in front.
        private(set) var names: Set<String> = []
        /// Names used behind a dot.
        private(set) var memberNames: Set<String> = []

        init(_ file: SourceFile) {
            path = file.path
            let folders = file.path.split(separator: "/").dropLast()
            room = folders.count > 2 ? String(folders[2]) : ""
            read(SwiftToken.tokens(of: file.lines.joined(separator: "\n")))
        }

        private mutating func read(_ tokens: [SwiftToken]) {
            var isPrivate = false
            var keyword = ""
            var owner = ""
            var isOwnerPrivate = false
            for token in tokens {
                switch token.text {
                case "private", "fileprivate": isPrivate = true
                case "struct", "class", "enum", "protocol", "actor", "typealias", "extension",
                    "func",
                    "let", "var", "case":
                    keyword = token.text
                case "}", "{", ";", "\n":
                    // Modifiers may stand on a line of their own.
                    if token.text != "\n" || !keyword.isEmpty { isPrivate = false }
                    keyword = ""
                case _ where !token.isName: break
                default:
                    if token.isMember {
                        memberNames.insert(token.text)
                    } else {
                        names.insert(token.text)
                    }
                    guard !keyword.isEmpty else { continue }
                    if token.depth == 0 {
                        if !["func", "let", "var", "typealias"].contains(keyword) {
                            owner = token.text
                            isOwnerPrivate = isPrivate
                        }
                        if keyword != "extension", !isPrivate { declared.insert(token.text) }
                    } else if ["struct", "class", "enum", "typealias"].contains(keyword) {
                        nested.insert(token.text)
                        if token.depth == 1, !isPrivate, !isOwnerPrivate {
                            members.append((token.text, owner))
                        }
                    } else if token.depth == 1, !isPrivate, !isOwnerPrivate {
                        members.append((token.text, owner))
                    }
                    keyword = ""
                    isPrivate = false
                }
            }
        }
    }

    /// One room uses what another declares.
    struct Reference: CustomStringConvertible {
        let from: String
        let to: String
        /// The name used; with a dot in front for a member.
        let name: String
        /// The file that uses it.
        let path: String

        var summary: String { "\(from) -> \(to): \(name)" }
        var description: String { "\(path): \(summary)" }
    }

    let files: [File]

    /// Every use of a name across rooms.
    func references() -> [Reference] {
        var types: [String: String] = [:]
        for file in files {
            for name in file.declared where types[name] == nil { types[name] = file.room }
        }
        var rooms: [String: Set<String>] = [:]
        var foreign: Set<String> = []
        for file in files {
            for (name, owner) in file.members {
                rooms[name, default: []].insert(file.room)
                if types[owner] != file.room { foreign.insert(name) }
            }
        }
        var nested: [String: Set<String>] = [:]
        for file in files { nested[file.room, default: []].formUnion(file.nested) }
        return files.flatMap { file in
            // Where a room nests a type of that name, the name means that one.
            let own = nested[file.room] ?? []
            let named = file.names.subtracting(own).sorted().compactMap { name in
                types[name].map { Reference(from: file.room, to: $0, name: name, path: file.path) }
            }
            let members = file.memberNames.sorted().compactMap { name -> Reference? in
                guard foreign.contains(name), let room = rooms[name], room.count == 1 else {
                    return nil
                }
                return room.first.map {
                    Reference(from: file.room, to: $0, name: ".\(name)", path: file.path)
                }
            }
            return (named + members).filter { $0.from != $0.to }
        }
    }
}

/// A word or sign of Swift source, without comments and strings.
struct SwiftToken {
    let text: String
    /// How many braces are open in front of it.
    let depth: Int
    /// Whether a dot stands in front of it.
    let isMember: Bool

    var isName: Bool {
        text.utf8.first.map { $0 == 0x5F || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) } ?? false
    }

    static func tokens(of text: String) -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        var bytes = Array(text.utf8)[...]
        var depth = 0
        var previous: UInt8 = 0
        while let byte = bytes.first {
            if bytes.starts(with: "//".utf8) {
                bytes = bytes.drop { $0 != UInt8(ascii: "\n") }
            } else if bytes.starts(with: "/*".utf8) {
                skip(&bytes, past: "*/")
            } else if bytes.starts(with: "\"\"\"".utf8) {
                bytes = bytes.dropFirst(3)
                skip(&bytes, past: "\"\"\"")
            } else if byte == UInt8(ascii: "\"") {
                skipString(&bytes)
            } else if isNameByte(byte) {
                let word = bytes.prefix(while: isNameByte)
                bytes = bytes.dropFirst(word.count)
                let isMember = previous == UInt8(ascii: ".")
                tokens.append(
                    SwiftToken(
                        text: String(decoding: word, as: UTF8.self),
                        depth: depth,
                        isMember: isMember
                    )
                )
                previous = UInt8(ascii: "a")
            } else {
                bytes = bytes.dropFirst()
                if byte == UInt8(ascii: "}") { depth -= 1 }
                if "{};\n".utf8.contains(byte) {
                    let sign = String(decoding: [byte], as: UTF8.self)
                    tokens.append(SwiftToken(text: sign, depth: depth, isMember: false))
                }
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\n") { previous = byte }
            }
        }
        return tokens
    }

    private static func skip(_ bytes: inout ArraySlice<UInt8>, past end: String) {
        while !bytes.isEmpty, !bytes.starts(with: end.utf8) { bytes = bytes.dropFirst() }
        bytes = bytes.dropFirst(end.utf8.count)
    }

    private static func skipString(_ bytes: inout ArraySlice<UInt8>) {
        bytes = bytes.dropFirst()
        while let byte = bytes.first, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
            bytes = bytes.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        bytes = bytes.dropFirst()
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(byte | 0x20)
                && byte >= 0x41
    }
}

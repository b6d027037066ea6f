/// The names that the files of a module declare, and the folders that use them.
///
/// It covers top-level types, functions and constants, and members that one folder adds to a type of
/// another by an extension. It ignores names that two folders declare, because the text does not show
/// which one is meant.
struct ReferenceMap {
    /// The names that a file declares and uses.
    struct File {
        struct Member {
            let name: String
            let owner: String
            /// Whether it is a member of the type, not of its values.
            let isStatic: Bool
        }

        let path: String
        /// The name of the file's folder in the module.
        let folder: String
        /// Top-level names that other files can see.
        private(set) var declared: Set<String> = []
        /// Members that other files can see, with their types.
        private(set) var members: [Member] = []
        /// Types declared inside other types.
        private(set) var nested: Set<String> = []
        /// Cases of nested types.
        private(set) var nestedCases: Set<String> = []
        /// Values declared inside functions and nested types.
        private(set) var inner: Set<String> = []
        /// Names used without a dot.
        private(set) var names: Set<String> = []
        /// Names used after a dot.
        private(set) var memberNames: Set<String> = []
        /// Names used after a leading dot, which can only be members of types.
        private(set) var implicitNames: Set<String> = []

        init(_ file: SourceFile) {
            path = file.path
            let folders = file.path.split(separator: "/").dropLast()
            folder = folders.count > 2 ? String(folders[2]) : ""
            // An import of one declaration declares nothing.
            let lines = file.lines.filter { !$0.contains(/^(@\w+ )?(\w+ )?import\s/) }
            read(SwiftToken.tokens(of: lines.joined(separator: "\n")))
        }

        private mutating func read(_ tokens: [SwiftToken]) {
            var isPrivate = false
            var isStatic = false
            var keyword = ""
            var owner = ""
            var isOwnerPrivate = false
            for token in tokens {
                switch token.text {
                case "private", "fileprivate": isPrivate = true
                case "static": isStatic = true
                case "struct", "class", "enum", "protocol", "actor", "typealias", "extension",
                    "func",
                    "let", "var", "case":
                    keyword = token.text
                case "}", "{", ";", "\n":
                    // Modifiers may be on a separate line.
                    if token.text != "\n" || !keyword.isEmpty { isPrivate = false }
                    keyword = ""
                case _ where !token.isName: break
                default:
                    switch token.position {
                    case .free: names.insert(token.text)
                    case .member: memberNames.insert(token.text)
                    case .implicitMember: implicitNames.insert(token.text)
                    }
                    guard !keyword.isEmpty else { continue }
                    if token.depth == 0 {
                        if !["func", "let", "var", "typealias"].contains(keyword) {
                            owner = token.text
                            isOwnerPrivate = isPrivate
                        }
                        if keyword != "extension", !isPrivate { declared.insert(token.text) }
                    } else {
                        let isType = ["struct", "class", "enum", "typealias"].contains(keyword)
                        if isType { nested.insert(token.text) }
                        if token.depth > 1, ["let", "var"].contains(keyword) {
                            inner.insert(token.text)
                        }
                        if keyword == "case", token.depth > 1, token.position == .free {
                            nestedCases.insert(token.text)
                        }
                        if token.depth == 1, !isPrivate, !isOwnerPrivate {
                            let isStatic = isType || isStatic || keyword == "case"
                            members.append(
                                Member(name: token.text, owner: owner, isStatic: isStatic)
                            )
                        }
                    }
                    isStatic = false
                    keyword = ""
                    isPrivate = false
                }
            }
        }
    }

    /// A use of a name that another folder declares.
    struct Reference: CustomStringConvertible {
        let from: String
        let to: String
        /// The name; a member begins with a dot.
        let name: String
        /// The file that uses it.
        let path: String

        var summary: String { "\(from) -> \(to): \(name)" }
        var description: String { "\(path): \(summary)" }
    }

    let files: [File]

    /// Returns every use of a name of another folder.
    func references() -> [Reference] {
        var types: [String: String] = [:]
        for file in files {
            for name in file.declared where types[name] == nil { types[name] = file.folder }
        }
        var folders: [String: Set<String>] = [:]
        var foreign: Set<String> = []
        var ofTypes: Set<String> = []
        for file in files {
            for member in file.members {
                folders[member.name, default: []].insert(file.folder)
                if types[member.owner] != file.folder { foreign.insert(member.name) }
                if member.isStatic { ofTypes.insert(member.name) }
            }
        }
        var nested: [String: Set<String>] = [:]
        var nestedCases: [String: Set<String>] = [:]
        for file in files {
            nested[file.folder, default: []].formUnion(file.nested)
            nestedCases[file.folder, default: []].formUnion(file.nestedCases)
        }
        return files.flatMap { file in
            // If the folder itself nests a type or a case of that name, the name refers to it.
            let own = nested[file.folder] ?? []
            let ownCases = nestedCases[file.folder] ?? []
            let named = file.names.subtracting(own).sorted().compactMap { name in
                types[name].map {
                    Reference(from: file.folder, to: $0, name: name, path: file.path)
                }
            }
            let implicit = file.implicitNames.intersection(ofTypes).subtracting(ownCases)
            // A member of a nested type has no folder in the map.
            let used = file.memberNames.union(implicit).subtracting(file.inner)
            let members = used.sorted().compactMap { name -> Reference? in
                guard foreign.contains(name), let folder = folders[name], folder.count == 1 else {
                    return nil
                }
                return folder.first.map {
                    Reference(from: file.folder, to: $0, name: ".\(name)", path: file.path)
                }
            }
            return (named + members).filter { $0.from != $0.to }
        }
    }
}

/// A word or sign of Swift source code, without comments and strings.
struct SwiftToken {
    let text: String
    /// The number of open braces before it.
    let depth: Int
    /// Its position relative to a dot.
    let position: Position

    enum Position {
        case free
        /// After a dot that follows a value or a type.
        case member
        /// After a leading dot.
        case implicitMember
    }

    var isName: Bool {
        text.utf8.first.map { $0 == 0x5F || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) } ?? false
    }

    static func tokens(of text: String) -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        var bytes = Array(text.utf8)[...]
        var depth = 0
        var previous: UInt8 = 0
        var isBehindValue = false
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
                var position = Position.free
                if previous == UInt8(ascii: ".") {
                    position = isBehindValue ? .member : .implicitMember
                }
                let text = String(decoding: word, as: UTF8.self)
                tokens.append(SwiftToken(text: text, depth: depth, position: position))
                // A dot after a keyword does not follow a value.
                let isKeyword = ["throw", "return", "case", "in", "else", "try"].contains(text)
                previous = UInt8(ascii: isKeyword ? ":" : "a")
            } else {
                bytes = bytes.dropFirst()
                if byte == UInt8(ascii: "}") { depth -= 1 }
                if "{};\n".utf8.contains(byte) {
                    let sign = String(decoding: [byte], as: UTF8.self)
                    tokens.append(SwiftToken(text: sign, depth: depth, position: .free))
                }
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: ".") {
                    isBehindValue = isNameByte(previous) || ")]}?!>\"`".utf8.contains(previous)
                }
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

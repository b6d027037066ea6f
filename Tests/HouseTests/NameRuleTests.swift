import Testing

/// Words that do not say what a type does.
private let bannedWords: Set = [
    "Manager", "Helper", "Utils", "Util", "Handler", "Common", "Misc", "Wrapper", "Impl",
    "Managers", "Helpers", "Handlers", "Wrappers",
]

/// Folder names that attract unrelated files.
private let bannedDirectories: Set = ["Internal", "Common", "Utils", "Support", "Helpers", "Misc"]

@Suite struct NameRuleTests {
    @Test func `file names contain no banned words`() {
        let files = SourceFile.all(in: "Sources", "Tests", "CLI", "Examples", "Fuzz", "Benchmarks")
        #expect(files.count > 20)
        #expect(files.map(\.path).filter { hasBannedWord($0) } == [])
    }

    @Test func `directories have no spaces and no catch-all names`() {
        let roots = ["Sources", "Tests", "CLI", "Examples", "Fuzz", "Benchmarks"]
        let paths = roots.flatMap { SourceFile.paths(below: $0) }
        #expect(paths.filter { $0.contains(" ") } == [])
        let catchAll = SourceFile.paths(below: "Sources").filter { path in
            path.split(separator: "/").contains { bannedDirectories.contains(String($0)) }
        }
        #expect(catchAll == [])
    }

    @Test func `file names are unique within a module`() {
        #expect(duplicates(in: SourceFile.all(in: "Sources")) == [])
    }

    @Test func `library code neither stops the process nor forces a try`() {
        #expect(SourceFile.all(in: "Sources").flatMap { traps(in: $0) } == [])
    }

    @Test(arguments: [
        ("Sources/A/ConnectionManager.swift", true), ("Sources/A/DateUtils.swift", true),
        ("Sources/A/TLSUtil.swift", true), ("Sources/A/HTTPRequest+Helpers.swift", true),
        ("Sources/A/Information.swift", false), ("Sources/A/Handle.swift", false),
        ("Sources/A/Commons.swift", false), ("Sources/Handler/Connection.swift", false),
    ])
    func `the checker finds a banned word in a file name`(path: String, isBanned: Bool) {
        #expect(hasBannedWord(path) == isBanned)
    }

    @Test func `the checker finds two files of one name`() {
        let paths = ["Sources/A/x/One.swift", "Sources/A/y/One.swift", "Sources/B/One.swift"]
        let files = paths.map { SourceFile(path: $0, text: "") }
        #expect(duplicates(in: files) == ["Sources/A/y/One.swift"])
        #expect(duplicates(in: [files[0], files[2]]) == [])
    }

    @Test(arguments: [
        ("fatalError(\"no\")", 1), ("let a = try! f()", 1), ("let a = try? f()", 0),
        ("// never fatalError() here", 0), ("preconditionFailure(\"our own mistake\")", 0),
    ])
    func `the checker finds code that stops the process`(line: String, count: Int) {
        #expect(traps(in: SourceFile(path: "Sources/A/B.swift", text: line)).count == count)
    }

    private func hasBannedWord(_ path: String) -> Bool {
        words(of: SourceFile(path: path, text: "").baseName).contains { bannedWords.contains($0) }
    }

    /// Splits a name: `HTTPRequest+Curl` gives `HTTPRequest` and `Curl`; `TLSUtil` gives `TLS` and `Util`.
    private func words(of name: String) -> [String] {
        var words: [String] = []
        for part in name.split(whereSeparator: { !$0.isLetter }) {
            var start = part.startIndex
            var index = part.index(after: start)
            while index < part.endIndex {
                let next = part.index(after: index)
                let beginsWord =
                    part[index].isUppercase && next < part.endIndex && part[next].isLowercase
                if beginsWord {
                    words.append(String(part[start..<index]))
                    start = index
                }
                index = next
            }
            words.append(String(part[start...]))
        }
        return words
    }

    private func duplicates(in files: [SourceFile]) -> [String] {
        var seen: Set<String> = []
        return files.compactMap { file in
            guard let module = file.module else { return nil }
            return seen.insert("\(module)/\(file.name)").inserted ? nil : file.path
        }
    }

    private func traps(in file: SourceFile) -> [String] {
        zip(1..., file.code).compactMap { number, line in
            line.contains("fatalError(") || line.contains("try!") ? "\(file.path):\(number)" : nil
        }
    }
}

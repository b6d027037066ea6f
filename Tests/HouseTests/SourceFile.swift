import Support
import Testing

/// A Swift file of the repository.
struct SourceFile: Sendable {
    /// The path from the root of the repository, such as `Sources/Wire/Syntax/Digits.swift`.
    let path: String
    let lines: [String]

    init(path: String, text: String) {
        self.path = path
        // Splits bytes, because CR LF is a single character, which would join two lines.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines.map { String(decoding: $0, as: UTF8.self) }
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The name without `.swift`.
    var baseName: String { name.hasSuffix(".swift") ? String(name.dropLast(6)) : name }

    /// The directory below `Sources`; nil for a file elsewhere.
    var module: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// The lines without comments; a `//` within a string counts as a comment too.
    var code: [String] {
        lines.map { line in
            guard line.mentions("//"), let comment = line.firstRange(of: "//") else { return line }
            return String(line[..<comment.lowerBound])
        }
    }

    /// Returns whether `word` occurs as a whole word of letters, digits and underscores.
    func contains(word: String) -> Bool {
        lines.contains { line in
            guard line.mentions(word) else { return false }
            return line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == word }
        }
    }

    /// Returns every Swift file below the directories, except hidden ones.
    ///
    /// A directory without any is recorded as an issue: it was renamed, and a rule would check nothing.
    static func all(in directories: String...) -> [SourceFile] { all(in: directories) }

    /// The modules that `import HTTPClient` shows whole; a layer of one uses those of the others that are below it.
    static let clientModules = ["HTTPClient", "HTTPClientModel", "HTTPClientPolicies"]

    /// The files of these modules.
    static var ofClient: [SourceFile] { all(in: clientModules.map { "Sources/\($0)" }) }

    private static func all(in directories: [String]) -> [SourceFile] {
        directories.flatMap { directory in
            let files = paths(below: directory).filter { $0.hasSuffix(".swift") }
                .compactMap { path in
                    TestFileSystem.contents(of: "\(root)/\(path)").map {
                        SourceFile(path: path, text: String(decoding: $0, as: UTF8.self))
                    }
                }
            if files.isEmpty { Issue.record("there is no Swift file in \(directory)") }
            return files
        }
    }

    /// Returns every file and directory below a directory, except hidden ones.
    static func paths(below directory: String) -> [String] {
        TestFileSystem.names(in: "\(root)/\(directory)").filter { !$0.hasPrefix(".") }.flatMap {
            name in
            let path = "\(directory)/\(name)"
            return [path] + paths(below: path)
        }
    }

    /// The root of the repository.
    static let root = TestFileSystem.packageRoot
}

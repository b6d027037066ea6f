import Support
import Testing

/// Verifies that CONTRIBUTING.md names only files, folders and tests that exist.
///
/// The same holds for the comments at the head of files that say what changes with the file. They begin with "To".
@Suite struct ContributingTests {
    @Test(arguments: [("### How a call works", 40), ("## Where to change something", 18)])
    func `every path in the tables exists`(heading: String, minimum: Int) throws {
        let table = rows(below: heading, in: try text())
        let names: [String] = table.flatMap { spans(in: $0[1]) }
        // A command has arguments after its path.
        let paths = names.filter { $0.contains("/") }
            .compactMap { $0.split(separator: " ").first }.map(String.init)
        #expect(paths.count >= minimum)
        #expect(paths.filter { !exists($0) } == [])
    }

    @Test func `every test in the table exists`() throws {
        let table = rows(below: "## Where to change something", in: try text())
        let cells: [String] = table.flatMap { spans(in: $0[2]) }
        let tests = cells.filter { $0.hasSuffix("Tests") && !$0.contains("/") }
        let names = Set(SourceFile.all(in: "Tests").map(\.baseName))
        #expect(tests.count >= 15)
        #expect(tests.filter { !names.contains($0) } == [])
    }

    @Test func `every change in the table has a file and a test`() throws {
        let table = rows(below: "## Where to change something", in: try text()).dropFirst()
        let incomplete = table.filter { cells in
            cells.count != 3 || cells.dropFirst().contains { spans(in: $0).isEmpty }
        }
        #expect(table.count == 15)
        #expect(incomplete == [])
    }

    @Test func `every file and test in the comments on changes exists`() {
        let comments = SourceFile.all(in: "Sources").compactMap { changeComment(of: $0) }
        let names = Set(SourceFile.all(in: "Sources", "Tests", "Fuzz").map(\.baseName))
        let named = comments.flatMap { spans(in: $0) }
        let files = named.filter { $0.first?.isUppercase == true && !$0.contains("/") }
        let paths = named.filter { $0.contains("/") }
        #expect(comments.count > 35)
        #expect(files.filter { $0.hasSuffix("Tests") }.count > 50)
        #expect(files.filter { !names.contains($0) } == [])
        #expect(paths.filter { !exists($0) } == [])
    }

    @Test(arguments: [
        ("import A\n\n// To add a\n// b, see `C`.\n\n/// D.\n", "To add a b, see `C`."),
        ("// To add a.\n\n// Another.\n", "To add a."), ("/// To add a.\nstruct B {}\n", nil),
        ("struct B {}\n// To add a.\n", nil), ("// This file.\n// To add a.\n", nil),
    ])
    func `the checker finds the comment on changes`(text: String, comment: String?) {
        #expect(changeComment(of: SourceFile(path: "Sources/A/B.swift", text: text)) == comment)
    }

    @Test(arguments: [
        ("Connection/Engine", true), ("Connection/Engin", false), ("Wire/Coding", true),
        ("Wire/Coding/ContentDecoder", true), ("CSSL/include/CSSL.h", true),
        ("CLI/Sources/fetch/Arguments", true), ("Policies/Nothing", false),
    ])
    func `the checker knows files and folders`(path: String, isKnown: Bool) {
        #expect(exists(path) == isKnown)
    }

    @Test func `the checker finds the rows of a section`() {
        let text =
            "## A\n\n| a | `b` |\n\n## B\n\n| to… | open |\n|---|---|\n| c | `d/e`, f `g` |\n\n## C\n\n| h | i |\n"
        #expect(rows(below: "## B", in: text) == [["to…", "open"], ["c", "`d/e`, f `g`"]])
        #expect(spans(in: "`d/e`, f `g`") == ["d/e", "g"])
    }

    /// Returns the comment at the head of a file, below its imports, if it begins with "To"; nil otherwise.
    private func changeComment(of file: SourceFile) -> String? {
        let head = file.lines.drop { $0.isEmpty || $0.contains("import ") && !$0.hasPrefix("//") }
        let comment = head.prefix { $0.hasPrefix("// ") }.map { String($0.dropFirst(3)) }
        return comment.first?.hasPrefix("To ") == true ? comment.joined(separator: " ") : nil
    }

    private func text() throws -> String {
        let bytes = TestFileSystem.contents(of: "\(SourceFile.root)/CONTRIBUTING.md")
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    /// Returns the cells of each row of the tables between a heading and the next one.
    private func rows(below heading: String, in text: String) -> [[String]] {
        let lines = text.split(separator: "\n").map(String.init)
        guard let start = lines.firstIndex(of: heading) else { return [] }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
        return section.filter { $0.hasPrefix("|") && !$0.hasPrefix("|--") }.map { line in
            line.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    /// Returns the texts between backticks.
    private func spans(in cell: String) -> [String] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
    }

    /// Returns whether a path is a file or a folder of the modules of the client, `Sources` or the root.
    private func exists(_ path: String) -> Bool {
        for prefix in SourceFile.clientModules.map({ "Sources/\($0)/" }) + ["Sources/", ""] {
            let full = "\(SourceFile.root)/\(prefix)\(path)"
            if TestFileSystem.contents(of: full + ".swift") != nil { return true }
            if TestFileSystem.contents(of: full) != nil { return true }
            if !TestFileSystem.names(in: full).isEmpty { return true }
        }
        return false
    }
}

import Support
import Testing

/// Verifies that the documented tables of deviations are complete.
@Suite struct StrictnessTableTests {
    /// The second one has the deviations of framing fields.
    private static let articles = [
        "Sources/Wire/Wire.docc/StrictnessLevels.md",
        "Sources/WireForensics/WireForensics.docc/WireForensics.md",
    ]
    private static let codes = "Sources/Wire/Rules/Diagnostic.swift"

    @Test func `the articles list every diagnostic code and no other`() throws {
        let files = SourceFile.all(in: "Sources/Wire/Rules")
        let source = try #require(files.first { $0.path == Self.codes })
        let codes = source.code.compactMap { line in
            line.firstRange(of: "        case ").map { String(line[$0.upperBound...]) }
        }
        let rows = try Self.articles.flatMap { article in
            let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/\(article)"))
            let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            return rows.filter { $0.hasPrefix("| ") }
        }
        let named = Set(rows.flatMap { quoted(in: $0.split(separator: "|").last ?? "") })
        #expect(codes.count > 30)
        #expect(Set(codes).subtracting(named) == ["furtherDeviations"])
        #expect(named.subtracting(codes) == [])
    }

    /// Returns the texts between backticks.
    private func quoted(in cell: Substring) -> [String] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
    }
}

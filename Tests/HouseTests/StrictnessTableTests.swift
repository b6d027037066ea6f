import Support
import Testing

/// Verifies that the documented table of deviations is complete.
@Suite struct StrictnessTableTests {
    private static let article = "Sources/Wire/Wire.docc/StrictnessLevels.md"
    private static let codes = "Sources/Wire/Rules/Diagnostic.swift"

    @Test func `the article lists every diagnostic code and no other`() throws {
        let files = SourceFile.all(in: "Sources/Wire/Rules")
        let source = try #require(files.first { $0.path == Self.codes })
        let codes = source.code.compactMap { line in
            line.firstRange(of: "        case ").map { String(line[$0.upperBound...]) }
        }
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/\(Self.article)"))
        let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| ") }
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

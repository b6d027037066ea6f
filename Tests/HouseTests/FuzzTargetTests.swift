import Support
import Testing

/// Verifies that every fuzz target has the files that its runs and its corpus test need.
@Suite struct FuzzTargetTests {
    @Test func `every fuzz target has a corpus, a dictionary and a row in the table`() throws {
        let root = SourceFile.root
        let properties = SourceFile.all(in: "Fuzz/Properties", "Fuzz/ClientProperties")
        var targets = properties.flatMap(\.lines).compactMap { line -> String? in
            guard let name = line.split(separator: "\"").dropFirst().first,
                line.contains("FuzzTarget(\"")
            else { return nil }
            return String(name)
        }
        #expect(targets.count > 5)
        // This one is in a separate package, because http_parser is not part of every build.
        targets = (targets + ["DifferentialFuzz"]).sorted()
        #expect(TestFileSystem.names(in: "\(root)/Fuzz/Corpus") == targets)
        let dictionaries = TestFileSystem.names(in: "\(root)/Fuzz/Dictionaries")
        #expect(dictionaries == targets.map { "\($0).dict" })
        let readme = try #require(TestFileSystem.contents(of: "\(root)/Fuzz/README.md"))
        let rows = String(decoding: readme, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| ") }
        #expect(targets.filter { target in !rows.contains { $0.contains(target) } } == [])
    }
}

import Support
import Testing

/// Verifies that every fuzz target is listed in all five places that run it.
@Suite struct FuzzTargetTests {
    @Test func `every fuzz target has a corpus, a dictionary and a corpus test`() throws {
        let root = SourceFile.root
        let programs = SourceFile.paths(below: "Fuzz").filter { $0.hasSuffix("/main.swift") }
        let targets = programs.compactMap { $0.split(separator: "/").dropLast().last }
            .map(String.init).sorted()
        #expect(targets.count > 5)
        #expect(TestFileSystem.names(in: "\(root)/Fuzz/Corpus") == targets)
        let dictionaries = TestFileSystem.names(in: "\(root)/Fuzz/Dictionaries")
        #expect(dictionaries == targets.map { "\($0).dict" })
        // Its corpus has no test, because http_parser is not part of every build.
        let tested = targets.filter { $0 != "DifferentialFuzz" }
        let tests = SourceFile.all(in: "Tests/WireTests", "Tests/HTTPClientTests")
            .filter { $0.baseName.hasSuffix("FuzzCorpusTests") }.flatMap(\.code)
        #expect(tested.filter { target in !tests.contains { $0.contains("\"\(target)\"") } } == [])
    }
}

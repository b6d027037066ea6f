import ClientProperties
import FuzzProperties
import Support
import Testing

/// Runs the fuzz targets of the client's other parsers on their collected inputs.
///
/// A violated assertion of a target stops the process.
@Suite struct ClientFuzzCorpusTests {
    @Test(arguments: FuzzTarget.client.indices)
    func `every fuzz corpus input satisfies its target's assertions, whole and truncated`(
        index: Int
    ) throws {
        let target = FuzzTarget.client[index]
        let directory = Self.root + "/Fuzz/Corpus/" + target.name
        let files = TestFileSystem.names(in: directory)
        #expect(files.count > 5, "\(target.name)")
        for file in files {
            let bytes = try #require(TestFileSystem.contents(of: "\(directory)/\(file)"))
            target.check(FuzzInput(bytes))
            // The truncated input must satisfy the assertions as well.
            target.check(FuzzInput(Array(bytes.dropLast())))
        }
    }

    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(4).joined(separator: "/")
}

import FuzzProperties
import Support
import Testing

/// Runs the fuzz targets on their collected inputs, including the inputs that once found a bug.
///
/// A violated assertion of a target stops the process.
@Suite struct FuzzCorpusTests {
    private static let targets: [(name: String, check: @Sendable (FuzzInput) -> Void)] = [
        ("ChunkedFuzz", checkChunked), ("ExchangeFuzz", checkExchange),
        ("InflateFuzz", checkInflate), ("RequestHeadFuzz", checkRequestHead),
        ("ResponseHeadFuzz", checkResponseHead), ("RoundTripFuzz", checkRoundTrip),
        ("ScannerFuzz", checkScanner), ("StreamFuzz", checkStream),
        ("StructuredFuzz", checkStructured),
        ("URIFuzz", checkURI),
    ]

    @Test(arguments: targets.indices)
    func `every fuzz corpus input satisfies its target's assertions, whole and truncated`(
        index: Int
    ) throws {
        let (name, check) = Self.targets[index]
        let directory = Self.root + "/Fuzz/Corpus/" + name
        let files = TestFileSystem.names(in: directory)
        #expect(files.count > 5, "\(name)")
        for file in files {
            let bytes = try #require(TestFileSystem.contents(of: "\(directory)/\(file)"))
            check(FuzzInput(bytes))
            // The truncated input must satisfy the assertions as well.
            check(FuzzInput(Array(bytes.dropLast())))
        }
    }

    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(3).joined(separator: "/")
}

import Support
import Testing

/// Verifies what readers of the README look for: a short first screen, and the words that they search.
@Suite struct ReadmeRuleTests {
    private let lines: [Substring]

    init() throws {
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/README.md"))
        lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
    }

    @Test func `the README has at most 250 lines`() {
        // The last element is the empty text behind the last line break.
        #expect(lines.count - 1 <= 250)
    }

    @Test(arguments: [
        "PATCH", "raw bytes", "see what is sent", "ignore TLS errors in tests",
        "environment proxies",
        "pagination loop",
    ])
    func `each task has the words that readers search`(words: String) {
        #expect(lines.contains { $0.lowercased().contains(words.lowercased()) })
    }

    @Test func `the first screen says what it is for, and has code`() throws {
        let screen = lines.prefix(40).joined(separator: "\n")
        for word in ["HTTP/2", "macOS", "URLSession", "Linux"] { #expect(screen.contains(word)) }
        let code = try #require(lines.firstIndex { $0.hasPrefix("```swift") })
        #expect(code < 15)
    }

    @Test func `figures have no ranges, and commits are not named`() throws {
        for line in lines {
            #expect(!line.contains(/\(\d+\.\d+–\d+\.\d+\)/), "\(line)")
            #expect(!line.contains(/`[0-9a-f]{7,40}`/), "\(line)")
        }
    }

    @Test func `each row of the table of other clients has its sources`() throws {
        let path = "\(SourceFile.root)/Sources/HTTPClient/HTTPClient.docc/Comparison.md"
        let bytes = try #require(TestFileSystem.contents(of: path))
        let sources = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter {
            $0.hasPrefix("| ")
        }
        let rows = lines.filter { $0.hasPrefix("| ") && $0.contains("✓") }
        #expect(rows.count == sources.count - 1)
        #expect(!rows.contains { $0.contains("?") })
        for (row, source) in zip(rows, sources.dropFirst()) {
            // The first word of both is the same.
            let names = [row, source].map {
                $0.drop { !$0.isLetter }.prefix { $0.isLetter }.lowercased()
            }
            #expect(names[0] == names[1] || row.contains(names[1]), "\(row)")
        }
    }
}

import Support
import Testing

/// Verifies that the links of the files that people read raw lead to files and headings that exist.
@Suite struct DocumentLinkTests {
    private static let documents = [
        "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md", "Tests/README.md",
    ]

    private static func text(of path: String) -> String? {
        TestFileSystem.contents(of: "\(SourceFile.root)/\(path)").map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The anchors that GitHub gives to the headings of a text.
    private static func anchors(in text: String) -> Set<String> {
        var isCode = false
        let headings = text.split(separator: "\n").filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode && line.hasPrefix("#")
        }
        return Set(
            headings.map { line in
                let title = line.drop { $0 == "#" }.dropFirst().lowercased()
                let kept = title.filter {
                    $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
                }
                return kept.replacing(" ", with: "-")
            }
        )
    }

    @Test(arguments: documents)
    func `each link has a target`(document: String) throws {
        let text = try #require(Self.text(of: document))
        let folder = document.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        var count = 0
        for match in text.matches(of: /\]\(([^()\s:]+)\)/) {
            count += 1
            let parts = match.output.1.split(
                separator: "#",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let target = parts[0].isEmpty ? document : folder + parts[0]
            let absolute = "\(SourceFile.root)/\(target)"
            let isFolder = !TestFileSystem.names(in: absolute).isEmpty
            let linked = Self.text(of: target)
            #expect(isFolder || linked != nil, "\(match.output.1)")
            if parts.count > 1, let linked {
                #expect(Self.anchors(in: linked).contains(String(parts[1])), "\(match.output.1)")
            }
        }
        #expect(count > 0 || document != "README.md")
        #expect(!text.contains("<doc:"))
    }
}

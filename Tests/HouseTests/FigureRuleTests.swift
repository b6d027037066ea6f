import Support
import Testing

/// Verifies that measured figures name their commit, so that outdated ones are noticed.
@Suite struct FigureRuleTests {
    @Test func `measured figures in articles name their commit`() throws {
        let articles = SourceFile.paths(below: "Sources").filter { $0.hasSuffix(".md") }
        #expect(articles.count > 10)
        for path in articles { try check(path) }
    }

    @Test(arguments: ["README.md", "Benchmarks/README.md", "Fuzz/README.md", "CONTRIBUTING.md"])
    func `measured figures name their commit`(path: String) throws {
        try check(path)
    }

    private func check(_ path: String) throws {
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/\(path)"))
        let sections = sections(of: String(decoding: bytes, as: UTF8.self))
        let undated = sections.filter { isUndated($0) }.map { $0.prefix { $0 != "\n" } }
        #expect(undated == [], "\(path)")
    }

    @Test(arguments: [
        ("## Speed\nA request takes 3 µs.\n", true),
        ("## Speed\nA request takes 3 µs, measured at `0a1b2c3`.\n", false),
        ("## Speed\nA call makes 7 allocations.\n", true),
        ("## Speed\n| program | 12.5 MiB |\n", true),
        ("## Speed\n| `small` | 1.14 |\n| `large` | 1.16 |\n", true),
        ("## Speed\n| `small` | 1.14 |\n\nMeasured at `0a1b2c3`.\n", false),
        ("## Limits\n| body | 10 MiB |\n", false), ("## Options\nTwo of 7 are rare.\n", false),
    ])
    func `the checker recognizes measured figures`(text: String, isViolation: Bool) {
        #expect(sections(of: text).contains { isUndated($0) } == isViolation)
    }

    /// Returns each heading together with the text below it.
    private func sections(of text: String) -> [Substring] {
        var sections: [Substring] = []
        var start = text.startIndex
        for heading in text.ranges(of: /(?m)^#+\s/) {
            sections.append(text[start..<heading.lowerBound])
            start = heading.lowerBound
        }
        return sections + [text[start...]]
    }

    private func isUndated(_ section: Substring) -> Bool {
        isMeasured(section) && !section.contains(/[Mm]easured\s+at\s+`[0-9a-f]{7}`/)
    }

    /// Whether the text contains times, counts of instructions or allocations, fractions of MiB, or ratios.
    private func isMeasured(_ section: Substring) -> Bool {
        section.contains(/[0-9] (µs|ns|allocations|instructions)\b/)
            || section.contains(/[0-9]\.[0-9]+ MiB/)
            || section.contains(/(?m)^\|.*\| ?[0-9]+\.[0-9]+ ?[(|]/)
    }
}

import Testing

/// The maximum number of lines in a source file.
private let maxLines = 600

@Suite struct FileSizeTests {
    @Test func `no source file is longer than 600 lines`() {
        let files = SourceFile.all(in: "Sources", "CLI", "Examples", "Benchmarks", "Fuzz")
        #expect(files.count > 5)
        #expect(files.compactMap { violation(of: $0) } == [])
    }

    @Test(arguments: [(600, false), (601, true)])
    func `the checker counts lines`(count: Int, isViolation: Bool) {
        let text = String(repeating: "x\n", count: count)
        let file = SourceFile(path: "Sources/Wire/Long.swift", text: text)
        #expect((violation(of: file) != nil) == isViolation)
    }

    private func violation(of file: SourceFile) -> String? {
        let count = file.lines.count
        return count > maxLines ? "\(file.path) has \(count) lines; \(maxLines) is the most" : nil
    }
}

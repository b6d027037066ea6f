import Testing

/// Files above 400 lines, each with the reason why it is not two files. None may pass 600.
private let allowedLongFiles: [String: String] = [:]

@Suite struct FileSizeTests {
    @Test func `no file is too long to read at one sitting`() {
        let files = SourceFile.all(in: "Sources", "CLI", "Examples", "Benchmarks", "Fuzz")
        #expect(files.count > 5)
        #expect(files.compactMap { violation(of: $0, allowed: allowedLongFiles) } == [])
    }

    @Test func `the list of long files has no stale entry`() {
        let long = SourceFile.all(in: "Sources", "CLI", "Examples", "Benchmarks", "Fuzz")
            .filter { $0.lines.count > 400 }.map(\.path)
        #expect(allowedLongFiles.keys.filter { !long.contains($0) } == [])
    }

    @Test(arguments: [
        (400, false, false), (401, false, true), (401, true, false), (601, true, true),
    ])
    func `the checker counts lines`(count: Int, allowed: Bool, isViolation: Bool) {
        let text = String(repeating: "x\n", count: count)
        let file = SourceFile(path: "Sources/Wire/Long.swift", text: text)
        let table = allowed ? [file.path: "because"] : [:]
        #expect((violation(of: file, allowed: table) != nil) == isViolation)
    }

    private func violation(of file: SourceFile, allowed: [String: String]) -> String? {
        let count = file.lines.count
        if count > 600 { return "\(file.path) has \(count) lines; 600 is the most" }
        guard count > 400, allowed[file.path] == nil else { return nil }
        return "\(file.path) has \(count) lines; above 400 say why in FileSizeTests"
    }
}

import Testing

/// The maximum number of lines in a source file.
private let maxLines = 600

/// The minimum number of lines in a file of `Sources`, so that a subject is not cut into fragments.
private let minLines = 40

/// The shorter files, and why each is a file.
private let shortFiles = [
    "HTTPClient/Call/RecordedHeads":
        "an observer of one attempt, apart from the record of its call",
    "HTTPClient/Client/Exports": "the list of exported modules",
    "HTTPClient/Model/Security/HTTPCertificate+Dates": "Wire's dates for a type of SocketTransport",
    "HTTPClient/Model/Security/HashedSecurity": "a type that three folders use",
    "HTTPClient/Policies/KeepAliveTimeout": "a rule with its own table of tests",
    "HTTPClientTesting/Cassettes/HTTPCassetteError": "a public type",
    "HTTPClientTesting/Cassettes/Recording": "a type that the file format and the replay use",
    "HTTPClientTesting/Stubs/HTTPJSON+Equivalence":
        "a comparison of values, apart from the stubs that use it",
    "HTTPTestServer/Exports": "the list of exported modules",
    "SocketTransport/Connect/HTTPDNSCacheOptions": "a public type",
    "SocketTransport/Files/Directory": "what other modules may do with directories",
    "SocketTransport/System/Environment": "the only file that reads environment variables",
    "SocketTransport/System/TextSearch": "a replacement for a function of the standard library",
    "SocketTransport/Transport": "the overview of the module",
    "Wire/Streams/HTTPServerSentEvent": "a public type",
    "Wire/Syntax/SpanCopy": "a replacement for a function of the standard library",
    "Wire/Vocabulary/HTTPVersion": "a public type",
]

@Suite struct FileSizeTests {
    @Test func `every file under 40 lines is listed with a reason`() {
        let files = SourceFile.all(in: "Sources").filter { $0.lines.count < minLines }
        let short = files.map {
            String($0.path.dropFirst("Sources/".count).dropLast(".swift".count))
        }
        #expect(Set(short).subtracting(shortFiles.keys).sorted() == [])
        #expect(Set(shortFiles.keys).subtracting(short).sorted() == [])
    }

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

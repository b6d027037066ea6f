import Testing

/// The path prefixes of the files that may use the word `unsafe`.
private let unsafeSites = [
    "Sources/Wire/Fields/HeadScanner",
    "Sources/Wire/Fields/FieldStorage",
    "Sources/Wire/Syntax/SpanCopy",
    "Sources/Wire/International/InternationalHost+IDN2",
    "Sources/Wire/Coding/BrotliDecoder",
    "Sources/Wire/Coding/Deflater",
    "Sources/Wire/Coding/Inflater",
    "Sources/Wire/Coding/ZstdDecoder",
    "Sources/SocketTransport/System/",
    "Sources/SocketTransport/Certificates/",
    "Sources/SocketTransport/Socket/",
    "Sources/SocketTransport/Loop/",
    "Sources/SocketTransport/Connect/GetaddrinfoResolver",
    "Sources/SocketTransport/TLS/",
    "Sources/HTTPTestServer/Certificates/CertificateSigner",
    "Sources/HTTPClient/Adapters/HTTPTypes/HTTPHeaders+HTTPTypes",
]

@Suite struct UnsafeSitesTests {
    @Test func `unsafe code is only in listed files and has a SAFETY comment`() {
        let files = SourceFile.all(in: "Sources")
        #expect(files.contains { $0.contains(word: "unsafe") })
        #expect(files.compactMap { violation(of: $0) } == [])
    }

    @Test func `every listed file contains unsafe code`() {
        let files = SourceFile.all(in: "Sources").filter { $0.contains(word: "unsafe") }
        let unused = unsafeSites.filter { site in !files.contains { $0.path.hasPrefix(site) } }
        #expect(unused == [])
    }

    @Test(arguments: [
        ("Sources/Wire/Head/RequestHead.swift", "let a = 1", false),
        ("Sources/Wire/Head/RequestHead.swift", "unsafe f() // SAFETY: no", true),
        ("Sources/Wire/Head/RequestHead.swift", "nonisolated(unsafe) var a = 1", true),
        ("Sources/Wire/Head/RequestHead.swift", "let unsafely = 1", false),
        ("Sources/Wire/Fields/HeadScanner.swift", "unsafe f()", true),
        ("Sources/Wire/Fields/HeadScanner.swift", "// SAFETY: bounded\nunsafe f()", false),
        ("Sources/Wire/Fields/HeadScanner+SIMD.swift", "// SAFETY: b\nunsafe f()", false),
        ("Sources/SocketTransport/TLS/Certificate.swift", "// SAFETY: b\nunsafe f()", false),
        (
            "Sources/HTTPClient/Connection/OnLoop.swift",
            "// SAFETY: b\nunsafe f()", false
        ),
        ("Sources/HTTPClient/Request/HTTPCall.swift", "// SAFETY: b\nunsafe f()", true),
    ])
    func `the checker finds unsafe code in other files or without a comment`(
        path: String,
        text: String,
        isViolation: Bool
    ) {
        #expect((violation(of: SourceFile(path: path, text: text)) != nil) == isViolation)
    }

    private func violation(of file: SourceFile) -> String? {
        guard file.contains(word: "unsafe") else { return nil }
        let isBlocking = file.module == "HTTPClient" && file.baseName == "OnLoop"
        guard isBlocking || unsafeSites.contains(where: { file.path.hasPrefix($0) }) else {
            return "\(file.path): unsafe code is not allowed in this file"
        }
        return file.lines.contains { $0.contains("SAFETY:") }
            ? nil : "\(file.path): there is no `SAFETY:` comment with the invariant"
    }
}

import Testing

/// The modules that the files below each path may import; a longer path takes precedence.
///
/// A module may import only lower modules.
private let importTable: [ImportRule] = [
    ImportRule("Sources/Wire/", []),
    ImportRule("Sources/Wire/Coding/BrotliDecoder.swift", ["CBrotli"]),
    ImportRule("Sources/Wire/Coding/Deflater.swift", ["CZlib"]),
    ImportRule("Sources/Wire/Coding/Inflater.swift", ["CZlib"]),
    ImportRule("Sources/Wire/Coding/ZstdDecoder.swift", ["CZstd"]),
    ImportRule("Sources/Wire/Fields/HeadScanner+BitMasks.swift", ["Builtin"]),
    ImportRule("Sources/Wire/International/InternationalHost+IDN2.swift", ["CIDN"]),
    ImportRule("Sources/WireForensics/", ["Wire"]),
    ImportRule("Sources/SocketTransport/", ["Glibc", "Musl", "Synchronization", "CSSL"]),
    ImportRule("Sources/HTTPClientModel/", ["Synchronization", "Wire", "SocketTransport"]),
    ImportRule("Sources/HTTPClientPolicies/", ["Synchronization", "Wire", "SocketTransport"]),
    // Each file of a module sees what one of its files exports.
    ImportRule("Sources/HTTPClientPolicies/Exports.swift", ["HTTPClientModel"]),
    ImportRule("Sources/HTTPClient/", ["Synchronization", "Wire", "SocketTransport"]),
    ImportRule(
        "Sources/HTTPClient/Client/Exports.swift",
        ["HTTPClientModel", "HTTPClientPolicies"]
    ),
    ImportRule(
        "Sources/HTTPClient/Adapters/Foundation/",
        ["Synchronization", "Wire", "SocketTransport", "FoundationEssentials"]
    ),
    ImportRule("Sources/HTTPClient/Adapters/OpenCombine/", ["SocketTransport", "OpenCombine"]),
    // Each module only in its own directory, because it is available only with its trait.
    ImportRule("Sources/HTTPClient/Adapters/HTTPTypes/", ["Wire", "HTTPTypes"]),
    ImportRule("Sources/HTTPClient/Adapters/Logging/", ["Wire", "Logging"]),
    ImportRule("Sources/HTTPClient/Adapters/Metrics/", ["Wire", "CoreMetrics"]),
    ImportRule("Sources/HTTPClient/Adapters/ServiceLifecycle/", ["ServiceLifecycle"]),
    ImportRule("Sources/HTTPClient/Adapters/Tracing/", ["Wire", "Tracing"]),
    ImportRule("Sources/HTTPClientReports/", ["HTTPClient", "SocketTransport", "Wire"]),
    ImportRule("Sources/HTTPClientTesting/", ["HTTPClient", "SocketTransport", "Wire"]),
    ImportRule(
        "Sources/HTTPClientTesting/Foundation/",
        ["HTTPClient", "SocketTransport", "Wire", "FoundationEssentials"]
    ),
    ImportRule("Sources/HTTPTestServer/", ["Synchronization", "Wire", "SocketTransport"]),
    ImportRule("Sources/HTTPTestServer/Certificates/", ["SocketTransport"]),
    ImportRule(
        "Sources/HTTPTestServer/Certificates/CertificateSigner.swift",
        ["SocketTransport", "CSSL"]
    ),
    ImportRule("Sources/HTTPTestServer/Foundation/", ["Wire", "FoundationEssentials"]),
    // The scripted origin tests Wire, so it must not share its parser.
    ImportRule("Tests/Support/", ["Glibc", "Synchronization", "SocketTransport"]),
    // HTTPTestServer, which re-exports Wire, issues the certificates of the tests.
    ImportRule("Tests/Support/TestCertificates.swift", ["HTTPTestServer", "SocketTransport"]),
    ImportRule("Tests/HouseTests/", ["Testing", "Support", "Glibc"]),
]

@Suite struct ImportRuleTests {
    @Test func `every file imports only modules allowed for it`() {
        let files = SourceFile.all(in: "Sources", "Tests/Support", "Tests/HouseTests")
        #expect(files.count > 10)
        #expect(files.flatMap { violations(in: $0) } == [])
    }

    @Test func `every module is in the import table`() {
        let directories = SourceFile.paths(below: "Sources").filter {
            $0.split(separator: "/").count == 2
        }
        let known = [
            "Sources/CBrotli", "Sources/CIDN", "Sources/CSSL", "Sources/CZlib", "Sources/CZstd",
        ]
        let missing = directories.filter { directory in
            !known.contains(directory) && !importTable.contains { $0.prefix == "\(directory)/" }
        }
        #expect(missing == [])
    }

    @Test func `every import rule matches existing files`() {
        let files = SourceFile.all(in: "Sources", "Tests")
        let stale = importTable.filter { rule in
            !files.contains { $0.path.hasPrefix(rule.prefix) }
        }
        #expect(stale.map(\.prefix) == [])
    }

    @Test func `the transport has no terms of HTTP messages`() {
        let words = ["request", "requests", "header", "headers", "Request", "Header", "Headers"]
        let files = SourceFile.all(in: "Sources/SocketTransport")
        let found = files.flatMap { file in
            words.filter { file.contains(word: $0) }.map { "\(file.path): \($0)" }
        }
        #expect(found == [])
    }

    @Test func `the client does not mention stubs`() {
        let files = SourceFile.ofClient
        let found = files.filter { file in
            file.lines.contains { line in
                let line = line.lowercased()
                return line.contains("stub") || line.contains("cassette")
            }
        }
        #expect(found.map(\.path) == [])
    }

    @Test(arguments: [
        ("Sources/Wire/URI.swift", "import Foundation", 1),
        ("Sources/Wire/URI.swift", "private import Glibc", 1),
        ("Sources/Wire/URI.swift", "// import Foundation", 0),
        ("Sources/Wire/URI.swift", "let imported = 1", 0),
        ("Sources/Wire/Coding/Inflater.swift", "private import CZlib", 0),
        ("Sources/Wire/Coding/ContentDecoder.swift", "private import CZlib", 1),
        ("Sources/Wire/International/InternationalHost+IDN2.swift", "private import CIDN", 0),
        ("Sources/Wire/International/InternationalHost.swift", "private import CIDN", 1),
        ("Sources/SocketTransport/TLS/TLSEngine.swift", "private import CSSL", 0),
        ("Sources/SocketTransport/TLS/TLSEngine.swift", "internal import CSSL", 1),
        ("Sources/SocketTransport/TLS/TLSEngine.swift", "package import Wire", 1),
        ("Sources/HTTPClient/Exports.swift", "@_exported public import Wire", 0),
        ("Sources/HTTPClient/HTTPError.swift", "internal import Glibc", 1),
        ("Sources/HTTPClient/HTTPError.swift", "import struct FoundationEssentials.URL", 1),
        (
            "Sources/HTTPClient/Adapters/Foundation/URL.swift",
            "public import FoundationEssentials", 0
        ),
        ("Sources/HTTPClient/Adapters/Foundation/URL.swift", "public import Foundation", 1),
        ("Sources/HTTPClient/Adapters/OpenCombine/A.swift", "public import OpenCombine", 0),
        ("Sources/HTTPClient/HTTPError.swift", "public import OpenCombine", 1),
        ("Sources/HTTPClient/Adapters/Logging/A.swift", "public import Logging", 0),
        ("Sources/HTTPClient/Adapters/Logging/A.swift", "public import Tracing", 1),
        ("Sources/HTTPClient/Adapters/A.swift", "public import Logging", 1),
        (
            "Sources/HTTPClientTesting/Foundation/A.swift", "public import FoundationEssentials", 0
        ),
        ("Sources/HTTPClientTesting/Stubs/A.swift", "import FoundationEssentials", 1),
        ("Sources/HTTPTestServer/Certificates/CertificateSigner.swift", "private import CSSL", 0),
        ("Sources/HTTPTestServer/TLS.swift", "private import CSSL", 1),
        ("Tests/Support/ScriptedOrigin.swift", "import Wire", 1),
        ("Tests/Support/ScriptedOrigin.swift", "import HTTPTestServer", 1),
        ("Sources/New/File.swift", "import Wire", 1),
    ])
    func `the checker accepts valid imports and rejects others`(
        path: String,
        line: String,
        count: Int
    ) {
        let file = SourceFile(path: path, text: "\n\(line)\n")
        #expect(violations(in: file).count == count)
    }

    private func violations(in file: SourceFile) -> [String] {
        // The longest prefix is the most specific rule.
        let rule = importTable.filter { file.path.hasPrefix($0.prefix) }
            .max { $0.prefix.utf8.count < $1.prefix.utf8.count }
        return file.code.compactMap { line in
            guard let imported = Import(line) else { return nil }
            let allowed = rule?.modules.contains(imported.module) ?? false
            let hidden = imported.module != "CSSL" || imported.isPrivate
            return allowed && hidden ? nil : "\(file.path): \(line)"
        }
    }
}

private struct ImportRule: Sendable {
    let prefix: String
    let modules: Set<String>

    init(_ prefix: String, _ modules: Set<String>) {
        self.prefix = prefix
        self.modules = modules
    }
}

/// A parsed import line.
private struct Import {
    let module: String
    let isPrivate: Bool

    init?(_ line: String) {
        var words = line.split(separator: " ").map(String.init)
        var isPrivate = false
        let before: Set = ["public", "package", "internal", "fileprivate", "private"]
        while let first = words.first, first.hasPrefix("@") || before.contains(first) {
            isPrivate = isPrivate || first == "private"
            words.removeFirst()
        }
        guard words.first == "import" else { return nil }
        words.removeFirst()
        let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        if let first = words.first, kinds.contains(first) { words.removeFirst() }
        guard let name = words.first?.split(separator: ".").first else { return nil }
        module = String(name)
        self.isPrivate = isPrivate
    }
}

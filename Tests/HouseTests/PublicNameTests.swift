import Support
import Testing

/// Verifies that public names cannot collide with those of other packages (`PublicNames.swift`).
@Suite struct PublicNameTests {
    @Test func `every public type is compiled together with other packages`() throws {
        let path = "Benchmarks/peers/AsyncHTTPClient/Sources/PublicNames/PublicNames.swift"
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/\(path)"))
        let file = SourceFile(path: path, text: String(decoding: bytes, as: UTF8.self))
        let names = try publicNames()
        #expect(names.count > 100)
        let missing = names.filter { !file.contains(word: $0) }
        #expect(missing == [], "run scripts/record api")
    }

    @Test(arguments: [
        ("struct HTTPPin: Equatable", "HTTPPin"), ("final class HTTPCall<Value>", "HTTPCall"),
        ("protocol HTTPDialer", "HTTPDialer"), ("typealias Plain = HTTPContentType", "Plain"),
        ("enum HTTPPin.Kind: Sendable", nil), ("    var names: [String]", nil),
        ("extension HTTPPin", nil), ("", nil),
    ])
    func `the checker reads the lines of recorded interfaces`(line: String, name: String?) {
        #expect(typeName(line) == name)
    }

    @Test func `import HTTPClient shows at most 140 types and 400 functions`() throws {
        let exports = SourceFile.all(in: "Sources/HTTPClientModel").first {
            $0.path.hasSuffix("/Exports.swift")
        }
        let ofWire = try #require(exports).lines.compactMap {
            try? /^@_exported public import \w+ Wire\.(\w+)/.prefixMatch(in: $0).map { "\($0.1)" }
        }
        let others = try ["HTTPClient", "SocketTransport"].map {
            try publicNames(in: "\($0).txt").count
        }
        #expect(ofWire.count > 20 && others.allSatisfy { $0 > 5 })
        #expect(ofWire.count + others.reduce(0, +) <= 140)
        let functions = try [
            functions(in: "HTTPClient.txt"), functions(in: "SocketTransport.txt"),
            functions(in: "Wire.txt", of: Set(ofWire)),
        ]
        #expect(functions.allSatisfy { $0 > 20 })
        #expect(functions.reduce(0, +) <= 400)
    }

    /// The top-level types in `API/`.
    private func publicNames() throws -> [String] {
        let files = TestFileSystem.names(in: "\(SourceFile.root)/API").sorted()
        #expect(files.count > 3)
        return try files.flatMap { try publicNames(in: $0) }
    }

    private func publicNames(in name: String) throws -> [String] {
        try lines(of: name).compactMap(typeName)
    }

    /// The number of functions of the given types and of those nested in them; nil for all types.
    private func functions(in name: String, of types: Set<String>? = nil) throws -> Int {
        var isCounted = true
        var count = 0
        for line in try lines(of: name) {
            if let types, line.first.map({ $0 != " " }) == true {
                isCounted = line.split { !$0.isLetter && !$0.isNumber }.contains {
                    types.contains(String($0))
                }
            }
            if isCounted && line.contains("func ") { count += 1 }
        }
        return count
    }

    private func lines(of name: String) throws -> [String] {
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/API/\(name)"))
        return SourceFile(path: name, text: String(decoding: bytes, as: UTF8.self)).lines
    }

    /// The type that a line declares; nil for members and nested types.
    private func typeName(_ line: String) -> String? {
        guard line.first.map({ $0 != " " }) == true else { return nil }
        let keywords: Set = ["struct", "enum", "class", "protocol", "actor", "typealias"]
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(where: { keywords.contains(String($0)) }),
            let declared = words.dropFirst(place + 1).first
        else { return nil }
        let name = declared.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return declared.dropFirst(name.count).first == "." ? nil : String(name)
    }
}

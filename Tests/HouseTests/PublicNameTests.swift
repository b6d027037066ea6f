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

    @Test func `import HTTPClient shows at most 140 types at top level`() throws {
        let exports = SourceFile.all(in: "Sources/HTTPClient/Client").first {
            $0.path.hasSuffix("/Exports.swift")
        }
        let ofWire = try #require(exports).lines.count {
            $0.contains(/^@_exported public import \w+ Wire\./)
        }
        let others = try ["HTTPClient", "SocketTransport"].map {
            try publicNames(in: "\($0).txt").count
        }
        #expect(ofWire > 20 && others.allSatisfy { $0 > 5 })
        #expect(ofWire + others.reduce(0, +) <= 140)
    }

    /// The top-level types in `API/`.
    private func publicNames() throws -> [String] {
        let files = TestFileSystem.names(in: "\(SourceFile.root)/API").sorted()
        #expect(files.count > 3)
        return try files.flatMap { try publicNames(in: $0) }
    }

    private func publicNames(in name: String) throws -> [String] {
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/API/\(name)"))
        return SourceFile(path: name, text: String(decoding: bytes, as: UTF8.self)).lines
            .compactMap(typeName)
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

import Support
import Testing

/// Verifies that every public function of the client throws an `HTTPError`, so that one typed `catch` handles a call and
/// what prepares it (article *Errors*).
///
/// Functions that call code of the program throw what that code throws.
@Suite struct ThrownErrorTests {
    /// Functions that call code of the program, and that no protocol requires.
    private static let callers: Set = [
        // An interceptor passes on the error of the next one.
        "HTTPNext.callAsFunction",
        // It calls the closure; `acquire(for:)` of the pool throws an `HTTPError`.
        "HTTPClient.withConnection",
        // It calls the transformer.
        "HTTPResponse.transformBody",
    ]

    @Test func `every function of the client throws an HTTPError`() throws {
        let path = "\(SourceFile.root)/API/HTTPClient.txt"
        let bytes = try #require(TestFileSystem.contents(of: path))
        let lines = SourceFile(path: path, text: String(decoding: bytes, as: UTF8.self)).lines
        let found = Self.untyped(lines)
        #expect(Set(found).subtracting(Self.callers) == [])
        #expect(Self.callers.subtracting(found) == [])
    }

    @Test(
        arguments: [
            (["struct A: Sendable", "    func b() throws -> Int"], ["A.b"]),
            (["struct A: Sendable", "    func b(_ c: Int = 1) async throws(E)"], ["A.b"]),
            (["extension A", "    init<T>(_ b: T) throws"], ["A.init"]),
            (["struct A", "    static func b(_ c: @Sendable () throws -> Void)"], []),
            (["struct A", "    func b() throws(HTTPError) -> [Int]"], []),
            (
                [
                    "struct A",
                    "    func b<Failure>(_ c: () throws(Failure) -> Int) throws(Failure)",
                ], []
            ),
            (["struct A", "    typealias B = @Sendable () throws -> Void"], []),
            (["enum A", "    init(from decoder: any Decoder) throws"], []),
            (["protocol P", "    func b() throws", "struct A", "    func b() throws"], []),
        ] as [([String], [String])]
    )
    func `the checker reads recorded interfaces`(lines: [String], expected: [String]) {
        #expect(Self.untyped(lines) == expected)
    }

    /// The functions that throw another error than `HTTPError` and are no requirement of a protocol, as `Type.name`.
    private static func untyped(_ lines: [String]) -> [String] {
        var required: Set = ["init(from", "encode(to"]
        var found: [(type: String, name: String)] = []
        var type = ""
        var isProtocol = false
        for line in lines {
            guard line.hasPrefix(" ") else {
                let words = line.split(separator: " ").map(String.init)
                let kinds: Set = [
                    "struct", "class", "enum", "actor", "protocol", "extension",
                ]
                guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count
                else { continue }
                isProtocol = words[place] == "protocol"
                type = String(words[place + 1].prefix { $0 != ":" && $0 != "<" })
                continue
            }
            guard let name = nameOfThrower(line) else { continue }
            if isProtocol { required.insert(name) } else { found.append((type, name)) }
        }
        return found.filter { !required.contains($0.name) }.map { "\($0.type).\($0.name)" }
    }

    /// Returns the name of a function that throws any error but `HTTPError` and that of a closure.
    private static func nameOfThrower(_ line: String) -> String? {
        var text = line
        for typed in ["throws(HTTPError)", "throws(Failure)"] {
            text = text.split(separator: typed, omittingEmptySubsequences: false).joined()
        }
        // Closures among the parameters may throw any error.
        var outside = ""
        var depth = 0
        for character in text {
            if ")]".contains(character) { depth -= 1 }
            if depth == 0 { outside.append(character) }
            if "([".contains(character) { depth += 1 }
        }
        let words = outside.split { " ()<>".contains($0) }
        guard words.contains("throws") else { return nil }
        for codable in ["init(from", "encode(to"] where line.contains(" \(codable) ") {
            return codable
        }
        if let place = words.firstIndex(of: "func"), place + 1 < words.count {
            return String(words[place + 1])
        }
        return words.contains { $0.hasPrefix("init") } ? "init" : nil
    }
}

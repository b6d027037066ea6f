import Support
import Testing

/// Verifies that the documentation of each module with public API groups every public type of it.
@Suite struct DocumentationRuleTests {
    /// The modules with a file in `API/`.
    private static let modules = TestFileSystem.names(in: "\(SourceFile.root)/API")
        .map { String($0.dropLast(4)) }

    @Test(arguments: modules)
    func `each public type is in one group of Topics`(module: String) throws {
        var declared = try types(in: text(of: "API/\(module).txt"))
        if module == "HTTPClient" {
            // The documentation contains what the module exports.
            let exports = try text(of: "Sources/HTTPClientModel/Exports.swift")
            declared += try types(in: text(of: "API/SocketTransport.txt"))
            declared += exports.matches(of: /import \w+ Wire\.(\w+)/).map { String($0.output.1) }
        }
        let folder = "Sources/\(module)/\(module).docc"
        let pages = TestFileSystem.names(in: "\(SourceFile.root)/\(folder)")
            .filter { $0.hasSuffix(".md") }
        let grouped = try pages.flatMap {
            try links(inTopicsOf: text(of: "\(folder)/\($0)"), of: module)
        }
        #expect(pages.contains("\(module).md"))
        #expect(difference(of: declared, and: grouped) == [], "run scripts/record api")
    }

    @Test func `every product has a file in API`() throws {
        let products = try text(of: "Package.swift").matches(of: /\.library\(name: "(\w+)"/)
            .map { String($0.output.1) }
        #expect(products.count > 3)
        #expect(products.filter { !Self.modules.contains($0) } == [])
    }

    @Test func `the code of Integrations is compiled by the tests of the integrations`() throws {
        let article = try text(of: "Sources/HTTPClient/HTTPClient.docc/Integrations.md")
        let compiled = try text(of: "Tests/Integrations/IntegrationTests/ArticleSnippets.swift")
        let code = article.split(separator: "\n").filter { $0.hasPrefix("    ") }.map {
            $0.drop { $0 == " " }
        }
        #expect(code.count > 10)
        #expect(code.filter { !compiled.mentions(String($0)) } == [])
    }

    @Test(arguments: [
        ("struct A: Sendable\n    struct B\n", ["A"]), ("final class A\n\nstruct A.B\n", ["A"]),
        ("@nonexhaustive enum A<B>: Error\n", ["A"]), ("extension A\n    func b()\n", []),
        ("typealias A = B\n\nprotocol C\n", ["A", "C"]), ("func a()\n", ["a"]),
    ])
    func `the checker finds the public types`(text: String, types: [String]) {
        #expect(self.types(in: text) == types)
    }

    @Test(arguments: [
        ("# ``A``\n\n- ``B``\n\n## Topics\n\n### C\n\n- <doc:D>\n- ``E``\n- ``E/F``\n", ["E"]),
        ("# ``A``\n\n- ``B``\n", []), ("## Topics\n\n- ``A``\n", []),
        ("## Topics\n\n### A\n\n- ``B``\n\n## C\n\n- ``D``\n", ["B"]),
        ("## Topics\n\n### A\n\n- ``M/B``\n- ``M/M``\n- ``M/B/C``\n", ["B", "M"]),
    ])
    func `the checker finds the links in groups`(text: String, links: [String]) {
        #expect(self.links(inTopicsOf: text, of: "M") == links)
    }

    @Test(arguments: [
        (["A", "B"], ["B", "A"], []), (["A", "B"], ["A"], ["B: 0 groups"]),
        (["A"], ["A", "A"], ["A: 2 groups"]), ([], ["A"], ["A: not public"]),
    ])
    func `the checker finds types without a group`(
        types: [String],
        links: [String],
        found: [String]
    ) {
        #expect(difference(of: types, and: links) == found)
    }

    private func text(of path: String) throws -> String {
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/\(path)"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names that a file of `API/` declares at the top level; extensions are left out.
    private func types(in api: String) -> [String] {
        api.split(separator: "\n").compactMap { line in
            let pattern =
                /(?:@\w+ |final )*(?:actor|class|enum|func|let|protocol|struct|typealias|var) ([\w.]+).*/
            guard let name = line.wholeMatch(of: pattern)?.output.1, !name.contains(".") else {
                return nil
            }
            return String(name)
        }
    }

    /// The symbols linked below a heading of the section Topics; members of types are left out.
    ///
    /// A link may begin with the name of the module.
    private func links(inTopicsOf page: String, of module: String) -> [String] {
        let lines = page.split(separator: "\n")
        guard let start = lines.firstIndex(of: "## Topics") else { return [] }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.drop { !$0.hasPrefix("### ") }.compactMap { line in
            guard let link = line.wholeMatch(of: /- ``([\w\/]+)``/) else { return nil }
            var parts = link.output.1.split(separator: "/")
            if parts.count > 1, parts[0] == module { parts.removeFirst() }
            return parts.count == 1 ? String(parts[0]) : nil
        }
    }

    private func difference(of types: [String], and links: [String]) -> [String] {
        let counts = links.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return types.filter { counts[$0] != 1 }.map { "\($0): \(counts[$0] ?? 0) groups" }
            + Set(links).subtracting(types).sorted().map { "\($0): not public" }
    }
}

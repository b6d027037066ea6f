import Testing

/// Verifies that no public member is named `none`.
///
/// An Optional shadows such a member: `request.proxy = .none` means nil.
@Suite struct OptionalShadowTests {
    @Test func `no public case or static member is named none`() {
        let files = SourceFile.all(in: "Sources")
        #expect(files.count > 100)
        #expect(files.flatMap { publicNones(in: $0) } == [])
    }

    @Test(arguments: [
        ("public enum A {\n    case none\n}", 1),
        ("public enum A {\n    case a, none\n}", 1),
        ("public enum A {\n    indirect case none(Int)\n}", 1),
        ("public enum A: String {\n    case none = \"None\"\n}", 1),
        ("@nonexhaustive public enum A {\n    case none\n}", 1),
        ("extension A {\n    public enum B {\n        case a\n        case `none`\n    }\n}", 1),
        ("public struct A {\n    public static let none = A()\n}", 1),
        ("public struct A {\n    public static var none: A { A() }\n}", 1),
        ("extension A {\n    @inlinable public static func none() -> A { A() }\n}", 1),
        ("public struct A {\n    private enum B {\n        case none\n    }\n}", 0),
        ("public enum A {\n    case a\n    enum B {\n        case none\n    }\n}", 0),
        ("enum A {\n    case none\n}", 0),
        ("struct A {\n    static let none = A()\n}", 0),
        (
            "public enum A {\n    var b: Int {\n        switch self {\n        case .none: 1\n        }\n    }\n}",
            0
        ),
        ("public enum A {\n    case nonempty, noneAtAll\n}", 0),
    ])
    func `the checker finds a public member named none`(text: String, count: Int) {
        #expect(publicNones(in: SourceFile(path: "Sources/A/B.swift", text: text)).count == count)
    }

    private func publicNones(in file: SourceFile) -> [String] {
        let code = file.code
        return code.indices.compactMap { index in
            let words = words(of: code[index])
            let isPublicCase = isCase(words) && isInPublicEnum(index, code)
            guard isPublicCase || isPublicStatic(words) else { return nil }
            return "\(file.path):\(index + 1)"
        }
    }

    /// Whether the words declare cases and one of them is `none`; patterns begin with a dot.
    private func isCase(_ words: [String]) -> Bool {
        guard let start = words.firstIndex(of: "case"), start == 0 || words[0] == "indirect" else {
            return false
        }
        return words.contains("none")
    }

    private func isPublicStatic(_ words: [String]) -> Bool {
        guard words.contains("public"), let start = words.firstIndex(of: "static") else {
            return false
        }
        let name = words.index(start, offsetBy: 2)
        return name < words.endIndex && words[name] == "none"
    }

    /// Whether the nearest line above with less indentation declares a public enum.
    private func isInPublicEnum(_ index: Int, _ code: [String]) -> Bool {
        let depth = indentation(of: code[index])
        let above = code[..<index].last { line in
            line.contains { $0 != " " } && indentation(of: line) < depth
        }
        let words = words(of: above ?? "")
        return words.contains("public") && words.contains("enum")
    }

    private func indentation(of line: String) -> Int {
        line.prefix { $0 == " " }.count
    }

    /// Returns the names and keywords of a line; a name after a dot keeps the dot.
    private func words(of line: String) -> [String] {
        line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "@") }.map(
            String.init
        )
    }
}

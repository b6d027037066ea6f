import Support
import Testing

/// Checks that a declaration for other modules is used by one.
@Suite struct AccessRuleTests {
    /// Requirements of protocols of the standard library; the type that implements them is used.
    private static let requirements: Set<String> = ["userInfo"]

    @Test func `the name of a package declaration occurs in another module`() {
        let files = SourceFile.all(in: "Sources", "Tests", "Benchmarks", "CLI", "Examples", "Fuzz")
        var declared: [(name: String, file: SourceFile)] = []
        for file in files where file.module != nil {
            for line in file.lines {
                if let name = Self.packageName(line) { declared.append((name, file)) }
            }
        }
        #expect(declared.count > 1000)
        let names = Set(declared.map(\.name))
        var modules: [String: Set<String>] = [:]
        for file in files {
            // Tests and the nested packages are other modules than those of Sources.
            let module = file.module ?? "others"
            for word in Self.words(file) where names.contains(word) {
                modules[word, default: []].insert(module)
            }
        }
        for (name, file) in declared where !Self.requirements.contains(name) {
            let users = modules[name, default: []].subtracting([file.module ?? ""])
            #expect(!users.isEmpty, "\(file.path): only its module uses \(name)")
        }
    }

    @Test(arguments: [
        ("    package static func row(_ index: Int) -> Int {", "row"),
        ("package nonisolated(nonsending) func next() async {", "next"),
        ("    @inline(__always) package var count: Int { 1 }", "count"),
        ("    package private(set) var state = 0", "state"), ("    package let size: Int", "size"),
        ("    package init(_ row: Int) {", nil), ("package struct Row {", nil),
        ("    public var count: Int", nil), ("    // package var count", nil),
        ("    package subscript(index: Int) -> Int {", nil), ("    package func == (a: A) {", nil),
    ])
    func `the rule reads declarations`(line: String, name: String?) {
        #expect(Self.packageName(line) == name)
    }

    /// Returns the name of a function or property with package access.
    ///
    /// Types are left out: a declaration that is used can have one whose name no other module mentions.
    private static func packageName(_ line: String) -> String? {
        guard line.mentions("package ") else { return nil }
        let words = line.split { $0 == " " }
        guard let first = words.firstIndex(of: "package"),
            words[..<first].allSatisfy({ $0.hasPrefix("@") || $0 == "final" || $0 == "override" })
        else { return nil }
        let rest = words[(first + 1)...]
        guard let kind = rest.firstIndex(where: { ["func", "var", "let"].contains($0) }),
            kind + 1 < words.endIndex,
            !rest[..<kind].contains(where: { $0 == "struct" || $0.hasPrefix("init") })
        else { return nil }
        let name = words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.isEmpty ? nil : String(name)
    }

    private static func words(_ file: SourceFile) -> Set<String> {
        var words: Set<String> = []
        for line in file.lines {
            let parts = line.utf8.split { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    false
                default: true
                }
            }
            for part in parts { words.insert(String(part) ?? "") }
        }
        return words
    }
}

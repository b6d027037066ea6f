import Testing

/// The folders of a module in layers; a folder uses only names of lower layers.
private struct LayerPlan {
    let module: String
    /// The folders of each layer, lowest layer first.
    let layers: [[String]]
    /// A type that only gives its name to those that other folders declare in it.
    var namespace = ""

    var files: [SourceFile] {
        module == "HTTPClient" ? SourceFile.ofClient : SourceFile.all(in: "Sources/\(module)")
    }
}

private let layerPlans = [
    // The three modules of the client have one plan: the checker compares names, and must know those of all layers.
    LayerPlan(
        module: "HTTPClient",
        // The exports of the two lower modules are in no folder.
        layers: [
            [""], ["Formats"], ["Model"], ["Policies"], ["Stores"], ["Settings"], ["Connection"],
            ["Reading"], ["Call"], ["Client"], ["Adapters"],
        ]
    ),
    LayerPlan(
        module: "SocketTransport",
        layers: [
            // Documentation without code.
            [""],
            ["System"], ["Certificates", "Files"], ["Errors"], ["Loop"], ["Socket"],
            ["Connect", "TLS"],
        ]
    ),
    LayerPlan(
        module: "Wire",
        layers: [
            // Documentation without code.
            [""],
            ["Vocabulary"], ["Rules"], ["Syntax"], ["International"], ["URI"], ["Fields"],
            ["Structured"], ["Head"], ["Framing"], ["Coding"],
            ["Exchange", "Streams"],
        ]
    ),
    LayerPlan(module: "HTTPClientTesting", layers: [["Stubs"], ["Cassettes"], ["Foundation"]]),
    LayerPlan(
        module: "HTTPTestServer",
        // The server itself is in no folder.
        layers: [["Certificates", "Message"], ["Routing"], ["Serving"], [""], ["Foundation"]],
        namespace: "HTTPTestServer"
    ),
]

@Suite struct LayerRuleTests {
    @Test(arguments: layerPlans.map(\.module))
    func `a folder uses only names of lower layers`(module: String) throws {
        let plan = try #require(layerPlans.first { $0.module == module })
        let map = ReferenceMap(files: plan.files.map { ReferenceMap.File($0) })
        let found = map.references().filter { !isDownward($0, in: plan) }
        #expect(found.map(\.description) == [])
    }

    @Test(arguments: layerPlans.map(\.module))
    func `every file is in a folder of the layer plan`(module: String) throws {
        let plan = try #require(layerPlans.first { $0.module == module })
        let known = Set(plan.layers.joined())
        let files = plan.files.map { ReferenceMap.File($0) }
        #expect(files.filter { !known.contains($0.folder) }.map(\.path) == [])
        #expect(known.subtracting(files.map(\.folder)).sorted() == [])
    }

    @Test(arguments: [
        ("struct Up {}", "let a = Up()", ["Low -> High: Up"]),
        ("struct Up {}", "func f(_ a: [Up]) {}", ["Low -> High: Up"]),
        ("struct Up {}", "// Up\nlet a = \"Up\"", []),
        ("struct Up {}", "/* Up */ let a = \"\"\"\nUp\n\"\"\"", []),
        ("struct Up {}", "let a = b.Up", []),
        ("private struct Up {}", "let a = Up()", []),
        ("private enum Kind { case up }\nextension Base {}", "let a = Kind.up", []),
        ("private let a = 1\nstruct Up {}", "let a = Up()", ["Low -> High: Up"]),
        ("@unchecked public final class Up {}", "extension Up {}", ["Low -> High: Up"]),
        ("func up() {}", "let a = up()", ["Low -> High: up"]),
        ("func up() {}", "let a = b.up()", []),
        ("let upper = 1", "let a = upper + 1", ["Low -> High: upper"]),
        ("extension Base { func up() {} }", "let a = base.up()", ["Low -> High: .up"]),
        ("extension Base { static let up = 1 }", "let a = Base.up", ["Low -> High: .up"]),
        ("extension Base { static let up = 1 }", "let a: Base = .up", ["Low -> High: .up"]),
        ("extension Base { var up: Int { 1 } }", "let a: Kind = .up", []),
        ("extension Base { private func up() {} }", "let a = base.up()", []),
        ("struct Up { func up() {} }", "let a = base.up()", []),
        ("extension Base { func both() {} }", "let a = base.both()", []),
        ("struct Up {}", "struct Other { struct Up {} }\nlet a = Up()", []),
        (
            "extension Base { static let up = 1 }",
            "struct Other { enum Kind { case up } }\nlet a: Kind = .up", []
        ),
        (
            "extension Base { static let up = 1 }",
            "struct Other { enum Kind { case up } }\nfunc a() { throw .up }", []
        ),
        (
            "extension Base { static let up = 1 }", "func a() { throw .up }",
            ["Low -> High: .up"]
        ),
    ])
    func `the checker finds upward references`(high: String, low: String, expected: [String]) {
        let map = ReferenceMap(files: [
            ReferenceMap.File(SourceFile(path: "Sources/A/High/One.swift", text: high)),
            ReferenceMap.File(SourceFile(path: "Sources/A/Low/Two.swift", text: low)),
            ReferenceMap.File(
                SourceFile(path: "Sources/A/Low/Base.swift", text: "struct Base { func both() {} }")
            ),
        ])
        let plan = LayerPlan(module: "A", layers: [["Low"], ["High"]])
        let found = map.references().filter { !isDownward($0, in: plan) }
        #expect(found.map(\.summary) == expected)
    }

    @Test(arguments: [
        ("One", "Two", false), ("Two", "One", true), ("Two", "Beside", false),
        ("Beside", "One", true),
        ("Three", "Beside", true), ("One", "Elsewhere", false),
    ])
    func `folders of one layer do not use names of each other`(
        from: String,
        to: String,
        isDownward: Bool
    ) {
        let plan = LayerPlan(
            module: "A",
            layers: [["One"], ["Two", "Beside"], ["Three"]]
        )
        let reference = ReferenceMap.Reference(from: from, to: to, name: "A", path: "")
        #expect(self.isDownward(reference, in: plan) == isDownward)
    }

    private func isDownward(_ reference: ReferenceMap.Reference, in plan: LayerPlan) -> Bool {
        guard let from = plan.layers.firstIndex(where: { $0.contains(reference.from) }),
            let to = plan.layers.firstIndex(where: { $0.contains(reference.to) })
        else { return false }
        return to < from || reference.name == plan.namespace
    }
}

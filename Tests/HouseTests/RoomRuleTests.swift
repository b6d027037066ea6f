import Testing

/// The rooms (folders) of a module, from lowest to highest; a room uses only names of rooms below it.
private struct FloorPlan {
    let module: String
    /// The folders of the module, lowest first; those of one line are on the same level.
    let floors: [[String]]
    /// Upward references that remain to be removed: `From -> To: name`.
    let exceptions: Set<String>
}

private let floorPlans = [
    FloorPlan(
        module: "HTTPClient",
        floors: [
            ["Formats"], ["Model"], ["Policies"], ["Settings"], ["Connection"],
            ["Call", "Reports"],
            ["Client"], ["Adapters"],
        ],
        exceptions: [
            "Model -> Policies: ProxyResolver"
        ]
    )
]

@Suite struct RoomRuleTests {
    @Test(arguments: ["HTTPClient"])
    func `a room names only rooms below it`(module: String) throws {
        let plan = try #require(floorPlans.first { $0.module == module })
        let files = SourceFile.all(in: "Sources/\(module)")
        let map = RoomMap(files: files.map { RoomMap.File($0) })
        let found = map.references().filter { !isDownward($0, in: plan) }
        #expect(found.filter { !plan.exceptions.contains($0.summary) }.map(\.description) == [])
        // An exception that is no longer needed would permit a new reference.
        #expect(plan.exceptions.subtracting(found.map(\.summary)).sorted() == [])
    }

    @Test(arguments: ["HTTPClient"])
    func `every file is in a room of the floor plan`(module: String) throws {
        let plan = try #require(floorPlans.first { $0.module == module })
        let known = Set(plan.floors.joined())
        let files = SourceFile.all(in: "Sources/\(module)").map { RoomMap.File($0) }
        #expect(files.filter { !known.contains($0.room) }.map(\.path) == [])
        #expect(known.subtracting(files.map(\.room)).sorted() == [])
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
    ])
    func `the checker finds references that point up`(high: String, low: String, expected: [String])
    {
        let map = RoomMap(files: [
            RoomMap.File(SourceFile(path: "Sources/A/High/One.swift", text: high)),
            RoomMap.File(SourceFile(path: "Sources/A/Low/Two.swift", text: low)),
            RoomMap.File(
                SourceFile(path: "Sources/A/Low/Base.swift", text: "struct Base { func both() {} }")
            ),
        ])
        let plan = FloorPlan(module: "A", floors: [["Low"], ["High"]], exceptions: [])
        let found = map.references().filter { !isDownward($0, in: plan) }
        #expect(found.map(\.summary) == expected)
    }

    @Test(arguments: [
        ("One", "Two", false), ("Two", "One", true), ("Two", "Beside", false),
        ("Beside", "One", true),
        ("Three", "Beside", true), ("One", "Elsewhere", false),
    ])
    func `rooms on one floor do not name each other`(from: String, to: String, isDownward: Bool) {
        let plan = FloorPlan(
            module: "A",
            floors: [["One"], ["Two", "Beside"], ["Three"]],
            exceptions: []
        )
        let reference = RoomMap.Reference(from: from, to: to, name: "A", path: "")
        #expect(self.isDownward(reference, in: plan) == isDownward)
    }

    private func isDownward(_ reference: RoomMap.Reference, in plan: FloorPlan) -> Bool {
        guard let from = plan.floors.firstIndex(where: { $0.contains(reference.from) }),
            let to = plan.floors.firstIndex(where: { $0.contains(reference.to) })
        else { return false }
        return to < from
    }
}

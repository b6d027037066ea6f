import Testing
import Wire

@Suite struct EntityTagTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("\"xyzzy\"", "xyzzy", .strong), ("W/\"xyzzy\"", "xyzzy", .weak), ("\"\"", "", .strong),
            ("W/\"\"", "", .weak), ("\"a,b\\\"", "a,b\\", .strong),
            ("\"\u{e9}\"", "\u{e9}", .strong),
        ] as [(String, String, EntityTag.Strength)]
    )
    func `§8.8.3: entity tags are parsed and formatted`(
        text: String,
        opaque: String,
        strength: EntityTag.Strength
    ) {
        #expect(EntityTag(text) == EntityTag(opaque: opaque, strength))
        #expect(EntityTag(text)?.description == text)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            "", "\"", "xyzzy", "w/\"x\"", "W/", "W/x", "W \"x\"", "\"x", "x\"", "\"x\"\"",
            "\"a b\"",
            " \"x\"", "\"x\" ", "\"\0\"", "\"\u{7f}\"", "\"x\",\"y\"", "*", "W/W/\"x\"",
        ]
    )
    func `§8.8.3: malformed entity tags are rejected`(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
            // Canonically equivalent in Unicode, but different bytes.
            ("\"\u{e9}\"", "\"e\u{301}\"", false, false),
        ]
    )
    func `§8.8.3.2: strong and weak comparison follow the table`(
        one: String,
        two: String,
        strong: Bool,
        weak: Bool
    ) {
        let (left, right) = (EntityTag(one)!, EntityTag(two)!)
        #expect(left.matches(right, by: .strong) == strong)
        #expect(left.matches(right, by: .weak) == weak)
        #expect(right.matches(left, by: .strong) == strong)
        let isOne = one.utf8.elementsEqual(two.utf8)
        #expect(Set([left, right]).count == (isOne ? 1 : 2))
    }

    @Test func `an entity tag with invalid characters cannot be built`() {
        #expect(EntityTag(opaque: "a\"") == nil && EntityTag(opaque: "a\r\n") == nil)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("*", "*"), (" * ", "*"), ("\"a\"", "\"a\""), ("\"a\",W/\"b\"", "\"a\", W/\"b\""),
            (", ,\"a\" ,,\t\"b,c\",", "\"a\", \"b,c\""),
        ]
    )
    func `§13.1.1: conditions are lists of tags or an asterisk`(text: String, formatted: String) {
        let condition = EntityTag.Condition(text)
        #expect(condition?.description == formatted)
        #expect(EntityTag.Condition(formatted) == condition)
    }

    @Test(arguments: [
        "", ",", " , ,", "*, \"a\"", "**", "\"a\" \"b\"", "\"a\"\"b\"", "\"a\", b", "\"a\", *",
        "\"a",
        "\"a\",\0",
    ])
    func `§13.1.1: malformed conditions are rejected`(text: String) {
        #expect(EntityTag.Condition(text) == nil)
    }

    @Test func `§13.1: conditions match the current tag`() {
        let list = EntityTag.Condition("\"a\", W/\"b\"")!
        #expect(list.matches(EntityTag(opaque: "b"), by: .weak))
        #expect(!list.matches(EntityTag(opaque: "b"), by: .strong))
        #expect(list.matches(EntityTag(opaque: "a"), by: .strong))
        #expect(!list.matches(nil, by: .weak))
        #expect(EntityTag.Condition.any.matches(nil, by: .strong))
    }
}

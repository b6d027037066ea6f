import Testing
import Wire

@Suite struct StructuredDictionaryTests {
    @Test(
        arguments: [
            ("", []),
            ("  ", []),
            ("a=1", [.init(key: "a", value: .integer(1))]),
            ("a=-15", [.init(key: "a", value: .integer(-15))]),
            ("a=999999999999999", [.init(key: "a", value: .integer(999_999_999_999_999))]),
            ("a=:YWJj:", [.init(key: "a", value: .bytes(Array("abc".utf8)))]),
            ("a=::", [.init(key: "a", value: .bytes([]))]),
            ("a=:YQ==:", [.init(key: "a", value: .bytes(Array("a".utf8)))]),
            ("a=:YQ:", [.init(key: "a", value: .bytes(Array("a".utf8)))]),
            ("a=:YR==:", [.init(key: "a", value: .bytes(Array("a".utf8)))]),
            (
                "sha-256=:YWI=:, b=2",
                [
                    .init(key: "sha-256", value: .bytes(Array("ab".utf8))),
                    .init(key: "b", value: .integer(2)),
                ]
            ),
            (
                "a=1 \t,\t b=2",
                [.init(key: "a", value: .integer(1)), .init(key: "b", value: .integer(2))]
            ),
            ("a=1,a=2", [.init(key: "a", value: .integer(2))]),
            ("*_-.9", [.init(key: "*_-.9", value: .other)]),
            (
                "a;b;c=1;d=?0, e=3",
                [.init(key: "a", value: .other), .init(key: "e", value: .integer(3))]
            ),
            ("a=1; b=\"x\\\"y\"", [.init(key: "a", value: .integer(1))]),
            ("a=1.5", [.init(key: "a", value: .other)]),
            ("a=-123456789012.123", [.init(key: "a", value: .other)]),
            ("a=\"x, y\"", [.init(key: "a", value: .other)]),
            ("a=tok:en/1", [.init(key: "a", value: .other)]),
            ("a=*x", [.init(key: "a", value: .other)]),
            ("a=?1", [.init(key: "a", value: .other)]),
            ("a=@1659578233", [.init(key: "a", value: .other)]),
            ("a=%\"f%c3%bc\"", [.init(key: "a", value: .other)]),
            ("a=( 1 :YQ==:;q=1  \"b\" );x", [.init(key: "a", value: .other)]),
            ("a=()", [.init(key: "a", value: .other)]),
        ] as [(String, [StructuredDictionary.Member])]
    )
    func `RFC 9651 §4.2.2: dictionaries are parsed`(
        text: String,
        members: [StructuredDictionary.Member]
    ) {
        #expect(StructuredDictionary(text)?.members == members)
    }

    @Test(arguments: [
        "a=", "=1", "A=1", "1=1", "a=1,", "a=1 b=2", "a=1,,b=2", ",a=1", "\ta=1", "a =1", "a= 1",
        "a=1 ;b", "a;", "a;B", "a;b=", "a=1000000000000000", "a=--1", "a=-", "a=1.", "a=1.1234",
        "a=1234567890123.1", "a=.5", "a=:YWJj", "a=:Y:", "a=:Y===:", "a=:Y=Q=:", "a=:YQ=:",
        "a=:YW Jj:", "a=:YW_-:", "a=:Y\u{e4}:", "a=\"x", "a=\"\\x\"", "a=\"\u{e4}\"", "a=\"\t\"",
        "a=?2", "a=?", "a=@1.5", "a=@", "a=%\"%C3\"", "a=%\"%c3\"", "a=%\"%c\"", "a=%\"x", "a=%x",
        "a=(1",
        "a=(1\t2)", "a=(1\"b\")", "a=(,)", "a=((1))", "a=\0", "a=1\u{0}", "\u{661}",
    ])
    func `malformed dictionaries are rejected`(text: String) {
        #expect(StructuredDictionary(text) == nil)
    }

    @Test(arguments: [
        ("a=1,  b=:YQ:", "a=1, b=:YQ==:"), ("a;x=1", "a"), ("a=-0", "a=0"), ("", ""),
        ("a=:AAECAwQFBgcICQ==:", "a=:AAECAwQFBgcICQ==:"), ("a=:/+8=:", "a=:/+8=:"),
    ])
    func `dictionaries are formatted in the canonical form`(text: String, formatted: String) {
        #expect(StructuredDictionary(text)?.description == formatted)
    }

    @Test func `a value is found by its key`() {
        let dictionary = StructuredDictionary("a=1, b=2")
        #expect(dictionary?["b"] == .integer(2))
        #expect(dictionary?["c"] == nil)
    }

    @Test func `byte sequences of every length survive a round trip`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
            let text = StructuredDictionary([.init(key: "a", value: .bytes(bytes))]).description
            #expect(StructuredDictionary(text)?["a"] == .bytes(bytes))
        }
    }
}

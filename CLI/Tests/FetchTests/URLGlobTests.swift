import Testing
import fetch

@Suite struct URLGlobTests {
    @Test(
        arguments: [
            ("a", ["a"]), ("", [""]), ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]),
            ("[1-2]{x,y}[a-b]", ["1xa", "1xb", "1ya", "1yb", "2xa", "2xb", "2ya", "2yb"]),
            ("[01-10:4]", ["01", "05", "09"]), ("[9-10]", ["9", "10"]),
            ("[00-02]", ["00", "01", "02"]),
            ("[008-010]", ["008", "009", "010"]), ("[0-0]", ["0"]), ("[1- 3]", ["1", "2", "3"]),
            ("[a-e:2]", ["a", "c", "e"]), ("[a-a]", ["a"]), ("[Y-Z]", ["Y", "Z"]),
            ("{a,b,}", ["a", "b", ""]), ("{,}", ["", ""]), ("{\u{E9},b}", ["\u{E9}", "b"]),
            ("\\{a\\}\\[1\\]", ["{a}[1]"]), ("{a\\,b,c\\}}", ["a,b", "c}"]), ("\\x\\", ["\\x\\"]),
            ("[]", ["[]"]), ("http://[::1]:80/{a,b}", ["http://[::1]:80/a", "http://[::1]:80/b"]),
            ("[::ffff:1.2.3.4][1-2]", ["[::ffff:1.2.3.4]1", "[::ffff:1.2.3.4]2"]),
            ("[fe80::1%25eth0]/[1-1]", ["[fe80::1%25eth0]/1"]),
        ] as [(String, [String])]
    )
    func `the last list or range of a glob changes fastest`(
        glob: String,
        urls: [String]
    ) throws {
        #expect(try URLGlob(glob).map(\.url) == urls)
    }

    @Test func `a literal glob is one URL`() {
        #expect(URLGlob(literal: "{a,b}[1-2]").map(\.url) == ["{a,b}[1-2]"])
    }

    @Test(
        arguments: [
            ("{a", "unmatched brace", 1), ("x{a,b", "unmatched brace", 2),
            ("{}", "empty string within braces", 2), ("{a,{b}}", "nested brace", 4),
            ("{a,[1-2]}", "nested brace", 4), ("{a]", "unexpected close bracket", 3),
            ("]", "unmatched close brace/bracket", 1), ("a}", "unmatched close brace/bracket", 2),
            ("[?]", "bad range specification", 2), ("[+1-2]", "bad range specification", 2),
            ("[", "bad range specification", 2), ("[1-]", "bad range", 4), ("[1", "bad range", 2),
            ("[1-2", "bad range", 4), ("[1 - 3]", "bad range", 2), ("[1:2]", "bad range", 2),
            ("[5-1]", "bad range", 6), ("[1-3:5]", "bad range", 8), ("[1-3:0]", "bad range", 8),
            ("[0-0:2]", "bad range", 8), ("[1-3:1x]", "bad range", 6), ("[x]", "bad range", 2),
            ("[a-c:]", "bad range", 2), ("[a-c:0]", "bad range", 8), ("[a-Z]", "bad range", 6),
            ("[A-z:30]", "bad range", 9), ("[a-]x", "bad range", 2), ("[a-]]", "bad range", 6),
            ("[0-99999999999999999999]", "bad range", 4),
            ("[0-18446744073709551615]", "range overflow", 25),
            ("[0-9223372036854775806][0-99]", "range overflow", 30),
            (String(repeating: "[1-1]", count: 100), "too many globs", 501),
        ] as [(String, String, Int)]
    )
    func `a glob error has a position`(glob: String, reason: String, place: Int) {
        let failure = #expect(throws: FetchError.self) { try URLGlob(glob) }
        let mark = String(repeating: " ", count: place - 1) + "^"
        #expect(failure?.code == .malformedURL)
        #expect(failure?.message == "\(reason) in URL position \(place):\n\(glob)\n\(mark)")
    }

    @Test func `the mark of a glob error is below its byte when the URL is escaped`() {
        let failure = #expect(throws: FetchError.self) { try URLGlob("\u{1B}a\nü[x]") }
        #expect(
            failure?.message == #"""
                bad range in URL position 7:
                \u{1B}a\nü[x]
                           ^
                """#
        )
    }

    @Test func `a very long range is expanded one URL at a time`() throws {
        let glob = try URLGlob("a[0-9223372036854775805]")
        #expect(glob.prefix(2).map(\.url) == ["a0", "a1"])
        #expect(try URLGlob("[18446744073709551614-18446744073709551615]").map(\.url).count == 2)
    }

    @Test(
        arguments: [
            ("f_#1_#2", "f_b_07"), ("#2#1", "07b"), ("#3_#0_#_##1_#x", "#3_#0_#_#b_#x"),
            ("#01", "b"), ("plain", "plain"), ("#99999999999999999999", "#99999999999999999999"),
        ] as [(String, String)]
    )
    func `numbers in a name become glob values`(name: String, filled: String) throws {
        let matches = try Array(URLGlob("http://a/{a,b}/[06-07]"))
        #expect(matches.last?.filled(name) == filled)
    }

    @Test func `a file name for a URL without globs is kept`() throws {
        #expect(try URLGlob("http://a/").map { $0.filled("#1") } == ["#1"])
    }
}

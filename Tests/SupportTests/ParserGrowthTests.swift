import Support
import Testing

@Suite struct ParserGrowthTests {
    @Test func `a parser that begins again at each byte is found`() {
        let parser = ParserGrowth("quadratic", ["…", "x…"], of: ["a", ","]) { text in
            let bytes = Array(text.utf8)
            for start in bytes.indices where bytes[start] == UInt8(ascii: "a") {
                _ = bytes[start...].firstIndex(of: UInt8(ascii: "b"))
            }
        }
        #expect(parser.superlinearTexts(shortLength: 64, minRounds: 10).count == 2)
    }

    @Test func `a search in a growing list is found`() {
        let parser = ParserGrowth("names", of: ["a{n},", "a,"]) { text in
            var names: [Substring] = []
            for name in text.split(separator: ",") where !names.contains(name) {
                names.append(name)
            }
        }
        // Short lists take most of their time for other things.
        let found = parser.superlinearTexts(shortLength: 1024, minRounds: 10)
        #expect(found.count == 1 && found[0].contains("{n}"), "\(found)")
    }

    @Test func `a parser that reads each byte once is linear`() {
        let parser = ParserGrowth("linear") { text in _ = text.split(separator: ",").count }
        #expect(parser.superlinearTexts(shortLength: 256) == [])
    }

    @Test func `a family of texts has the wanted length, and numbers its pieces`() {
        #expect(HostileText("<…>", of: "ab").text(7) == "<ababab>")
        #expect(HostileText("…;", of: "a{n},").text(8) == "a0,a1,a2,;")
    }
}

import Testing
import Wire

@Suite struct PercentCodingTests {
    @Test(.tags(.rfc3986)) func `all but unreserved octets become triplets`() {
        #expect(PercentCoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentCoding.encode(" /%\u{e9}\n") == "%20%2F%25%C3%A9%0A")
    }

    @Test(arguments: [
        ("a%20b", "a b"), ("%41%e9", "A\u{e9}"), ("%", "%"), ("%4", "%4"), ("%%41", "%A"),
    ])
    func `valid triplets become octets`(text: String, octets: String) {
        #expect(PercentCoding.decode(text) == octets.unicodeScalars.map { UInt8($0.value) })
    }
}

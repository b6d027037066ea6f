import Testing
import Wire

@Suite struct PercentCodingTests {
    @Test(.tags(.rfc3986)) func `all bytes except unreserved ones are percent-encoded`() {
        #expect(PercentCoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentCoding.encode(" /%\u{e9}\n") == "%20%2F%25%C3%A9%0A")
    }

    @Test(arguments: [
        ("a%20b", "a b"), ("%41%e9", "A\u{e9}"), ("%", "%"), ("%4", "%4"), ("%%41", "%A"),
    ])
    func `valid percent-encoded triplets are decoded`(text: String, bytes: String) {
        #expect(PercentCoding.decode(text) == bytes.unicodeScalars.map { UInt8($0.value) })
    }

    @Test(.tags(.rfc3986)) func `§2.1: every byte has one triplet, decoded in either case`() {
        let unreserved = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8
        )
        #expect(unreserved.count == 66)
        for byte in UInt8.min...UInt8.max {
            let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16)
            #expect(PercentCoding.decode("%\(digits)") == [byte])
            #expect(PercentCoding.decode("%\(digits.uppercased())") == [byte])
            guard byte < 0x80 else { continue }
            let coded = unreserved.contains(byte) ? [byte] : Array("%\(digits.uppercased())".utf8)
            #expect(Array(PercentCoding.encode(String(UnicodeScalar(byte))).utf8) == coded)
        }
    }

    @Test(
        .tags(.rfc3986),
        arguments: [
            // RFC 3986 §2.5, RFC 8187 §3.2.3, RFC 3629 §7.
            ("A", "A"), ("\u{c0}", "%C3%80"), ("\u{30a2}", "%E3%82%A2"),
            ("\u{a3} rates", "%C2%A3%20rates"),
            ("\u{a3} and \u{20ac} rates", "%C2%A3%20and%20%E2%82%AC%20rates"),
            ("A\u{2262}\u{391}.", "A%E2%89%A2%CE%91."), ("\u{233b4}", "%F0%A3%8E%B4"),
            // The reserved characters of §2.2.
            (":/?#[]@", "%3A%2F%3F%23%5B%5D%40"),
            ("!$&'()*+,;=", "%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        ]
    )
    func `the examples of the standards are encoded and decoded`(text: String, coded: String) {
        #expect(PercentCoding.encode(text) == coded)
        #expect(PercentCoding.decode(coded) == Array(text.utf8))
    }
}

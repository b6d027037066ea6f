import Glibc
import Support
import Testing
import Wire

@Suite struct IPv4SyntaxTests {
    private func number(_ text: String) -> UInt32? { IPv4Syntax.number(text.utf8.span) }

    private func isCanonical(_ text: String) -> Bool { IPv4Syntax.isCanonical(text.utf8.span) }

    /// The C library decides which hosts getaddrinfo(3) connects to without a look-up.
    @Test func `a text is an address exactly when the C library reads one`() {
        var source = SeededGenerator(seed: 4)
        let pieces = [
            "0", "1", "7", "8", "9", "255", "256", "65535", "16777216", ".", ".", ".", "0x", "f",
            "A",
        ]
        var addresses = 0
        for _ in 0..<50_000 {
            let text = (0..<Int.random(in: 1...9, using: &source))
                .map { _ in pieces.randomElement(using: &source) ?? "" }.joined()
            // A trailing dot is allowed here only.
            if text.last == "." { continue }
            var address = in_addr()
            // SAFETY: both arguments outlive the call.
            let isAddress = unsafe inet_aton(text, &address) != 0
            let expected = isAddress ? UInt32(bigEndian: address.s_addr) : nil
            addresses += isAddress ? 1 : 0
            guard number(text) == expected else {
                Issue.record("\(text) is not read as the C library does")
                return
            }
        }
        #expect(addresses > 1_000)
    }

    @Test(arguments: [
        "", ".", "..", " 1", "1 ", "+1", "-1", "1.", "1..", "0x.1", "1.2.3.4.", "::1",
    ])
    func `signs, spaces and empty numbers are no address, and one trailing dot is allowed`(
        text: String
    ) {
        let expected: UInt32? =
            switch text {
            case "1.": 1
            case "1.2.3.4.": 0x0102_0304
            default: nil
            }
        #expect(number(text) == expected)
    }

    @Test func `four decimal numbers are the canonical text`() {
        for text in ["0.0.0.0", "127.0.0.1", "255.255.255.255"] {
            #expect(isCanonical(text))
        }
        for text in ["127.0.0.01", "127.1", "127.0.0.1.", "256.0.0.1", "1.2.3.4.5", "", "a.b.c.d"] {
            #expect(!isCanonical(text))
        }
    }
}

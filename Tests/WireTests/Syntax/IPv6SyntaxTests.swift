import Testing
import Wire

@Suite struct IPv6SyntaxTests {
    @Test(
        .tags(.rfc3986),
        arguments: [
            "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4", "1::8",
            "fe80::AbCd", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "::ffff:255.255.255.255",
        ]
    )
    func `a valid IPv6 address is accepted`(text: String) {
        let isAddress = IPv6Syntax.isAddress(text.utf8.span)
        #expect(isAddress)
    }

    @Test(
        .tags(.rfc3986),
        arguments: [
            "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::",
            ":1::", "1::2:", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3", "::1.2.3.4.5", "::256.1.1.1",
            "::01.2.3.4", "::1.2.3.4:5", "1.2.3.4", "::1%25a", "1:2:3:4:5:6:7:8::", "::.1.2.3",
            "::+1",
        ]
    )
    func `an invalid IPv6 address is rejected`(text: String) {
        let isAddress = IPv6Syntax.isAddress(text.utf8.span)
        #expect(!isAddress)
    }
}

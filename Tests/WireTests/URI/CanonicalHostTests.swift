import Testing
import Wire

@Suite struct CanonicalHostTests {
    @Test(arguments: [
        ("Example.COM", "example.com"), ("example.com.", "example.com."), ("", ""),
        ("[::1]", "::1"), ("0:0::1", "::1"), ("::0001", "::1"), ("0:0:0:0:0:0:0:1", "::1"),
        ("::", "::"), ("0::", "::"), ("1::", "1::"), ("1:0:0:0:0:0:0:0", "1::"),
        ("2001:DB8::A", "2001:db8::a"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::ffff:7f00:1", "::ffff:127.0.0.1"), ("::FFFF:127.0.0.1", "::ffff:127.0.0.1"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("::127.0.0.1", "::7f00:1"),
        ("127.0.0.1", "127.0.0.1"), ("127.1", "127.1"), ("a:b", "a:b"), ("[v1.x]", "v1.x"),
        ("[[a]]", "[[a]]"), ("[a", "[a"), ("[]", ""),
        ("fe80::1%1", "fe80::1%1"), ("fe80::1%25eth0", "fe80::1%25eth0"),
        ("%45xample.com", "example.com"), ("a%2Fb", "a%2fb"), ("a%zz", "a%zz"),
    ])
    func `a host has one canonical spelling`(text: String, canonical: String) {
        #expect(CanonicalHost.text(text) == canonical)
        #expect(CanonicalHost.text(canonical) == canonical)
        #expect(Origin(scheme: .https, host: text).host == canonical)
    }
}

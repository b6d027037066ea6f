import HTTPClient
import Testing

@Suite struct ProxyExceptionsTests {
    @Test(
        arguments: [
            // Names and their subdomains.
            ("example.com", "http://example.com/", true),
            ("example.com", "http://EXAMPLE.com/", true),
            ("Example.COM", "http://www.example.com/", true),
            ("example.com", "http://notexample.com/", false),
            ("example.com", "http://example.com.evil.test/", false),
            ("example.com", "http://com/", false),
            (".example.com", "http://example.com/", true),
            (".example.com", "http://a.b.example.com/", true),
            (".example.com", "http://notexample.com/", false),
            ("*.example.com", "http://a.example.com/", true),
            ("*.example.com", "http://notexample.com/", false),
            ("example.com.", "http://example.com/", true),
            ("example.com", "http://example.com./", true),
            ("*xample.com", "http://example.com/", false),
            // All hosts and no host.
            ("*", "https://example.com/", true),
            ("a.test, *", "https://example.com/", true),
            ("", "http://example.com/", false),
            (" , ,", "http://example.com/", false),
            (".", "http://example.com/", false),
            // Lists.
            ("a.test,b.test", "http://b.test/", true),
            ("a.test b.test", "http://b.test/", true),
            ("a.test ,\tb.test", "http://b.test/", true),
            ("a.test;b.test", "http://b.test/", false),
            // Ports.
            ("example.com:8080", "http://example.com:8080/", true),
            ("example.com:8080", "http://www.example.com:8080/", true),
            ("example.com:8080", "http://example.com/", false),
            ("example.com:80", "http://example.com/", true),
            ("example.com:443", "https://example.com/", true),
            ("*:8080", "http://example.com:8080/", true),
            ("*:8080", "http://example.com:8081/", false),
            ("example.com:", "http://example.com/", false),
            ("example.com:+80", "http://example.com/", false),
            ("example.com:99999", "http://example.com/", false),
            ("192.0.2.1:81", "http://192.0.2.1:81/", true),
            ("192.0.2.0/24:81", "http://192.0.2.9:81/", true),
            ("192.0.2.0/24:81", "http://192.0.2.9:82/", false),
            ("[2001:db8::1]:81", "http://[2001:db8::1]:81/", true),
            ("[2001:db8::1]:81", "http://[2001:db8::1]:82/", false),
            // Addresses in every spelling.
            ("192.0.2.1", "http://192.0.2.1/", true),
            ("192.0.2.1", "http://192.0.2.10/", false),
            ("2.1", "http://192.0.2.1/", false),
            ("127.0.0.0/8", "http://127.1/", true),
            ("127.0.0.1", "http://0x7f.0.0.1/", true),
            ("127.0.0.1", "http://2130706433/", true),
            ("127.1", "http://127.0.0.1/", true),
            ("0177.1:81", "http://127.0.0.1:81/", true),
            ("2001:db8::1", "http://[2001:0DB8:0::0001]/", true),
            ("[2001:db8::1]", "http://[2001:db8::1]/", true),
            ("2001:db8::1", "http://[2001:db8::2]/", false),
            ("::ffff:192.0.2.1", "http://192.0.2.1/", true),
            ("192.0.2.1", "http://[::ffff:192.0.2.1]/", true),
            // Networks.
            ("192.0.2.0/24", "http://192.0.2.200/", true),
            ("192.0.2.0/24", "http://192.0.3.1/", false),
            ("192.0.2.77/24", "http://192.0.2.200/", true),
            ("192.0.2.128/25", "http://192.0.2.127/", false),
            ("192.0.2.128/25", "http://192.0.2.128/", true),
            ("10.0.0.0/8", "http://10.255.255.255/", true),
            ("10.0.0.0/8", "http://[::ffff:10.1.2.3]/", true),
            ("::ffff:10.0.0.0/104", "http://10.1.2.3/", true),
            ("0.0.0.0/0", "http://203.0.113.1/", true),
            ("0.0.0.0/0", "http://[2001:db8::1]/", false),
            ("0.0.0.0/0", "http://example.com/", false),
            ("192.0.2.1/32", "http://192.0.2.1/", true),
            ("192.0.2.1/32", "http://192.0.2.2/", false),
            ("192.0.2.0/33", "http://192.0.2.1/", false),
            ("192.0.2.0/-1", "http://192.0.2.1/", false),
            ("192.0.2.0/", "http://192.0.2.1/", false),
            ("2001:db8::/32", "http://[2001:db8:ffff::1]/", true),
            ("2001:db8::/32", "http://[2001:db9::1]/", false),
            ("2001:db8::/33", "http://[2001:db8:8000::1]/", false),
            ("[2001:db8::]/32", "http://[2001:db8::1]/", true),
            ("2001:db8::/129", "http://[2001:db8::1]/", false),
            // Loopback addresses are not exempt by default.
            ("example.com", "http://localhost/", false),
            ("example.com", "http://127.0.0.1/", false),
            ("localhost,127.0.0.0/8,::1", "http://[::1]/", true),
        ] as [(String, String, Bool)]
    )
    func `an exception list matches origins`(list: String, url: String, isNamed: Bool) throws {
        let origin = try #require(try URI(url).origin)
        #expect(HTTPProxy.Exceptions(list).contains(origin) == isNamed)
    }

    @Test func `a string literal is an exception list`() {
        let exceptions: HTTPProxy.Exceptions = "a.test"
        #expect(exceptions == HTTPProxy.Exceptions("a.test"))
        #expect(!exceptions.isEmpty)
        #expect(HTTPProxy.Exceptions("").isEmpty)
    }
}

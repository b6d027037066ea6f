import HTTPClient
import Testing

@Suite struct ProxyEnvironmentTests {
    @Test(
        arguments: [
            (["http_proxy": "http://p:1"], "http://a/", "http://p:1"),
            (["http_proxy": "http://p:1"], "https://a/", nil),
            (["https_proxy": "http://p:1"], "https://a/", "http://p:1"),
            (["HTTPS_PROXY": "http://p:1"], "https://a/", "http://p:1"),
            (
                ["https_proxy": "http://p:1", "HTTPS_PROXY": "http://q:2"], "https://a/",
                "http://p:1"
            ),
            (["https_proxy": "", "HTTPS_PROXY": "http://q:2"], "https://a/", "http://q:2"),
            // A web server sets HTTP_PROXY from a client's Proxy field (httpoxy), so it is ignored.
            (["HTTP_PROXY": "http://evil:1"], "http://a/", nil),
            (["HTTP_PROXY": "http://evil:1", "all_proxy": "p"], "http://a/", "http://p:1080"),
            (["all_proxy": "socks5://p"], "http://a/", "socks5://p:1080"),
            (["ALL_PROXY": "socks5h://p"], "https://a/", "socks5h://p:1080"),
            (["all_proxy": "p:1", "http_proxy": "q:2"], "http://a/", "http://q:2"),
            (["all_proxy": "p:1", "http_proxy": "q:2"], "https://a/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "a"], "http://a/", nil),
            (["all_proxy": "p:1", "NO_PROXY": "a"], "http://a/", nil),
            (["all_proxy": "p:1", "no_proxy": "b", "NO_PROXY": "a"], "http://a/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "*"], "http://127.0.0.1/", nil),
            // Loopback hosts are exempt, in every spelling.
            (["all_proxy": "p:1"], "http://localhost/", nil),
            (["all_proxy": "p:1"], "https://LOCALHOST.:8443/", nil),
            (["all_proxy": "p:1", "no_proxy": "b"], "http://app.localhost/", nil),
            (["http_proxy": "p:1"], "http://127.0.0.1:8080/", nil),
            (["http_proxy": "p:1"], "http://127.255.0.9/", nil),
            (["http_proxy": "p:1"], "http://2130706433/", nil),
            (["https_proxy": "p:1"], "https://[::1]/", nil),
            (["https_proxy": "p:1"], "https://[::ffff:127.0.0.1]/", nil),
            (["all_proxy": "p:1"], "http://notlocalhost/", "http://p:1"),
            (["all_proxy": "p:1"], "http://localhost.example/", "http://p:1"),
            (["all_proxy": "p:1"], "http://128.0.0.1/", "http://p:1"),
            (["all_proxy": "p:1"], "http://[::2]/", "http://p:1"),
            (["http_proxy": ""], "http://a/", nil),
            ([:], "http://a/", nil),
        ] as [([String: String], String, String?)]
    )
    func `environment variables determine the proxy`(
        variables: [String: String],
        url: String,
        expected: String?
    ) throws {
        let rules = ProxyEnvironment { variables[$0] }
        let origin = try #require(try URI(url).origin)
        #expect(try rules.proxy(for: origin)?.description == expected)
    }

    @Test func `an invalid proxy variable fails only the requests that would use it`() throws {
        let rules = ProxyEnvironment { ["http_proxy": "ftp://p", "no_proxy": "b"][$0] }
        let used = try #require(try URI("http://a/").origin)
        #expect(throws: HTTPProxy.ConfigurationError.unsupportedScheme("ftp")) {
            try rules.proxy(for: used)
        }
        let other = try #require(try URI("https://a/").origin)
        #expect(try rules.proxy(for: other) == nil)
        let excepted = try #require(try URI("http://b/").origin)
        #expect(try rules.proxy(for: excepted) == nil)
    }
}

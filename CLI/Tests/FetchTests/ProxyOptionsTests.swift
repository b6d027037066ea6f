import HTTPClient
import Testing
import fetch

@Suite struct ProxyOptionsTests {
    /// Returns the proxy for a URL, with the password if there is one; "-" for none.
    private func proxy(
        _ choice: ProxyOptions,
        _ variables: [String: String] = [:],
        for url: String = "http://site.example/"
    ) throws -> String {
        let setting = try choice.setting { variables[$0] }
        let origin = try #require(try URI(url).origin)
        let proxy: HTTPProxy?
        switch setting {
        case .proxy(let one, let exceptions): proxy = exceptions.contains(origin) ? nil : one
        case .custom(let choose): proxy = choose(origin)
        default: proxy = nil
        }
        guard let proxy else { return "-" }
        guard let user = proxy.credentials else { return "\(proxy)" }
        return "\(proxy) \(user):\(String(decoding: user.password, as: UTF8.self))"
    }

    private func choice(_ change: (inout ProxyOptions) -> Void) -> ProxyOptions {
        var choice = ProxyOptions()
        change(&choice)
        return choice
    }

    @Test func `a proxy option takes precedence over the environment`() throws {
        let environment = ["http_proxy": "http://env:1"]
        #expect(try proxy(choice { $0.proxy = "p:2" }, environment) == "http://p:2")
        #expect(try proxy(choice { $0.proxy = "" }, environment) == "-")
        #expect(try proxy(ProxyOptions(), environment) == "http://env:1")
        #expect(try proxy(ProxyOptions(), environment, for: "https://site.example/") == "-")
        #expect(try proxy(ProxyOptions(), ["HTTP_PROXY": "http://evil:1"]) == "-")
        #expect(try proxy(ProxyOptions(), ["ALL_PROXY": "socks5://p"]) == "socks5://p:1080")
    }

    @Test func `the option --noproxy takes precedence over the environment`() throws {
        let environment = ["no_proxy": "site.example"]
        #expect(try proxy(choice { $0.proxy = "p" }, environment) == "-")
        let none = choice {
            $0.proxy = "p"
            $0.exceptions = ""
        }
        #expect(try proxy(none, environment) == "http://p:1080")
        let other = choice { $0.exceptions = "site.example" }
        #expect(try proxy(other, ["http_proxy": "p"]) == "-")
    }

    @Test func `--proxy-user takes precedence over the user in the proxy URL`() throws {
        let both = choice {
            $0.proxy = "http://a:b@p:1"
            $0.user = "c:d:e"
        }
        #expect(try proxy(both) == "http://p:1 c:d:e")
        #expect(try proxy(choice { $0.proxy = "http://a:b@p:1" }) == "http://p:1 a:b")
        let environment = choice { $0.user = "c" }
        #expect(try proxy(environment, ["http_proxy": "p:1"]) == "http://p:1 c:")
    }

    @Test(arguments: [("ftp://p", 7), ("https://p", 7), ("http://", 5)] as [(String, Int32)])
    func `an unusable proxy URL is rejected before connecting`(url: String, code: Int32) {
        #expect {
            try choice { $0.proxy = url }.setting { _ in nil }
        } throws: { ($0 as? FetchError)?.code.number == code }
    }

    @Test func `header lines and --proxytunnel are part of the proxy setting`() throws {
        let lines = try [HeaderLine.parse(Array("X-A: b".utf8))].compactMap(\.self)
        let setting = try choice {
            $0.proxy = "p"
            $0.lines = lines
            $0.tunnelsEverything = true
        }.setting { _ in nil }
        guard case .proxy(let proxy, _) = setting else {
            Issue.record("no proxy")
            return
        }
        #expect(proxy.headers["X-A"] == "b")
        #expect(proxy.tunneling == .always)
        #expect(proxy.authentication == .basic)
    }
}

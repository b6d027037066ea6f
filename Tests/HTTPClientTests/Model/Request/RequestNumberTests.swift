import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests numbers of requests and responses that fit in `Int` but not in the protocol.
@Suite(.timeLimit(.minutes(10))) struct RequestNumberTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test(arguments: [Int.min, -1, 65_536, 70_000, .max])
    func `a URL with an invalid port is rejected`(port: Int) async throws {
        var request: HTTPRequest = "http://127.0.0.1/"
        request.port = port
        #expect(request.port == port)
        let error = await failure { try await HTTPClient().send(request) }
        let text = "http://127.0.0.1:\(port)/"
        #expect(
            error?.kind == .invalidRequest(.url(text, .invalidURI(.invalidPort, offset: 17)))
        )
        #expect(error?.phase == .preparing && error?.blame == .caller)
        request.port = nil
        #expect(request.port == nil && request.url == "http://127.0.0.1/")
    }

    @Test(arguments: [Int.min, -1, 0, 65_536, 65_536 + 3128, .max])
    func `a proxy with an invalid port is rejected`(port: Int) async throws {
        for scheme in [HTTPProxy.Scheme.http, .socks5, .socks5h] {
            let proxy = HTTPProxy(scheme: scheme, host: "127.0.0.1", port: port)
            #expect(proxy.port == port)
            for setting in [HTTPProxy.Setting.proxy(proxy), .custom { _ in proxy }] {
                var request: HTTPRequest = "http://127.0.0.1:1/"
                request.proxy = setting
                let error = await failure { try await HTTPClient().send(request) }
                #expect(error?.kind == .invalidRequest(.proxy(.port(port))))
                #expect(error?.phase == .preparing && error?.blame == .caller)
            }
        }
    }

    @Test(arguments: [Int.min, -1, 65_536, .max])
    func `an override or connect-to rule with an invalid port is rejected`(
        port: Int
    ) async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let changes: [(inout HTTPConnectOptions) -> Void] = [
            {
                $0.overrides = [
                    HTTPConnectOptions.AddressOverride(host: "a", port: port, addresses: [])
                ]
            },
            { $0.connectToRules = [HTTPConnectOptions.ConnectToRule(fromPort: port, toHost: "a")] },
            {
                $0.connectToRules = [
                    HTTPConnectOptions.ConnectToRule(fromHost: "a"),
                    HTTPConnectOptions.ConnectToRule(toPort: port),
                ]
            },
        ]
        for change in changes {
            var connectOptions = HTTPConnectOptions()
            change(&connectOptions)
            var request = HTTPRequest(origin.url)
            request.connectOptions = connectOptions
            let error = await failure { try await HTTPClient().send(request) }
            #expect(error?.kind == .invalidRequest(.connectPort(port)))
            let client = HTTPClient().with { $0.connectOptions = connectOptions }
            let other = await failure { try await client.send(HTTPRequest(origin.url)) }
            #expect(other?.kind == .invalidRequest(.connectPort(port)))
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `a negative position or time is rejected, and a later valid one is sent`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let request = HTTPRequest(origin.url)
        let rows: [(HTTPRequest, String)] = [
            (request.range(-5...3), "Range"), (request.range(.min ... .max), "Range"),
            (request.range(.from(-1)), "Range"), (request.range(.from(1), .suffix(-1)), "Range"),
            (request.range(.suffix(.min)), "Range"),
            (request.cacheControl(.maxAge(seconds: -1)), "Cache-Control"),
            (request.cacheControl(.noCache, .minFresh(seconds: .min)), "Cache-Control"),
            (request.cacheControl(.maxStale(seconds: -1)), "Cache-Control"),
            (request.range(-5...3).cacheControl(.noCache), "Range"),
        ]
        for (request, header) in rows {
            let error = await failure { try await HTTPClient().send(request) }
            #expect(error?.kind == .invalidRequest(.negativeNumber(header: header)))
        }
        #expect(origin.connectionCount == 0)
        let mended = request.range(-5...3).cacheControl(.maxAge(seconds: -1))
            .range(0...4).cacheControl(.maxAge(seconds: 0))
        let response = try await HTTPClient().send(mended)
        #expect(response.status == .ok)
        let sent = String(decoding: origin.received(), as: UTF8.self)
        #expect(sent.contains("Range: bytes=0-4\r\n"))
        #expect(sent.contains("Cache-Control: max-age=0\r\n"))
    }

    @Test(
        arguments: [
            ("Content-Length: 18446744073709551615", .malformedResponse(.contentLengthOverflow)),
            ("Content-Length: 9223372036854775808", .malformedResponse(.contentLengthOverflow)),
        ] as [(String, HTTPError.Kind)]
    )
    func `a length beyond the largest integer is an error`(
        field: String,
        kind: HTTPError.Kind
    ) async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 200 OK\r\n\(field)\r\n\r\nhello"))
        let error = await failure { try await HTTPClient().send(HTTPRequest(origin.url)) }
        #expect(error?.kind == kind)
    }

    @Test(arguments: [
        "bytes 0-18446744073709551614/*", "bytes 0-9223372036854775807/*",
        "bytes 0-4/18446744073709551615", "bytes 0-18446744073709551614/18446744073709551615",
        "bytes 18446744073709551612-0/*",
    ])
    func `a Content-Range beyond the largest integer counts as missing`(range: String) async throws
    {
        let reply =
            "HTTP/1.1 206 Partial Content\r\nContent-Range: \(range)\r\nContent-Length: 5\r\n\r\nhello"
        let origin = try ScriptedOrigin(.always(reply))
        for request in [
            HTTPRequest(origin.url).range(0...4), HTTPRequest(origin.url).range(.from(0)),
        ] {
            let error = await failure { try await HTTPClient().send(request) }
            #expect(error?.kind == .rangeMismatch(.missingContentRange))
        }
    }

    @Test func `numbers of a response beyond the largest integer do not overflow`() async throws {
        let fields = [
            "Retry-After: 99999999999999999999", "Cache-Control: max-age=99999999999999999999",
            "Age: 99999999999999999999", "Set-Cookie: a=b; Max-Age=99999999999999999999",
            "Set-Cookie: c=d; Max-Age=-99999999999999999999",
            "Keep-Alive: timeout=99999999999999999999",
        ]
        let origin = try ScriptedOrigin(
            .always(
                "HTTP/1.1 200 OK\r\n\(fields.joined(separator: "\r\n"))\r\nContent-Length: 0\r\n\r\n"
            )
        )
        let response = try await HTTPClient().send(HTTPRequest(origin.url))
        #expect(response.headers.retryAfter == .seconds(.max))
        #expect(response.headers.cacheControl?.maxAge == 1 << 31)
        #expect(response.headers.contentLength == 0)
    }
}

import ClientSupport
import HTTPClient
import Testing
import Wire

/// Tests the rules for redirects without a socket.
@Suite struct RedirectRulesTests {
    private func decision(
        _ status: HTTPStatus,
        _ location: String?,
        from url: String = "https://a.test/dir/x?q#f",
        _ method: HTTPMethod = .get,
        after count: Int = 0,
        _ rules: RedirectRules = RedirectRules(.follow)
    ) throws -> RedirectRules.Decision {
        var headers = HTTPHeaders()
        if let location { headers.append(.location, location) }
        let head = ResponseHead(status: status, headers: headers)
        return rules.decision(on: head, from: try URI(url), method, afterRedirects: count)
    }

    private func redirection(_ decision: RedirectRules.Decision) throws -> RedirectRules.Redirection
    {
        guard case .redirect(let redirection) = decision else { throw NoRedirect() }
        return redirection
    }

    private struct NoRedirect: Error {}

    @Test(arguments: [
        (HTTPStatus(301), HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get),
        (307, .post, .post), (308, .post, .post), (301, .put, .put), (302, .delete, .delete),
        (303, .put, .get), (303, .head, .head), (302, .head, .head), (301, .get, .get),
    ])
    func `the status decides the method of the next request`(
        status: HTTPStatus,
        method: HTTPMethod,
        next: HTTPMethod
    ) throws {
        let found = try redirection(try decision(status, "/next", method))
        #expect(found.method == next)
        #expect(found.dropsBody == (next != method))
    }

    @Test(arguments: [HTTPStatus(200), 204, 304, 400, 404, 503])
    func `other statuses are not redirects`(status: HTTPStatus) throws {
        #expect(try decision(status, "/next") == .notARedirect)
    }

    @Test(arguments: [nil, ""] as [String?])
    func `a redirect without a Location is not followed`(location: String?) throws {
        #expect(try decision(302, location) == .notARedirect)
    }

    @Test(arguments: [
        ("/y", "https://a.test/y#f", false, false), ("y", "https://a.test/dir/y#f", false, false),
        ("?z", "https://a.test/dir/x?z#f", false, false),
        ("/y#g", "https://a.test/y#g", false, false),
        ("//b.test/y", "https://b.test/y#f", true, false),
        ("https://a.test:8443/", "https://a.test:8443/#f", true, false),
        ("https://u:p@a.test/", "https://a.test/#f", false, false),
    ])
    func `a Location is resolved against the URL`(
        location: String,
        url: String,
        isCrossOrigin: Bool,
        isDowngrade: Bool
    ) throws {
        let found = try redirection(try decision(302, location))
        #expect(found.location.text == url)
        #expect(found.isCrossOrigin == isCrossOrigin)
        #expect(found.isDowngrade == isDowngrade)
    }

    @Test(arguments: [true, false])
    func `a redirect from https to http is followed only if it is allowed`(isAllowed: Bool) throws {
        var options = HTTPRedirectOptions.follow
        options.allowsDowngrade = isAllowed
        let decision = try decision(302, "http://a.test/", RedirectRules(options))
        guard isAllowed else {
            #expect(decision == .failure(.downgrade))
            return
        }
        let found = try redirection(decision)
        #expect(found.isDowngrade && found.isCrossOrigin)
    }

    private func decision(
        _ status: HTTPStatus,
        _ location: String,
        _ rules: RedirectRules
    ) throws -> RedirectRules.Decision {
        try decision(status, location, .get, after: 0, rules)
    }

    @Test func `redirects beyond the maximum fail`() throws {
        var options = HTTPRedirectOptions.follow
        options.maxRedirects = 3
        let rules = RedirectRules(options)
        #expect(try redirection(try decision(302, "/", .get, after: 2, rules)).method == .get)
        #expect(try decision(302, "/", .get, after: 3, rules) == .failure(.tooMany(limit: 3)))
    }

    @Test(arguments: [
        ("ftp://a.test/", HTTPError.RedirectReason.unsupportedScheme("ftp")),
        ("http:///x", .invalidLocation("http:///x")),
    ])
    func `a Location that cannot be requested fails`(
        location: String,
        reason: HTTPError.RedirectReason
    ) throws {
        #expect(try decision(302, location) == .failure(reason))
    }

    // MARK: - The next request

    private let full: HTTPHeaders = [
        .authorization: "Basic x", .cookie: "a=b", .proxyAuthorization: "Basic y", .host: "v.test",
        .referer: "https://a.test/", .contentType: "text/plain", .contentEncoding: "gzip",
        .ifRange: "\"e\"", .range: "bytes=1-", .accept: "*/*",
    ]

    private func names(
        after location: String,
        _ method: HTTPMethod,
        _ rules: RedirectRules
    ) throws
        -> [String]
    {
        var request = HTTPRequest("https://a.test/x", method: method, body: .bytes([1]))
        request.headers = full
        let url = try URI("https://a.test/x")
        let found = try redirection(try decision(302, location, method, after: 0, rules))
        let next = rules.request(after: request, found, from: url)
        return next.headers.map { $0.name.lowercased() }.sorted()
    }

    @Test func `header fields stay within an origin`() throws {
        let names = try names(after: "/y", .put, RedirectRules(.follow))
        #expect(names == full.map { $0.name.lowercased() }.sorted())
    }

    @Test func `credentials, host and ranges do not go to another origin`() throws {
        let names = try names(after: "https://b.test/", .put, RedirectRules(.follow))
        #expect(names == ["accept", "content-encoding", "content-type", "referer"])
    }

    @Test func `credentials go to another origin if that is allowed`() throws {
        var options = HTTPRedirectOptions.follow
        options.sendsCredentialsCrossOrigin = true
        let names = try names(after: "https://b.test/", .put, RedirectRules(options))
        #expect(
            names == [
                "accept", "authorization", "content-encoding", "content-type", "cookie",
                "proxy-authorization", "referer",
            ]
        )
    }

    @Test func `fields about the content are dropped with the content`() throws {
        let names = try names(after: "/y", .post, RedirectRules(.follow))
        #expect(!names.contains("content-type") && !names.contains("content-encoding"))
        #expect(names.contains("authorization"))
    }

    @Test func `a downgrade drops the Referer`() throws {
        var options = HTTPRedirectOptions.follow
        options.allowsDowngrade = true
        let names = try names(after: "http://a.test/", .put, RedirectRules(options))
        #expect(!names.contains("referer"))
    }

    @Test func `a redirect that keeps the request keeps method and content`() throws {
        let rules = RedirectRules(.follow, keepsRequest: true)
        let found = try redirection(try decision(303, "/y", .post, after: 0, rules))
        #expect(found.method == .post && !found.dropsBody)
    }

    @Test func `userinfo of the URL goes to the same origin only`() throws {
        let rules = RedirectRules(.follow)
        let url = try URI("https://u:p@a.test/x")
        let request = HTTPRequest("https://u:p@a.test/x")
        let same = try redirection(try decision(302, "/y", .get, after: 0, rules))
        #expect(
            rules.request(after: request, same, from: url).headers[.authorization] == "Basic dTpw"
        )
        let other = try redirection(try decision(302, "https://b.test/", .get, after: 0, rules))
        #expect(rules.request(after: request, other, from: url).headers[.authorization] == nil)
    }
}

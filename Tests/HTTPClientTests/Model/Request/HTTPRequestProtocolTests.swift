import ClientSupport
import HTTPClient
import Support
import Testing

/// A value that contains a request, as an endpoint does.
private struct Wrapped: HTTPRequestProtocol {
    var request: HTTPRequest
    var note = 7
}

@Suite(.timeLimit(.minutes(10))) struct HTTPRequestProtocolTests {
    @Test func `modifiers change copies and keep the containing value`() {
        let first = Wrapped(request: "http://a/x")
        let second = first.method(.post).path("/y").header(.accept, "a/b").tag("t", "1")
        #expect(second.note == 7 && second.request.url == "http://a/y")
        #expect(second.request.method == .post && second.request.headers[.accept] == "a/b")
        #expect(first.request.url == "http://a/x" && first.request.headers.isEmpty)
    }

    /// A change of a request, and the header lines after it.
    struct Fields: Sendable {
        let modify: @Sendable (HTTPRequest) -> HTTPRequest
        let lines: [String]

        init(
            _ modify: @escaping @Sendable (HTTPRequest) -> HTTPRequest,
            _ lines: [String]
        ) {
            self.modify = modify
            self.lines = lines
        }
    }

    private static let fields: [Fields] = [
        Fields({ $0.header("X-A", "1").header("x-a", "2") }, ["x-a: 2"]),
        Fields({ $0.header("X-A", "1").header("X-A", adding: "2") }, ["X-A: 1", "X-A: 2"]),
        Fields({ $0.headers(["X-A": "1", "X-B": "2"]) }, ["X-A: 1", "X-B: 2"]),
        Fields({ $0.headers { $0["X-A"] = "1" } }, ["X-A: 1"]),
        Fields({ $0.accept(.json, "text/*;q=0.5") }, ["Accept: application/json, text/*;q=0.5"]),
        Fields({ $0.contentType(.jsonUTF8) }, ["Content-Type: application/json; charset=utf-8"]),
        Fields({ $0.authorization(.bearer("abc.def")) }, ["Authorization: Bearer abc.def"]),
        Fields(
            { $0.authorization(.basic(user: "Aladdin", password: "open sesame")) },
            ["Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
        ),
        Fields({ $0.authorization(.custom(scheme: "Token", "x")) }, ["Authorization: Token x"]),
        Fields({ $0.userAgent("Probe/1") }, ["User-Agent: Probe/1"]),
        Fields({ $0.acceptTrailers().acceptTrailers() }, ["TE: trailers", "Connection: TE"]),
        Fields(
            { $0.cacheControl(.noCache, .maxAge(seconds: 5), .maxStale(seconds: nil)) },
            ["Cache-Control: no-cache, max-age=5, max-stale"]
        ),
        Fields(
            {
                $0.cacheControl(
                    .maxStale(seconds: 1),
                    .minFresh(seconds: 2),
                    .noStore,
                    .noTransform,
                    .onlyIfCached
                )
            },
            ["Cache-Control: max-stale=1, min-fresh=2, no-store, no-transform, only-if-cached"]
        ),
        Fields({ $0.range(0...499) }, ["Range: bytes=0-499", "Accept-Encoding: identity"]),
        Fields(
            { $0.header(.acceptEncoding, "gzip").range(.from(5), .suffix(3)) },
            ["Accept-Encoding: gzip", "Range: bytes=5-, -3"]
        ),
        Fields({ $0.ifNoneMatch(.any).ifMatch(.any) }, ["If-None-Match: *", "If-Match: *"]),
        Fields(
            { $0.ifModifiedSince(HTTPDate(secondsSince1970: 0)) },
            ["If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT"]
        ),
        Fields(
            { $0.ifUnmodifiedSince(HTTPDate(secondsSince1970: 0)) },
            ["If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"]
        ),
        Fields(
            { $0.ifRange(HTTPDate(secondsSince1970: 0)) },
            ["If-Range: Thu, 01 Jan 1970 00:00:00 GMT"]
        ),
    ]

    @Test(arguments: fields)
    func `header fields have modifiers`(row: Fields) {
        #expect(row.modify("http://a/").headers.map { "\($0.name): \($0.value)" } == row.lines)
    }

    @Test func `typed conditional values are sent in their standard form`() throws {
        let tag = try #require(EntityTag(opaque: "x", .weak))
        let request = HTTPRequest("http://a/").ifNoneMatch(.oneOf([tag])).ifRange(tag)
        #expect(
            request.headers[.ifNoneMatch] == #"W/"x""# && request.headers[.ifRange] == #"W/"x""#
        )
        let type = try #require(MediaType("text/plain; charset=x"))
        #expect(
            HTTPRequest().contentType(HTTPContentType(type)).headers[.contentType]
                == "text/plain; charset=x"
        )
    }

    @Test func `settings have modifiers`() {
        let request = HTTPRequest("a").url("b").route("c").timeout(.seconds(3)).body(.string("x"))
            .with {
                $0.priority = .high
                $0.connection = .fresh
                $0.proxy = .direct
                $0.security = HTTPSecurity()
                $0.connectOptions = HTTPConnectOptions()
                $0.rawTarget = "/x"
            }
        #expect(request.url == "c" && request.priority == .high && request.connection == .fresh)
        #expect(
            request.timeout == .seconds(3) && request.security != nil && request.rawTarget == "/x"
        )
        #expect(
            request.connectOptions != nil && request.proxy != nil && request.body.bytes == [120]
        )
    }

    @Test func `an error thrown by a modifier's closure is rethrown`() {
        struct Broken: Error {}
        #expect(throws: Broken.self) {
            try HTTPRequest("a").headers { (_: inout HTTPHeaders) throws(Broken) in throw Broken() }
        }
        #expect(throws: Broken.self) {
            try HTTPRequest("a").with { (_: inout HTTPRequest) throws(Broken) in throw Broken() }
        }
    }

    @Test func `credentials are printed without their secret`() {
        let value = HTTPAuthorization.bearer("geheim")
        #expect(!"\(value)".contains("geheim") && value.scheme == "Bearer")
        #expect(!String(reflecting: value).contains("geheim"))
    }

    @Test func `a colon in a user name is rejected until other credentials are set`() async {
        let request = HTTPRequest("http://127.0.0.1:1/")
            .authorization(.basic(user: "a:b", password: "c"))
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(.colonInUserName))
        let other = request.authorization(.basic(user: "a", password: "b:c"))
        #expect((try? other.curlDescription(in: HTTPClient())) != nil)
    }

    // MARK: - Timeouts

    /// Sends a request with these client timeouts and returns the kind of the error.
    private func phase(_ request: HTTPRequest, _ client: HTTPTimeouts) async -> HTTPError.Kind? {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = client
        return await failure { try await HTTPClient(configuration).send(request) }?.kind
    }

    @Test func `a timeout of the request overrides that one timeout of the client`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .pause(Gate())])
        let short = Duration.milliseconds(50)
        var patient = HTTPTimeouts()
        patient.responseHead = .seconds(60)
        var hasty = HTTPTimeouts()
        hasty.responseHead = short
        let request = HTTPRequest(origin.url)
        #expect(await phase(request.timeout(short), patient) == .timedOut(.total))
        #expect(
            await phase(request.timeouts { $0.responseHead = short }, patient)
                == .timedOut(.responseHead)
        )
        // The request's total timeout leaves the client's other timeouts unchanged.
        #expect(await phase(request.timeout(.seconds(60)), hasty) == .timedOut(.responseHead))
        let both = request.timeouts { $0.responseHead = nil }.timeouts { $0.total = short }
        #expect(await phase(both, hasty) == .timedOut(.total))
        var whole = both
        whole.timeouts = hasty
        #expect(await phase(whole, patient) == .timedOut(.responseHead))
    }
}

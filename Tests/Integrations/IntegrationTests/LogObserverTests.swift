import HTTPClient
import HTTPTestServer
import InMemoryLogging
import Logging
import Testing

@Suite(.timeLimit(.minutes(10))) struct LogObserverTests {
    private let log = InMemoryLogHandler()

    private func client(
        _ level: Logger.Level = .trace,
        headers: HTTPLogObserver.HeaderLogging = .omitted,
        redacting names: [String] = [],
        _ change: (inout HTTPClient.Settings) -> Void = { _ in }
    ) -> HTTPClient {
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = level
        var configuration = HTTPClient.Configuration()
        configuration.observers = [HTTPLogObserver(logger, headers: headers, redacting: names)]
        change(&configuration.settings)
        return HTTPClient(configuration)
    }

    private func lines() -> [String] { log.entries.map { "\($0.level) \($0.message)" } }

    @Test func `each step is logged with its metadata`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/old": .redirect(to: "/new"), "/new": .text("hello", status: .notFound),
        ])
        let client = client()
        _ = try await client.send(HTTPRequest(server.url + "/old", method: .head))
        #expect(
            lines() == [
                "debug sending request", "debug response received", "debug following redirect",
                "debug sending request", "debug response received", "notice call ended",
            ]
        )
        let sent = log.entries[3].metadata
        #expect(
            sent == ["http.request.method": "HEAD", "url.full": "\(server.url)/new"]
        )
        let ended = log.entries[5].metadata
        #expect(ended["http.response.status_code"] == "404")
        #expect(ended["network.peer.address"] == "127.0.0.1")
        let duration = try #require(ended["duration"].map { "\($0)" })
        #expect(Double(duration) != nil && duration.split(separator: ".").last?.count == 6)
        #expect(ended["http.retry"] == nil)
        #expect(log.entries[2].metadata["location"] == "\(server.url)/new")
    }

    @Test func `phases and challenges are logged if the observer is interested`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .status(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"secret\""])
        }
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .debug
        let observer = HTTPLogObserver(logger, interests: .all)
        _ = try await HTTPClient().with { $0.observers = [observer] }.send(HTTPRequest(server.url))
        let phases = log.entries.filter { "\($0.message)" == "phase entered" }.map(\.metadata)
        #expect(
            phases.map { "\($0["phase"] ?? "")" } == [
                "resolve", "connect", "sending", "responseHead", "body",
            ]
        )
        #expect(phases[0]["connection"] == nil && phases[2]["connection"] != nil)
        #expect(phases[2]["network.peer.address"] == "127.0.0.1")
        #expect(phases[2]["url.full"] == "\(server.url)")
        let asked = log.entries.first { "\($0.message)" == "credentials required" }
        #expect(asked?.metadata["http.response.status_code"] == "401")
        #expect(!log.entries.contains { "\($0.metadata)".contains("secret") })
    }

    @Test func `nothing is logged below the logger's level`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        _ = try await client(.info).send(HTTPRequest(server.url))
        #expect(lines() == ["info call ended"])
        log.clear()
        _ = try await client(.error).send(HTTPRequest(server.url))
        #expect(log.entries.isEmpty)
    }

    @Test func `a failure is logged by its kind, without text from its error`() async throws {
        struct Secret: Error, CustomStringConvertible { let description = "sesame" }
        struct Failing: HTTPInterceptor {
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult { throw Secret() }
        }
        let server = try await HTTPTestServer.start(routes: ["/": .close])
        await #expect(throws: HTTPError.self) {
            try await client().send(HTTPRequest(server.url + "/?token=sesame"))
        }
        #expect(lines().suffix(2) == ["debug attempt failed", "warning call failed"])
        let failed = log.entries.last?.metadata ?? [:]
        #expect(failed["error.type"] == "truncatedResponse")
        #expect(failed["reason"] != nil)
        #expect(failed["url.full"] == "\(server.url)/?token=***")
        let failing = client { $0.interceptors = [Failing()] }
        await #expect(throws: HTTPError.self) { try await failing.send(HTTPRequest(server.url)) }
        #expect(log.entries.last?.metadata["error.type"] == "interceptorFailed")
        #expect(!"\(log.entries)".contains("sesame"))
    }

    @Test func `secrets are redacted`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .redirect(to: "/there?access_token=sesame", status: .created)
                .header(.setCookie, "id=sesame")
        }
        let authority = server.url.dropFirst("http://".count)
        let request = HTTPRequest(
            "http://sesame:sesame@\(authority)/?sig=sesame&X-Amz-Signature=sesame&mine=sesame&x=1",
            headers: [
                "Authorization": "Bearer sesame", "Cookie": "a=sesame", "X-Mine": "sesame",
                "X-Other": "shown", "x-other": "too",
            ]
        )
        let client = client(headers: .all, redacting: ["MINE", "x-mine"])
        _ = try await client.send(request)
        let entries = log.entries
        #expect(!"\(entries)".contains("sesame"))
        #expect("\(entries[0].metadata)".contains("x=1"))
        // The fields as sent, including the client's.
        let sent = entries[1].metadata
        #expect(sent["http.request.header.authorization"] == ["Bearer ***"])
        #expect(sent["http.request.header.x-other"] == ["shown", "too"])
        #expect(sent["http.request.header.user-agent"] != nil)
        let received = entries[2].metadata
        #expect(received["http.response.header.location"] == ["/there?access_token=***"])
        #expect(received["http.response.header.set-cookie"] == ["***"])
    }

    @Test(arguments: ["\u{85}", "\u{2028}", "\u{202E}"])
    func `the value of a field has no second line`(text: String) async throws {
        let server = try await HTTPTestServer.start { _ in
            HTTPTestServer.Response.text("ok").header("X-Forged", "a\(text)info call ended")
        }
        _ = try await client(headers: .all).send(HTTPRequest(server.url))
        let received = try #require(log.entries.last { $0.message == "response received" })
        let value = "\(received.metadata["http.response.header.x-forged"] ?? "")"
        #expect(value.contains("info call ended") && !value.contains(text), "\(value)")
    }

    @Test func `a 1xx response is logged before the final one`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .raw(
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            )
        }
        _ = try await client(headers: .all).send(HTTPRequest(server.url))
        #expect(
            lines() == [
                "debug sending request", "debug request head", "debug interim response received",
                "debug response received", "info call ended",
            ]
        )
        let interim = log.entries[2].metadata
        #expect(interim["http.response.status_code"] == "103")
        #expect(interim["http.response.header.link"] == ["</a>"])
    }

    @Test func `a retry is logged`() async throws {
        struct RetryOnce: HTTPStagedInterceptor {
            func process(
                _ response: inout HTTPResponse,
                _ context: HTTPContext
            ) async throws -> HTTPRetryOptions.Decision {
                context.retryCount == 0 ? .retry : .proceed
            }
        }
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        _ = try await client { $0.interceptors = [RetryOnce()] }.send(HTTPRequest(server.url))
        #expect(lines()[2] == "debug retrying")
        #expect(log.entries[2].metadata["http.retry"] == "1")
        #expect(log.entries[2].metadata["delay"] == "0.000000")
        #expect(log.entries[3].metadata["http.retry"] == "1")
        #expect(log.entries.last?.metadata["http.retry"] == "1")
    }

    @Test(
        arguments: [
            (200, "info"), (304, "info"), (404, "notice"), (499, "notice"), (500, "warning"),
            (503, "warning"),
        ] as [(HTTPStatus, String)]
    )
    func `the status of a response determines the level of its line`(
        status: HTTPStatus,
        level: String
    ) async throws {
        let server = try await HTTPTestServer.start { _ in .status(status) }
        _ = try await client(.info).send(HTTPRequest(server.url))
        #expect(lines() == ["\(level) call ended"])
    }
}

import HTTPClient
import Testing
import fetch

@Suite struct RequestPlanTests {
    private func plan(
        method: String? = nil,
        head: Bool = false,
        agent: String? = "A",
        compressed: Bool = false,
        lines: [String] = [],
        data: RequestData? = nil,
        toQuery: Bool = false
    ) throws -> RequestPlan {
        try RequestPlan(
            method: method,
            isHeadOnly: head,
            userAgent: agent.map { Array($0.utf8) },
            acceptsCompression: compressed,
            lines: lines.compactMap { try HeaderLine.parse(Array($0.utf8)) },
            data: data,
            dataGoesToQuery: toQuery
        )
    }

    private func head(_ plan: RequestPlan, _ url: String = "http://a/b") async throws -> [String] {
        try await SentHead.lines(plan, TargetURL(url, query: plan.query))
    }

    @Test func `a GET sends User-Agent and accepts every media type`() async throws {
        #expect(
            try await head(plan()) == [
                "GET /b HTTP/1.1", "Host: a", "User-Agent: A", "Accept: */*",
            ]
        )
    }

    @Test func `--compressed offers the codings of the build in curl's order`() async throws {
        let lines = try await head(plan(compressed: true))
        #expect(lines.contains("Accept-Encoding: deflate, gzip, br, zstd"))
    }

    @Test(arguments: [
        (["Range: bytes=0-3"], "Accept-Encoding: identity"),
        (["range: bytes=0-3", "accept-encoding: gzip"], "accept-encoding: gzip"),
    ])
    func `--compressed asks for a range without codings, unless the user chose them`(
        lines: [String],
        expected: String
    ) async throws {
        let sent = try await head(plan(compressed: true, lines: lines))
        #expect(
            sent.filter { $0.lowercased().hasPrefix("accept-encoding:") } == [expected]
        )
        let plain = try await head(plan(lines: ["Range: bytes=0-3"]))
        #expect(!plain.contains { $0.hasPrefix("Accept-Encoding") })
    }

    @Test(
        arguments: [
            ([], true, ["Accept-Encoding: identity"]),
            (["accept-encoding: gzip"], true, ["accept-encoding: gzip"]),
            (["Accept-Encoding:"], true, []), ([], false, []),
        ] as [([String], Bool, [String])]
    )
    func `a body that is not decoded is requested without codings, unless the user chose them`(
        lines: [String],
        compressed: Bool,
        expected: [String]
    ) async throws {
        let plan = try plan(compressed: compressed, lines: lines)
        let sent = try await SentHead.lines(plan, TargetURL("http://a/b"), isDecoded: false)
        #expect(sent.filter { $0.lowercased().hasPrefix("accept-encoding:") } == expected)
    }

    @Test func `data is sent as a form and JSON as JSON`() async throws {
        let form = try await head(plan(data: RequestData(bytes: [1, 2])))
        #expect(form.first == "POST /b HTTP/1.1")
        #expect(form.contains("Content-Type: application/x-www-form-urlencoded"))
        #expect(form.contains("Content-Length: 2"))
        let json = try await head(plan(data: RequestData(bytes: [1], isJSON: true)))
        #expect(json.contains("Content-Type: application/json"))
        #expect(json.contains("Accept: application/json"))
    }

    @Test func `data in the query keeps the method GET`() async throws {
        let data = RequestData(bytes: Array("x=1".utf8))
        let lines = try await head(plan(data: data, toQuery: true))
        #expect(lines.first == "GET /b?x=1 HTTP/1.1")
        #expect(!lines.contains { $0.hasPrefix("Content-") })
    }

    @Test(
        arguments: [
            (nil, false, "GET"), (nil, true, "HEAD"), ("PURGE", false, "PURGE"),
            ("GET", true, "GET"),
        ] as [(String?, Bool, String)]
    )
    func `the method follows from the options`(
        method: String?,
        head: Bool,
        expected: String
    ) throws {
        #expect(try plan(method: method, head: head).method.rawValue == expected)
    }

    @Test func `header lines replace, remove and repeat fields`() async throws {
        let lines = ["accept:", "User-agent: B", "X: 1", "x: 2", "Empty;", "Host: h"]
        #expect(
            try await head(plan(lines: lines))
                == ["GET /b HTTP/1.1", "Host: h", "User-agent: B", "X: 1", "x: 2", "Empty: "]
        )
    }

    @Test func `an Authorization line replaces the credentials of the URL`() async throws {
        let url = "http://u:p@a/"
        #expect(try await head(plan(), url).contains("Authorization: Basic dTpw"))
        let own = try await head(plan(lines: ["Authorization: T"]), url)
        #expect(own.filter { $0.hasPrefix("Authorization") } == ["Authorization: T"])
        let none = try await head(plan(lines: ["Authorization:"]), url)
        #expect(!none.contains { $0.hasPrefix("Authorization") })
    }

    @Test func `an empty user agent sends no User-Agent`() async throws {
        let lines = try await head(plan(agent: ""))
        #expect(!lines.contains { $0.hasPrefix("User-Agent") })
    }

    @Test func `a correct Content-Length line is not sent twice`() async throws {
        let data = RequestData(bytes: [1, 2])
        let lines = try await head(plan(lines: ["Content-Length: 2"], data: data))
        #expect(lines.filter { $0.hasPrefix("Content-Length") } == ["Content-Length: 2"])
    }

    @Test(arguments: [
        ["Content-Length: 7"], ["Transfer-Encoding: chunked"], ["A b: c"], ["Host:"], [": c"],
    ])
    func `header lines that cannot be sent are rejected`(lines: [String]) {
        #expect(throws: FetchError.self) { try plan(lines: lines) }
    }

    @Test(arguments: ["", "A B", "GET\r\nX:", "é"])
    func `a --request method that is not a token is rejected`(method: String) {
        #expect(throws: FetchError.self) { try plan(method: method) }
    }

    @Test func `a user agent with a line break is rejected`() {
        #expect(throws: FetchError.self) { try plan(agent: "A\nB") }
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct WaterfallTests {
    private func step(_ from: Int, _ to: Int) -> Range<Duration> {
        .microseconds(from) ..< .microseconds(to)
    }

    @Test func `phases are drawn to scale, and skipped ones have hyphens`() {
        let text = Waterfall.text([
            .init(
                title: "first, complete",
                steps: [
                    nil, step(0, 250), step(250, 500), nil, nil, step(500, 501), nil,
                    step(501, 1000), step(1000, 10000),
                ]
            )
        ])
        let expected = """
            attempt 1: first, complete
                              from ms       for ms  |----------------------------------------|
              queued                -            -  |                                        |
              dns               0.000        0.250  |#                                       |
              connect           0.250        0.250  | #                                      |
              proxy                 -            -  |                                        |
              tls                   -            -  |                                        |
              head sent         0.500        0.001  |  #                                     |
              body sent             -            -  |                                        |
              first byte        0.501        0.499  |  ##                                    |
              body              1.000        9.000  |    ####################################|

            """
        #expect(text == expected)
    }

    @Test func `all attempts share one scale and fixed columns`() {
        let none = [Range<Duration>?](repeating: nil, count: 8)
        let day = 86_400_000_000
        let text = Waterfall.text([
            .init(title: "a", steps: none + [step(0, 0)]),
            .init(title: "b", steps: none + [step(day / 2, day)]),
        ])
        let lines = text.split(separator: "\n")
        #expect(lines.count == 22)
        let bars = lines.filter { $0.hasPrefix("  ") }
        #expect(Set(bars.map(\.utf8.count)) == [82])
        #expect(lines[10].hasSuffix("|#" + String(repeating: " ", count: 39) + "|"))
        #expect(lines[21].contains(" 43200000.000 "))
        #expect(lines[21].hasSuffix(String(repeating: "#", count: 20) + "|"))
        #expect(Waterfall.text([]) == "")
    }

    @Test func `a real call shows each attempt, its connection and its outcome`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/old" ? .status(.found, headers: [.location: "/new"]) : .text("new")
        }
        let request = HTTPRequest(server.url + "/old", method: .post, body: .string("x"))
        let response = try await HTTPClient().send(request)
        let lines = response.metrics.waterfall.split(separator: "\n")
        #expect(lines.count == 22)
        let place = "connection 1 to 127.0.0.1:\(server.port), complete"
        #expect(lines[0] == "attempt 1: first, \(place)")
        #expect(lines[11] == "attempt 2: redirect, reused \(place)")
        #expect("\(response.metrics.attempts[1])" == "redirect, reused \(place)")
        func times(_ row: Int) -> [Substring] {
            lines[row].split(separator: "|")[0].split(separator: " ").suffix(2)
        }
        // Only the first attempt connects.
        #expect(!times(4).contains("-") && times(15).contains("-"))
        for row in [7, 9, 10, 18, 20, 21] { #expect(!times(row).contains("-"), "row \(row)") }

        let port = try UnreachablePorts.refusing()
        let error = await failure {
            try await HTTPClient().send(HTTPRequest("http://127.0.0.1:\(port)"))
        }
        #expect(
            error?.metrics.waterfall.hasPrefix("attempt 1: first, failed: connectFailed\n") == true
        )
        #expect(HTTPResponse.none == "")
    }

    @Test func `the JSON form has the same values`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let metrics = try await HTTPClient().send(HTTPRequest(server.url)).metrics
        let json = try HTTPJSON(parsing: metrics.json.description)
        let attempt = json["attempts"][0]
        #expect(json["attempts"].array?.count == 1 && json["replays"].int == 0)
        #expect(attempt["reason"].string == "first" && attempt["outcome"].string == "complete")
        #expect(attempt["error"].isNull && attempt["phase"].isNull && attempt["tls"].isNull)
        #expect(attempt["remotePort"].int == server.port)
        #expect(attempt["bodyBytesDecoded"].int == 5)
        #expect(attempt["bytesSent"].int == json["bytesSent"].int)
        #expect(attempt["connectAttempts"][0]["outcome"].string == "connected")
        let marks = ["began", "resolved", "connected", "leased", "sent", "firstByte", "ended"]
        let times = marks.compactMap { attempt[$0].double }
        #expect(times.count == marks.count && times == times.sorted())
        #expect(json["total"].double == times.last)
        #expect(attempt["dequeued"].isNull && attempt["secured"].isNull)

        let port = try UnreachablePorts.refusing()
        let error = await failure {
            try await HTTPClient().send(HTTPRequest("http://127.0.0.1:\(port)"))
        }
        let failed = try #require(error).metrics.json["attempts"][0]
        #expect(failed["outcome"].string == "failed" && failed["phase"].string == "connect")
        #expect(failed["error"].string?.contains("Connection refused") == true)
        #expect(failed["connectAttempts"][0]["reason"].string == "Connection refused")
    }
}

extension HTTPResponse {
    /// The waterfall of a response without a request that was sent.
    fileprivate static var none: String? {
        try? HTTPResponse(for: "http://a.test/").metrics.waterfall
    }
}

import HTTPClient
import Testing

@Suite struct DownloadDecisionTests {
    private static let from100 = DownloadDecision.RangeRequest(
        offset: 100,
        validator: "\"a\"",
        total: 1000
    )
    private static let dated = DownloadDecision.RangeRequest(
        offset: 100,
        validator: "Sun, 06 Nov 1994 08:49:37 GMT"
    )

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let status: HTTPStatus
        let headers: HTTPHeaders
        let rangeRequest: DownloadDecision.RangeRequest
        let decision: DownloadDecision
        var testDescription: String { name }

        init(
            _ name: String,
            _ status: HTTPStatus,
            _ headers: HTTPHeaders,
            _ rangeRequest: DownloadDecision.RangeRequest,
            _ decision: DownloadDecision
        ) {
            self.name = name
            self.status = status
            self.headers = headers
            self.rangeRequest = rangeRequest
            self.decision = decision
        }
    }

    private static func other(_ text: String?) -> DownloadDecision {
        .mismatch(.rangeMismatch(requested: 100, received: text.flatMap { ContentRange($0) }))
    }

    private static let part = DownloadDecision.RangeRequest(
        offset: 100,
        end: 200,
        validator: "\"a\"",
        total: 1000
    )
    private static let first = DownloadDecision.RangeRequest(end: 100)

    @Test(arguments: [202, 204, 205, 226] as [HTTPStatus])
    func `only the resource replaces the target of a call that may continue`(status: HTTPStatus) {
        let decide = { (asked: DownloadDecision.RangeRequest) in
            DownloadDecision.decide(status, [:], asked)
        }
        #expect(decide(.init()) == .fullBody(total: nil))
        #expect(decide(.init(isContinuation: true)) == .unsuccessful)
        #expect(decide(Self.from100) == .unsuccessful)
        for status in [200, 203] as [HTTPStatus] {
            let decision = DownloadDecision.decide(status, [:], .init(isContinuation: true))
            #expect(decision == .fullBody(total: nil))
        }
    }

    @Test(arguments: [
        Row(
            "the part",
            206,
            ["Content-Range": "bytes 100-199/1000"],
            part,
            .partialBody(total: 1000)
        ),
        Row(
            "the part with *",
            206,
            ["Content-Range": "bytes 100-199/*"],
            part,
            .partialBody(total: 1000)
        ),
        Row(
            "the last part",
            206,
            ["Content-Range": "bytes 900-999/1000"],
            .init(offset: 900, end: 1200, validator: "\"a\"", total: 1000),
            .partialBody(total: 1000)
        ),
        Row(
            "a part at 0 of known state",
            206,
            ["Content-Range": "bytes 0-99/1000", "ETag": "\"b\""],
            .init(end: 100, validator: "\"a\"", total: 1000),
            .mismatch(.representationChanged)
        ),
        Row(
            "a shorter part",
            206,
            ["Content-Range": "bytes 100-198/1000"],
            part,
            other("bytes 100-198/1000")
        ),
        Row(
            "a longer part",
            206,
            ["Content-Range": "bytes 100-200/1000"],
            part,
            other("bytes 100-200/1000")
        ),
        Row(
            "a shifted part",
            206,
            ["Content-Range": "bytes 101-200/1000"],
            part,
            other("bytes 101-200/1000")
        ),
        Row(
            "a part of a larger resource",
            206,
            ["Content-Range": "bytes 100-199/1001"],
            part,
            .mismatch(.totalMismatch(known: 1000, received: 1001))
        ),
        Row("a whole body for a part", .ok, ["Content-Length": "7"], part, .fullBody(total: 7)),
        Row(
            "416 for a part",
            416,
            ["Content-Range": "bytes */50"],
            part,
            .mismatch(.noRemainingBytes(offset: 100, total: 50))
        ),
    ])
    func `a part is accepted only if it is exactly the requested one`(row: Row) {
        #expect(DownloadDecision.decide(row.status, row.headers, row.rangeRequest) == row.decision)
    }

    @Test(
        arguments: [
            (
                206, ["Content-Range": "bytes 0-99/1000", "ETag": "\"a\""],
                .partialBody(total: 1000)
            ),
            (206, ["Content-Range": "bytes 0-99/100"], .fullBody(total: 100)),
            (206, ["Content-Range": "bytes 0-6/7", "ETag": "W/\"a\""], .fullBody(total: 7)),
            (206, ["Content-Range": "bytes 0-99/1000"], .wholeRequired),
            (206, ["Content-Range": "bytes 0-99/1000", "ETag": "W/\"a\""], .wholeRequired),
            (206, ["Content-Range": "bytes 0-99/*", "ETag": "\"a\""], .wholeRequired),
            (206, ["Content-Range": "bytes 1-99/1000", "ETag": "\"a\""], .wholeRequired),
            (206, ["Content-Range": "bytes 0-98/1000", "ETag": "\"a\""], .wholeRequired),
            (206, ["ETag": "\"a\""], .wholeRequired),
            (
                206,
                ["Content-Range": "bytes 0-99/1000", "ETag": "\"a\"", "Content-Encoding": "gzip"],
                .wholeRequired
            ),
            (416, ["Content-Range": "bytes */0"], .wholeRequired), (416, [:], .wholeRequired),
            (200, ["Content-Length": "7"], .fullBody(total: 7)), (503, [:], .unsuccessful),
        ] as [(HTTPStatus, HTTPHeaders, DownloadDecision)]
    )
    func `the first part shows whether others can follow`(
        status: HTTPStatus,
        headers: HTTPHeaders,
        decision: DownloadDecision
    ) {
        #expect(DownloadDecision.decide(status, headers, Self.first) == decision)
    }

    @Test(arguments: [
        Row("the whole body", .ok, ["Content-Length": "7"], .init(), .fullBody(total: 7)),
        Row("the whole body without a length", .ok, [:], .init(), .fullBody(total: nil)),
        Row(
            "the whole body in chunks",
            .ok,
            ["Transfer-Encoding": "chunked"],
            .init(),
            .fullBody(total: nil)
        ),
        Row("another success", 203, [:], .init(), .fullBody(total: nil)),
        Row(
            "the whole body after a change",
            .ok,
            ["Content-Length": "7"],
            from100,
            .fullBody(total: 7)
        ),
        Row("not found", .notFound, ["Content-Length": "7"], from100, .unsuccessful),
        Row("redirect", 302, [:], .init(), .unsuccessful),
        Row("server error", 503, [:], from100, .unsuccessful),
        Row(
            "a part that was not requested",
            206,
            ["Content-Range": "bytes 0-6/7"],
            .init(),
            .mismatch(.unexpectedPartialContent)
        ),
        Row(
            "a part that the caller requested",
            206,
            ["Content-Range": "bytes 5-6/7", "Content-Length": "2"],
            .init(hasOwnRange: true),
            .fullBody(total: 2)
        ),
        Row(
            "the rest",
            206,
            ["Content-Range": "bytes 100-999/1000", "Content-Length": "900"],
            from100,
            .partialBody(total: 1000)
        ),
        Row(
            "the rest without a total size",
            206,
            ["Content-Range": "bytes 100-999/*"],
            from100,
            .partialBody(total: 1000)
        ),
        Row(
            "a part without any total size",
            206,
            ["Content-Range": "bytes 100-150/*"],
            dated,
            other("bytes 100-150/*")
        ),
        Row("202 instead of the rest", 202, [:], from100, .unsuccessful),
        Row("204 instead of the rest", 204, [:], from100, .unsuccessful),
        Row("205 instead of the rest", 205, [:], from100, .unsuccessful),
        Row("226 instead of the rest", 226, [:], from100, .unsuccessful),
        Row("203 instead of the rest", 203, [:], from100, .fullBody(total: nil)),
        Row("204 from the start", 204, [:], .init(), .fullBody(total: nil)),
        Row(
            "the rest in another coding",
            206,
            ["Content-Range": "bytes 100-999/1000", "Content-Encoding": "gzip"],
            from100,
            .mismatch(.contentEncoded("gzip"))
        ),
        Row(
            "the rest without a coding",
            206,
            ["Content-Range": "bytes 100-999/1000", "Content-Encoding": "identity"],
            from100,
            .partialBody(total: 1000)
        ),
        Row(
            "the rest with its ETag",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "\"a\""],
            from100,
            .partialBody(total: 1000)
        ),
        Row(
            "start too early",
            206,
            ["Content-Range": "bytes 99-999/1000"],
            from100,
            other("bytes 99-999/1000")
        ),
        Row(
            "start too late",
            206,
            ["Content-Range": "bytes 101-999/1000"],
            from100,
            other("bytes 101-999/1000")
        ),
        Row(
            "end too early",
            206,
            ["Content-Range": "bytes 100-998/1000"],
            from100,
            other("bytes 100-998/1000")
        ),
        Row(
            "another total size",
            206,
            ["Content-Range": "bytes 100-1000/1001"],
            from100,
            .mismatch(.totalMismatch(known: 1000, received: 1001))
        ),
        Row(
            "another Content-Length",
            206,
            ["Content-Range": "bytes 100-999/1000", "Content-Length": "899"],
            from100,
            other("bytes 100-999/1000")
        ),
        Row("no Content-Range", 206, [:], from100, other(nil)),
        Row(
            "malformed Content-Range",
            206,
            ["Content-Range": "bytes 100-/1000"],
            from100,
            other(nil)
        ),
        Row(
            "two Content-Range fields",
            206,
            ["Content-Range": "bytes 100-999/1000", "content-range": "bytes 0-9/1000"],
            from100,
            other(nil)
        ),
        Row(
            "multipart/byteranges",
            206,
            ["Content-Type": "multipart/byteranges; boundary=x"],
            from100,
            other(nil)
        ),
        Row(
            "another ETag",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "\"b\""],
            from100,
            .mismatch(.representationChanged)
        ),
        Row(
            "weak ETag",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "W/\"a\""],
            from100,
            .mismatch(.representationChanged)
        ),
        Row(
            "malformed ETag",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "a"],
            from100,
            .mismatch(.representationChanged)
        ),
        Row(
            "same date",
            206,
            [
                "Content-Range": "bytes 100-999/1000",
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
            ],
            dated,
            .partialBody(total: 1000)
        ),
        Row(
            "another date",
            206,
            [
                "Content-Range": "bytes 100-999/1000",
                "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT",
            ],
            dated,
            .mismatch(.representationChanged)
        ),
        Row(
            "complete already, total unknown",
            416,
            ["Content-Range": "bytes */100"],
            dated,
            .complete
        ),
        Row(
            "complete already, total known",
            416,
            ["Content-Range": "bytes */1000"],
            .init(offset: 1000, validator: "\"a\"", total: 1000),
            .complete
        ),
        Row(
            "416 with a smaller total than known",
            416,
            ["Content-Range": "bytes */100"],
            from100,
            .mismatch(.noRemainingBytes(offset: 100, total: 100))
        ),
        Row(
            "416 with another total",
            416,
            ["Content-Range": "bytes */50"],
            dated,
            .mismatch(.noRemainingBytes(offset: 100, total: 50))
        ),
        Row(
            "416 without a total",
            416,
            [:],
            dated,
            .mismatch(.noRemainingBytes(offset: 100, total: nil))
        ),
        Row(
            "416 without a requested range",
            416,
            ["Content-Range": "bytes */0"],
            .init(),
            .unsuccessful
        ),
    ])
    func `a response head is accepted or rejected according to the requested range`(row: Row) {
        #expect(DownloadDecision.decide(row.status, row.headers, row.rangeRequest) == row.decision)
    }

    private static let changed = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static let states: [(HTTPHeaders, String?)] = [
        ([:], nil), (["ETag": "\"a\""], "\"a\""), (["ETag": "W/\"a\""], nil), (["ETag": "a"], nil),
        (["Last-Modified": changed], nil), (["Last-Modified": changed, "Date": changed], nil),
        (["Last-Modified": changed, "Date": "Sun, 06 Nov 1994 08:49:38 GMT"], changed),
        (["Last-Modified": changed, "Date": "Sun, 06 Nov 1994 08:49:36 GMT"], nil),
        (["Last-Modified": "yesterday", "Date": changed], nil),
        (
            [
                "ETag": "W/\"a\"", "Last-Modified": changed,
                "Date": "Sun, 06 Nov 1994 09:49:38 GMT",
            ], nil
        ),
    ]

    @Test(arguments: states)
    func `only a strong validator is used for resuming`(headers: HTTPHeaders, validator: String?) {
        #expect(DownloadDecision.validator(in: headers) == validator)
    }
}

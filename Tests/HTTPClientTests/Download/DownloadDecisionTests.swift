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

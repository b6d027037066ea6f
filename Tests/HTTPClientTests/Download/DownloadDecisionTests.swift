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
        Row("all", .ok, ["Content-Length": "7"], .init(), .fullBody(total: 7)),
        Row("all, length unknown", .ok, [:], .init(), .fullBody(total: nil)),
        Row("all in chunks", .ok, ["Transfer-Encoding": "chunked"], .init(), .fullBody(total: nil)),
        Row("another success", 203, [:], .init(), .fullBody(total: nil)),
        Row("changed since", .ok, ["Content-Length": "7"], from100, .fullBody(total: 7)),
        Row("missing", .notFound, ["Content-Length": "7"], from100, .unsuccessful),
        Row("moved", 302, [:], .init(), .unsuccessful),
        Row("broken", 503, [:], from100, .unsuccessful),
        Row(
            "an unasked part",
            206,
            ["Content-Range": "bytes 0-6/7"],
            .init(),
            .mismatch(.unexpectedPartialContent)
        ),
        Row(
            "a part asked for by the caller",
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
            "the rest of what is known",
            206,
            ["Content-Range": "bytes 100-999/*"],
            from100,
            .partialBody(total: 1000)
        ),
        Row(
            "the rest of unknown size",
            206,
            ["Content-Range": "bytes 100-150/*"],
            dated,
            .partialBody(total: nil)
        ),
        Row(
            "the rest with its tag",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "\"a\""],
            from100,
            .partialBody(total: 1000)
        ),
        Row(
            "too early",
            206,
            ["Content-Range": "bytes 99-999/1000"],
            from100,
            other("bytes 99-999/1000")
        ),
        Row(
            "too late",
            206,
            ["Content-Range": "bytes 101-999/1000"],
            from100,
            other("bytes 101-999/1000")
        ),
        Row(
            "too short",
            206,
            ["Content-Range": "bytes 100-998/1000"],
            from100,
            other("bytes 100-998/1000")
        ),
        Row(
            "of another size",
            206,
            ["Content-Range": "bytes 100-1000/1001"],
            from100,
            .mismatch(.totalMismatch(known: 1000, received: 1001))
        ),
        Row(
            "with another length",
            206,
            ["Content-Range": "bytes 100-999/1000", "Content-Length": "899"],
            from100,
            other("bytes 100-999/1000")
        ),
        Row("without a range", 206, [:], from100, other(nil)),
        Row(
            "with a malformed range",
            206,
            ["Content-Range": "bytes 100-/1000"],
            from100,
            other(nil)
        ),
        Row(
            "with two ranges",
            206,
            ["Content-Range": "bytes 100-999/1000", "content-range": "bytes 0-9/1000"],
            from100,
            other(nil)
        ),
        Row(
            "in several parts",
            206,
            ["Content-Type": "multipart/byteranges; boundary=x"],
            from100,
            other(nil)
        ),
        Row(
            "of another state",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "\"b\""],
            from100,
            .mismatch(.representationChanged)
        ),
        Row(
            "of a weak state",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "W/\"a\""],
            from100,
            .mismatch(.representationChanged)
        ),
        Row(
            "of a garbled state",
            206,
            ["Content-Range": "bytes 100-999/1000", "ETag": "a"],
            from100,
            .mismatch(.representationChanged)
        ),
        Row(
            "of the same date",
            206,
            [
                "Content-Range": "bytes 100-999/1000",
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
            ],
            dated,
            .partialBody(total: 1000)
        ),
        Row(
            "of another date",
            206,
            [
                "Content-Range": "bytes 100-999/1000",
                "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT",
            ],
            dated,
            .mismatch(.representationChanged)
        ),
        Row("complete already", 416, ["Content-Range": "bytes */100"], dated, .complete),
        Row(
            "complete, and known to be",
            416,
            ["Content-Range": "bytes */1000"],
            .init(offset: 1000, validator: "\"a\"", total: 1000),
            .complete
        ),
        Row(
            "nothing behind, but more is known",
            416,
            ["Content-Range": "bytes */100"],
            from100,
            .mismatch(.noRemainingBytes(offset: 100, total: 100))
        ),
        Row(
            "nothing behind of another size",
            416,
            ["Content-Range": "bytes */50"],
            dated,
            .mismatch(.noRemainingBytes(offset: 100, total: 50))
        ),
        Row(
            "nothing behind of who knows",
            416,
            [:],
            dated,
            .mismatch(.noRemainingBytes(offset: 100, total: nil))
        ),
        Row(
            "416 though all was asked for",
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

import HTTPClient
import Testing
import fetch

@Suite struct ResumePointTests {
    private let eight = ResumePoint(offset: 8)

    private func verdict(
        _ status: HTTPStatus,
        _ fields: [(FieldName, String)],
        by continuation: ResumePoint? = nil
    ) -> ResumePoint.Outcome {
        var headers = HTTPHeaders()
        for (name, value) in fields { headers.append(name, value) }
        return (continuation ?? eight).evaluate(status, headers)
    }

    private func isRefused(_ verdict: ResumePoint.Outcome) -> Bool {
        if case .refused = verdict { true } else { false }
    }

    @Test(arguments: [
        [(FieldName.contentRange, "bytes 8-19/20"), (.contentLength, "12")],
        [(.contentRange, "bytes 8-19/20")],
        [(.contentRange, "bytes 8-19/*"), (.contentLength, "12")],
        [(.contentRange, "BYTES 8-19/20")],
        [(.contentRange, "bytes 8-19/20"), (.transferEncoding, "chunked"), (.contentLength, "1")],
    ])
    func `a part from the end of the file to the end of the document is the rest`(
        fields: [(FieldName, String)]
    ) {
        #expect(verdict(.partialContent, fields) == .remainder(bytes: 12))
    }

    @Test(arguments: [
        [],
        [(FieldName.contentRange, "bytes 0-19/20")],
        [(.contentRange, "bytes 9-19/20")],
        [(.contentRange, "bytes 8-18/20")],
        [(.contentRange, "bytes 8-20/20")],
        [(.contentRange, "bytes */20")],
        [(.contentRange, "lines 8-19/20")],
        [(.contentRange, "bytes +8-19/20")],
        [(.contentRange, "bytes 8-19")],
        [(.contentRange, "bytes 8-19/20"), (.contentRange, "bytes 8-19/20")],
        [(.contentRange, "bytes 8-19/20"), (.contentLength, "11")],
        [(.contentRange, "bytes 8-9/10"), (.contentLength, "12")],
        [(.contentRange, "bytes 8-18446744073709551615/18446744073709551616")],
        [(.contentType, "multipart/byteranges; boundary=b")],
    ])
    func `a part with another range is rejected`(fields: [(FieldName, String)]) {
        #expect(isRefused(verdict(.partialContent, fields)))
    }

    @Test(
        arguments: [
            (HTTPStatus.rangeNotSatisfiable, "bytes */8", true),
            (.rangeNotSatisfiable, "bytes */9", false),
            (.rangeNotSatisfiable, "bytes */7", false),
            (.rangeNotSatisfiable, "lines */8", false),
            (.rangeNotSatisfiable, "bytes 8-8/8", false),
            (.rangeNotSatisfiable, nil, false),
            (.notModified, nil, true),
            (.ok, nil, false),
            (.ok, "bytes 8-19/20", false),
            (.noContent, nil, false),
        ] as [(HTTPStatus, String?, Bool)]
    )
    func `a file is complete only if the document ends where it does`(
        status: HTTPStatus,
        range: String?,
        isComplete: Bool
    ) {
        let verdict = verdict(status, range.map { [(.contentRange, $0)] } ?? [])
        #expect(isComplete ? verdict == .complete : isRefused(verdict))
    }

    @Test(arguments: [HTTPStatus.found, .notFound, .serviceUnavailable])
    func `an error response is not about the document`(status: HTTPStatus) {
        #expect(verdict(status, []) == .other)
    }

    @Test func `a later attempt sends the first strong entity tag in If-Range`() {
        var continuation = eight
        #expect(continuation.fields.map(\.description) == ["Range: bytes=8-"])
        continuation.updateEntityTag(from: [.etag: "W/\"1\""])
        #expect(continuation.entityTag == nil)
        continuation.updateEntityTag(from: [.etag: "\"1\""])
        continuation.updateEntityTag(from: [.etag: "\"2\""])
        #expect(
            continuation.fields.map(\.description) == ["Range: bytes=8-", "If-Range: \"1\""]
        )
    }

    @Test(
        arguments: [
            ("\"1\"", true), ("\"2\"", false), ("W/\"1\"", false), ("1", false), (nil, true),
        ]
            as [(String?, Bool)]
    )
    func `a part with another entity tag is rejected`(tag: String?, isRest: Bool) {
        var continuation = eight
        continuation.updateEntityTag(from: [.etag: "\"1\""])
        let fields =
            [(FieldName.contentRange, "bytes 8-19/20")] + (tag.map { [(.etag, $0)] } ?? [])
        let verdict = verdict(.partialContent, fields, by: continuation)
        #expect(isRest ? verdict == .remainder(bytes: 12) : isRefused(verdict))
    }

    @Test(
        arguments: [
            ("-", .fileEnd), ("0", .bytes(0)), ("9223372036854775807", .bytes(.max)),
            ("9223372036854775808", nil), ("+5", nil), ("-5", nil), ("5x", nil), ("", nil),
            ("0x5", nil), (" 5", nil),
        ] as [(String, ResumeOffset?)]
    )
    func `a resume offset is a dash or digits only`(text: String, expected: ResumeOffset?) {
        #expect(ResumeOffset(argument: text) == expected)
    }

    @Test func `a resumed request has no codings, and a user's Range wins`()
        async throws
    {
        let url = try TargetURL("http://a/b")
        func head(_ lines: [HeaderLine]) async throws -> [String] {
            let plan = try RequestPlan(
                method: nil,
                isHeadOnly: false,
                userAgent: [],
                acceptsCompression: true,
                lines: lines,
                data: nil,
                dataGoesToQuery: false
            )
            return try await SentHead.lines(plan, url, resumePoint: eight)
        }
        let common = ["GET /b HTTP/1.1", "Host: a", "Accept: */*", "Accept-Encoding: identity"]
        #expect(try await head([]) == common + ["Range: bytes=8-"])
        let own = try await head([.field(name: "range", value: Array("bytes=1-".utf8))])
        #expect(own == common + ["range: bytes=1-"])
    }
}

import HTTPClient
import Testing

@Suite struct HTTPHeadersValuesTests {
    /// The lines of one field and its parsed value; nil if the field is malformed.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: FieldName
        let lines: [String]
        let expected: String?
        let read: @Sendable (HTTPHeaders) -> String?

        var testDescription: String { "\(name): \(lines)" }

        init<Value>(
            _ name: FieldName,
            _ lines: [String],
            _ expected: String?,
            _ read: @escaping @Sendable (HTTPHeaders) -> Value?
        ) {
            self.name = name
            self.lines = lines
            self.expected = expected
            self.read = { headers in read(headers).map { "\($0)" } }
        }
    }

    private static let moment = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(arguments: [
        Row(.contentType, ["Text/HTML;charset=x"], "text/html; charset=x", \.contentType),
        Row(.contentType, ["text"], nil, \.contentType),
        Row(.contentType, ["text/a", "text/a"], "text/a", \.contentType),
        Row(.contentType, ["text/a", "text/b"], nil, \.contentType),
        Row(.contentLength, ["17"], "17", \.contentLength),
        Row(.contentLength, ["17, 17", "17"], "17", \.contentLength),
        Row(.contentLength, ["17", "18"], nil, \.contentLength),
        Row(.contentLength, ["+17"], nil, \.contentLength),
        Row(.contentLength, ["9223372036854775807"], "9223372036854775807", \.contentLength),
        Row(.contentLength, ["9223372036854775808"], nil, \.contentLength),
        Row(.etag, ["W/\"a\""], "W/\"a\"", \.entityTag), Row(.etag, ["a"], nil, \.entityTag),
        Row(.etag, ["\"a\"", "\"b\""], nil, \.entityTag),
        Row(.lastModified, ["Sunday, 06-Nov-94 08:49:37 GMT"], moment, \.lastModified),
        Row(.lastModified, ["0"], nil, \.lastModified),
        Row(.date, ["Sun Nov  6 08:49:37 1994"], moment, \.date), Row(.date, ["x"], nil, \.date),
        Row(.cacheControl, ["no-store", "max-age=5"], "no-store, max-age=5", \.cacheControl),
        Row(
            .contentDisposition,
            ["attachment; filename=\"../../a.txt\""],
            "a.txt",
            \.contentDisposition?.safeFileName
        ),
        Row(.contentDisposition, ["; x"], nil, \.contentDisposition),
        Row(.contentRange, ["bytes 0-4/9"], "bytes 0-4/9", \.contentRange),
        Row(.contentRange, ["bytes 4-0/9"], nil, \.contentRange),
        Row(.retryAfter, ["120"], "120", \.retryAfter),
        Row(.retryAfter, [moment], moment, \.retryAfter),
        Row(.retryAfter, ["-1"], nil, \.retryAfter),
        Row(.location, ["../b c?d"], "../b%20c?d", \.location),
        Row(.location, ["http://a:b/"], nil, \.location),
        Row(.location, ["/a", "/b"], nil, \.location),
        Row(.link, ["</a>; rel=next, </b>", "</c>"], "/a /b /c") { headers in
            headers.links.map(\.target).joined(separator: " ")
        },
        Row(.link, ["broken"], "0", \.links.count),
        Row(.allow, ["GET, HEAD", "a b, PUT"], "GET HEAD PUT") { headers in
            headers.allow?.map(\.rawValue).joined(separator: " ")
        },
        Row(.allow, [""], "[]", \.allow),
    ])
    func `a typed header field is parsed, or nil if malformed`(row: Row) {
        var headers = HTTPHeaders()
        if !row.lines.isEmpty { #expect(row.read(headers) == nil || row.name == .link) }
        for line in row.lines { headers.append(row.name, line) }
        #expect(row.read(headers) == row.expected)
        // The raw text is available in any case.
        #expect(headers.values(row.name) == row.lines)
    }

    @Test func `Date determines the century of two-digit years in other fields`() {
        var headers: HTTPHeaders = [.lastModified: "Wednesday, 01-Jan-70 00:00:00 GMT"]
        #expect(headers.lastModified?.secondsSince1970 == 0)
        headers[.date] = "Wed, 01 Jan 2064 00:00:00 GMT"
        #expect(headers.lastModified?.description.contains("2070") == true)
    }
}

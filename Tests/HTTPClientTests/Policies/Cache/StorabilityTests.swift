import HTTPClient
import Testing
import Wire

/// Tests which responses are stored (RFC 9111 §3), and which of their fields (§3.1).
@Suite struct StorabilityTests {
    struct Row: Sendable, CustomStringConvertible {
        let description: String
        let method: HTTPMethod
        let request: [String]
        let status: HTTPStatus
        let response: [String]
        let mode: HTTPRequest.CacheMode
        let refusal: CacheRules.Refusal?

        init(
            _ description: String,
            method: HTTPMethod = .get,
            request: [String] = [],
            _ status: HTTPStatus = 200,
            _ response: [String] = ["Cache-Control: max-age=10"],
            mode: HTTPRequest.CacheMode = .default,
            is refusal: CacheRules.Refusal?
        ) {
            self.description = description
            self.method = method
            self.request = request
            self.status = status
            self.response = response
            self.mode = mode
            self.refusal = refusal
        }
    }

    /// RFC 9111 §3, the request.
    private static let requests: [Row] = [
        Row("GET", is: nil),
        Row("HEAD", method: .head, is: .method), Row("POST", method: .post, is: .method),
        Row("PUT", method: .put, is: .method),
        Row("OPTIONS", method: .options, is: .method),
        Row("unknown method", method: "QUERY", is: .method),
        Row("method in lower case", method: "get", is: .method),
        Row("no-store in the request", request: ["Cache-Control: no-store"], is: .requestNoStore),
        Row("no-cache in the request", request: ["Cache-Control: no-cache"], is: nil),
        Row(
            "malformed no-store in the request",
            request: ["Cache-Control: no-store=x"],
            is: .requestNoStore
        ),
        Row("mode noStore", mode: .noStore, is: .mode), Row("mode reload", mode: .reload, is: nil),
        Row("mode noCache", mode: .noCache, is: nil),
        Row("mode forceCache", mode: .forceCache, is: nil),
        Row("If-None-Match of the caller", request: ["If-None-Match: \"a\""], is: .mode),
        Row("If-Modified-Since of the caller", request: ["If-Modified-Since: @0"], is: .mode),
        Row("If-Match of the caller", request: ["If-Match: \"a\""], is: .mode),
        Row("If-Unmodified-Since of the caller", request: ["If-Unmodified-Since: @0"], is: .mode),
        Row("content of a GET", request: ["Content-Length: 5"], is: .requestContent),
        Row(
            "content without a length",
            request: ["Transfer-Encoding: chunked"],
            is: .requestContent
        ),
        Row("content of zero bytes", request: ["Content-Length: 0"], is: nil),
        Row("Authorization", request: ["Authorization: Basic eA=="], is: nil),
        Row("Cookie", request: ["Cookie: a=b"], is: nil),
    ]

    /// RFC 9111 §3, the status.
    private static let statuses: [Row] = [
        Row("100", 100, is: .interim), Row("103", 103, is: .interim),
        Row("304", 304, is: .notModified),
        Row("201", 201, is: nil), Row("204", 204, is: nil), Row("299", 299, is: nil),
        Row("302", 302, is: nil),
        Row("400", 400, is: nil), Row("403", 403, is: nil), Row("404", 404, is: nil),
        Row("500", 500, is: nil),
        Row("503", 503, is: nil), Row("599", 599, is: nil), Row("600", 600, is: nil),
        Row("401", 401, is: .status), Row("407", 407, is: .status), Row("412", 412, is: .status),
        Row("416", 416, is: .status), Row("417", 417, is: .status), Row("421", 421, is: .status),
        Row("425", 425, is: .status), Row("428", 428, is: .status), Row("429", 429, is: .status),
        Row("431", 431, is: .status), Row("511", 511, is: .status),
        Row("302 without a lifetime", 302, ["ETag: \"a\""], is: .noPermission),
        Row("302 with Expires", 302, ["Expires: @5000"], is: nil),
        Row("302 with public", 302, ["Cache-Control: public", "ETag: \"a\""], is: nil),
        Row("302 with private", 302, ["Cache-Control: private", "ETag: \"a\""], is: nil),
        Row(
            "302 with s-maxage",
            302,
            ["Cache-Control: s-maxage=9", "ETag: \"a\""],
            is: .noPermission
        ),
        Row("404 without a lifetime", 404, ["ETag: \"a\""], is: nil),
        Row("503 without a lifetime", 503, ["ETag: \"a\""], is: .noPermission),
        Row("599 without a lifetime", 599, ["ETag: \"a\""], is: .noPermission),
    ]

    /// RFC 9111 §5.2.2 and §4.1.
    private static let directives: [Row] = [
        Row("no-store", 200, ["Cache-Control: no-store"], is: .responseNoStore),
        Row(
            "no-store with max-age",
            200,
            ["Cache-Control: max-age=9, No-Store"],
            is: .responseNoStore
        ),
        Row(
            "no-store in a second line",
            200,
            ["Cache-Control: max-age=9", "Cache-Control: no-store"],
            is: .responseNoStore
        ),
        Row(
            "no-store with an argument",
            200,
            ["Cache-Control: no-store=\"a\", max-age=9"],
            is: .responseNoStore
        ),
        Row("private", 200, ["Cache-Control: private, max-age=9"], is: nil),
        Row("private with fields", 200, ["Cache-Control: private=\"a\", max-age=9"], is: nil),
        Row("proxy-revalidate", 200, ["Cache-Control: proxy-revalidate, max-age=9"], is: nil),
        Row("must-revalidate", 200, ["Cache-Control: must-revalidate, max-age=9"], is: nil),
        Row("unknown directive", 200, ["Cache-Control: foo, max-age=9"], is: nil),
        Row(
            "must-understand and no-store",
            200,
            ["Cache-Control: must-understand, no-store, max-age=9"],
            is: nil
        ),
        Row(
            "must-understand of 299",
            299,
            ["Cache-Control: must-understand, max-age=9"],
            is: .statusNotUnderstood
        ),
        Row(
            "must-understand and no-store of 299",
            299,
            ["Cache-Control: must-understand, no-store, max-age=9"],
            is: .statusNotUnderstood
        ),
        Row(
            "must-understand of 404",
            404,
            ["Cache-Control: must-understand, no-store, max-age=9"],
            is: nil
        ),
        Row(
            "must-understand of 418",
            418,
            ["Cache-Control: must-understand, max-age=9"],
            is: .statusNotUnderstood
        ),
        Row("Vary", 200, ["Cache-Control: max-age=9", "Vary: Accept"], is: nil),
        Row("Vary with an asterisk", 200, ["Cache-Control: max-age=9", "Vary: *"], is: .vary),
        Row(
            "Vary with an asterisk in a list",
            200,
            ["Cache-Control: max-age=9", "Vary: Accept, *"],
            is: .vary
        ),
        Row(
            "Vary with an asterisk in a second line",
            200,
            ["Cache-Control: max-age=9", "Vary: Accept", "Vary: *"],
            is: .vary
        ),
        Row(
            "Vary with a malformed name",
            200,
            ["Cache-Control: max-age=9", "Vary: a b"],
            is: .vary
        ),
        Row("empty Vary", 200, ["Cache-Control: max-age=9", "Vary: "], is: nil),
        Row("neither lifetime nor validator", 200, [], is: .neverUsable),
        Row("only an entity tag", 200, ["ETag: \"a\""], is: nil),
        Row("only a weak entity tag", 200, ["ETag: W/\"a\""], is: nil),
        Row("only a malformed entity tag", 200, ["ETag: a"], is: .neverUsable),
        Row("different entity tags", 200, ["ETag: \"a\"", "ETag: \"b\""], is: .neverUsable),
        Row("only Last-Modified", 200, ["Last-Modified: @0"], is: nil),
        // It is no validator, but gives a lifetime (§4.2).
        Row(
            "only Last-Modified in lower case",
            200,
            ["Last-Modified: fri, 01 jan 1960 00:00:00 gmt"],
            is: nil
        ),
        Row(
            "max-age of zero without a validator",
            200,
            ["Cache-Control: max-age=0"],
            is: .neverUsable
        ),
        Row(
            "max-age of zero with a validator",
            200,
            ["Cache-Control: max-age=0", "ETag: \"a\""],
            is: nil
        ),
        Row(
            "stale-while-revalidate without a validator",
            200,
            ["Cache-Control: max-age=0, stale-while-revalidate=9"],
            is: nil
        ),
        Row(
            "stale-if-error without a validator",
            200,
            ["Cache-Control: max-age=0, stale-if-error=9"],
            is: nil
        ),
        Row(
            "no-cache without a validator",
            200,
            ["Cache-Control: no-cache, max-age=9"],
            is: .neverUsable
        ),
        Row("no-cache with a validator", 200, ["Cache-Control: no-cache", "ETag: \"a\""], is: nil),
        Row(
            "no-cache of fields without a validator",
            200,
            ["Cache-Control: no-cache=\"a\", max-age=9"],
            is: nil
        ),
        Row("Expires in the past", 200, ["Expires: 0"], is: .neverUsable),
    ]

    /// RFC 9111 §3.3.
    private static let partial: [Row] = [
        Row("206", 206, ["Content-Range: bytes 0-9/20", "ETag: \"a\""], is: nil),
        Row(
            "206 with a strong date",
            206,
            ["Content-Range: bytes 0-9/20", "Date: @9", "Last-Modified: @8"],
            is: nil
        ),
        Row(
            "206 with a weak date",
            206,
            ["Content-Range: bytes 0-9/20", "Date: @9", "Last-Modified: @9"],
            is: .partial
        ),
        Row(
            "206 with a weak tag",
            206,
            ["Content-Range: bytes 0-9/20", "ETag: W/\"a\""],
            is: .partial
        ),
        Row(
            "206 without a validator",
            206,
            ["Content-Range: bytes 0-9/20", "Cache-Control: max-age=9"],
            is: .partial
        ),
        Row(
            "206 of unknown length",
            206,
            ["Content-Range: bytes 0-9/*", "ETag: \"a\""],
            is: .partial
        ),
        Row("206 without Content-Range", 206, ["ETag: \"a\""], is: .partial),
        Row(
            "206 with another unit",
            206,
            ["Content-Range: rows 0-9/20", "ETag: \"a\""],
            is: .partial
        ),
    ]

    @Test(arguments: requests + statuses + directives + partial)
    func `a response is stored or refused with a reason`(row: Row) {
        let refusal = CacheRules.refusal(
            of: CacheHeads.response(row.status, row.response),
            to: CacheHeads.request(row.method, row.request),
            mode: row.mode,
            at: CacheHeads.date(1000)
        )
        #expect(refusal == row.refusal)
    }

    /// RFC 9111 §3.1.
    @Test(
        arguments: [
            ("Connection", ["Connection: close"], []),
            ("Keep-Alive", ["Keep-Alive: timeout=5"], []),
            ("Transfer-Encoding", ["Transfer-Encoding: chunked"], []),
            ("Upgrade", ["Upgrade: h2c"], []), ("TE", ["TE: trailers"], []),
            ("Proxy-Connection", ["Proxy-Connection: close"], []),
            ("Proxy-Authenticate", ["Proxy-Authenticate: Basic"], []),
            ("Proxy-Authentication-Info", ["Proxy-Authentication-Info: a=b"], []),
            (
                "a field that Connection names", ["Connection: a, B", "A: 1", "b: 2", "c: 3"],
                ["c: 3"]
            ),
            (
                "a field that a second Connection names",
                ["Connection: a", "Connection: b", "b: 2"], []
            ),
            ("Vary, although Connection names it", ["Connection: vary", "Vary: a"], ["Vary: a"]),
            (
                "Cache-Control, although Connection names it",
                ["Connection: cache-control", "Cache-Control: no-cache"],
                ["Cache-Control: no-cache"]
            ),
            ("Set-Cookie", ["Set-Cookie: a=b"], ["Set-Cookie: a=b"]),
            ("other fields in order", ["b: 1", "a: 2", "b: 3"], ["b: 1", "a: 2", "b: 3"]),
        ] as [(String, [String], [String])]
    )
    func `fields of one connection are not stored`(
        name: String,
        received: [String],
        stored: [String]
    ) {
        let fields = CacheUpdate.storedFields(of: CacheHeads.fields(received))
        #expect(fields == CacheHeads.fields(stored))
    }

    /// RFC 9110 §15.1: the statuses that are cacheable by default.
    private static let cacheable: Set = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// The statuses whose responses are for one request.
    private static let single: Set = [401, 407, 412, 416, 417, 421, 425, 428, 429, 431, 511]

    /// The final statuses that RFC 9110 §15 defines.
    private static let defined: Set = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 305, 307, 308, 400, 401, 402, 403,
        404, 405, 406,
        407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503,
        504, 505,
    ]

    @Test(arguments: 100...599)
    func `each status has its rule`(code: Int) {
        let status = HTTPStatus(code)
        func refusal(_ control: String) -> CacheRules.Refusal? {
            let range = code == 206 ? ["Content-Range: bytes 0-0/2"] : []
            return CacheRules.refusal(
                of: CacheHeads.response(status, ["ETag: \"a\"", control] + range),
                to: CacheHeads.request(),
                at: CacheHeads.date(1000)
            )
        }
        let never: CacheRules.Refusal? =
            code < 200
            ? .interim : code == 304 ? .notModified : Self.single.contains(code) ? .status : nil
        #expect(refusal("Cache-Control: max-age=10") == never)
        #expect(refusal("X: 1") == never ?? (Self.cacheable.contains(code) ? nil : .noPermission))
        #expect(refusal("Cache-Control: public, no-store") == never ?? .responseNoStore)
        #expect(
            refusal("Cache-Control: public, no-store, must-understand")
                == never ?? (Self.defined.contains(code) ? nil : .statusNotUnderstood)
        )
    }

    @Test func `reasons have different texts`() {
        #expect(
            Set(CacheRules.Refusal.allCases.map(\.rawValue)).count
                == CacheRules.Refusal.allCases.count
        )
    }
}

import HTTPClient
import Testing
import Wire

/// Tests updates by 304 and HEAD (RFC 9111 §3.2, §4.3), and invalidation (§4.4).
@Suite struct CacheUpdateTests {
    /// RFC 9111 §4.3.4: the fields of the 304, those of the stored response, and whether the first confirms the second.
    @Test(
        arguments: [
            ("strong tag", ["ETag: \"a\""], ["ETag: \"a\""], true),
            ("another strong tag", ["ETag: \"a\""], ["ETag: \"b\""], false),
            ("strong tag, stored as weak", ["ETag: \"a\""], ["ETag: W/\"a\""], false),
            ("strong tag, stored without", ["ETag: \"a\""], ["Last-Modified: @50"], false),
            ("weak tag", ["ETag: W/\"a\""], ["ETag: W/\"a\""], true),
            ("weak tag, stored as strong", ["ETag: W/\"a\""], ["ETag: \"a\""], true),
            ("another weak tag", ["ETag: W/\"a\""], ["ETag: W/\"b\""], false),
            (
                "tag differs, date is equal", ["ETag: \"b\"", "Last-Modified: @50"],
                ["ETag: \"a\"", "Last-Modified: @50"], false
            ),
            (
                "tag is equal, date differs", ["ETag: \"a\"", "Last-Modified: @60"],
                ["ETag: \"a\"", "Last-Modified: @50"], true
            ),
            ("weak date", ["Last-Modified: @50"], ["Last-Modified: @50"], true),
            (
                "strong date", ["Last-Modified: @50", "Date: @990"],
                ["Last-Modified: @50", "Date: @900"], true
            ),
            ("another date", ["Last-Modified: @60"], ["Last-Modified: @50"], false),
            (
                "date, stored with a tag", ["Last-Modified: @50"],
                ["ETag: \"a\"", "Last-Modified: @50"], true
            ),
            (
                "another date, stored with a tag", ["Last-Modified: @60"],
                ["ETag: \"a\"", "Last-Modified: @50"], false
            ),
            ("date, stored without", ["Last-Modified: @60"], [], false),
            ("no validator", [], ["ETag: \"a\""], true),
            ("no validator, stored without", [], [], true),
            ("malformed tag", ["ETag: a"], ["ETag: \"a\""], true),
        ] as [(String, [String], [String], Bool)]
    )
    func `a 304 confirms a stored response`(
        name: String,
        lines: [String],
        stored: [String],
        result: Bool
    ) {
        let head = CacheHeads.response(304, lines)
        #expect(CacheUpdate.confirms(head, CacheHeads.stored(stored)) == result)
    }

    /// RFC 9111 §3.2: the stored fields, those of the 304, and the result; each has the Date of second 1000.
    @Test(
        arguments: [
            ("a field is replaced", ["A: 1"], ["A: 2"], ["A: 2"]),
            ("a field stays", ["A: 1"], ["B: 2"], ["A: 1", "B: 2"]),
            (
                "repeated fields are replaced", ["A: 1", "A: 2"], ["A: 3", "A: 4"],
                ["A: 3", "A: 4"]
            ),
            (
                "Cache-Control", ["Cache-Control: max-age=1"], ["Cache-Control: max-age=2"],
                ["Cache-Control: max-age=2"]
            ),
            ("Expires", ["Expires: @1"], ["Expires: @2"], ["Expires: @2"]),
            ("ETag", ["ETag: \"a\""], ["ETag: W/\"a\""], ["ETag: W/\"a\""]),
            ("Content-Type", ["Content-Type: a/b"], ["Content-Type: c/d"], ["Content-Type: c/d"]),
            (
                "Content-Location", ["Content-Location: /a"], ["Content-Location: /b"],
                ["Content-Location: /b"]
            ),
            ("Set-Cookie", ["Set-Cookie: a=1"], ["Set-Cookie: a=2"], ["Set-Cookie: a=2"]),
            (
                "Content-Length stays", ["Content-Length: 100"], ["Content-Length: 0"],
                ["Content-Length: 100"]
            ),
            ("Content-Length is not added", [], ["Content-Length: 0"], []),
            (
                "Content-Encoding stays", ["Content-Encoding: gzip"], ["Content-Encoding: br"],
                ["Content-Encoding: gzip"]
            ),
            ("Content-Encoding is not added", [], ["Content-Encoding: gzip"], []),
            (
                "Content-Range stays", ["Content-Range: bytes 0-9/20"],
                ["Content-Range: bytes 0-1/2"], ["Content-Range: bytes 0-9/20"]
            ),
            ("Connection is not added", [], ["Connection: close"], []),
            ("Transfer-Encoding is not added", [], ["Transfer-Encoding: chunked"], []),
            ("a field that Connection names", ["A: 1"], ["Connection: a", "A: 2"], ["A: 1"]),
            ("an old Age is removed", ["Age: 50"], [], []),
            ("a new Age", ["Age: 50"], ["Age: 3"], ["Age: 3"]),
        ] as [(String, [String], [String], [String])]
    )
    func `fields are updated`(
        name: String,
        stored: [String],
        newer: [String],
        result: [String]
    ) throws {
        let date = ["Date: @1000"]
        let updated = CacheUpdate.updated(
            CacheHeads.stored(date + stored),
            with: CacheHeads.response(304, date + newer),
            request: [:],
            requestTime: CacheHeads.date(1990),
            responseTime: CacheHeads.date(2000)
        )
        let fields = try #require(updated?.head.headers)
        #expect(fields == CacheHeads.fields(date + result))
        #expect(updated?.head.status == 200)
        #expect(updated?.responseTime == CacheHeads.date(2000))
    }

    /// RFC 9111 §4.3.4: the stored fields, those of the 304, and whether the result is fresh at second 2000.
    @Test(
        arguments: [
            ("new Date", ["Date: @1000", "Cache-Control: max-age=50"], ["Date: @2000"], true),
            ("no Date", ["Date: @1000", "Cache-Control: max-age=50"], [], true),
            ("old Date", ["Date: @1000", "Cache-Control: max-age=50"], ["Date: @1000"], false),
            ("new Age", ["Cache-Control: max-age=50"], ["Date: @2000", "Age: 60"], false),
            ("old Age", ["Cache-Control: max-age=50", "Age: 60"], ["Date: @2000"], true),
            (
                "new max-age", ["Cache-Control: max-age=50"],
                ["Date: @2000", "Cache-Control: max-age=0"], false
            ),
            ("old Expires", ["Expires: @1050"], ["Date: @2000"], false),
            ("new Expires", ["Expires: @1050"], ["Date: @2000", "Expires: @2050"], true),
        ] as [(String, [String], [String], Bool)]
    )
    func `an update renews the freshness`(
        name: String,
        stored: [String],
        newer: [String],
        isFresh: Bool
    ) {
        let time = CacheHeads.date(2000)
        let updated = CacheUpdate.updated(
            CacheHeads.stored(stored),
            with: CacheHeads.response(304, newer),
            request: [:],
            requestTime: time,
            responseTime: time
        )
        #expect(updated?.freshness.isFresh(at: time) == isFresh)
    }

    @Test(
        arguments: [
            ("no-store", ["Cache-Control: no-store"], false), ("Vary of all", ["Vary: *"], false),
            ("must-understand", ["Cache-Control: no-store, must-understand"], true),
            ("nothing", [], true),
        ] as [(String, [String], Bool)]
    )
    func `an update can forbid storing`(name: String, newer: [String], isStored: Bool) {
        let updated = CacheUpdate.updated(
            CacheHeads.stored(["ETag: \"a\""]),
            with: CacheHeads.response(304, newer),
            request: [:],
            requestTime: CacheHeads.date(2000),
            responseTime: CacheHeads.date(2000)
        )
        #expect((updated != nil) == isStored)
    }

    @Test func `an update can change the variant`() {
        let updated = CacheUpdate.updated(
            CacheHeads.stored(["Vary: a"], selectedBy: ["A: 1"]),
            with: CacheHeads.response(304, ["Vary: b"]),
            request: ["a": "1", "b": "2"],
            requestTime: CacheHeads.date(2000),
            responseTime: CacheHeads.date(2000)
        )
        #expect(updated?.variant.selectors == [CacheVariant.Selector(name: "b", value: "2")])
    }

    /// RFC 9111 §4.3.5: the stored response has 100 bytes, the tag "a" and the date of second 50.
    @Test(
        arguments: [
            ("equal", 200, ["ETag: \"a\"", "Last-Modified: @50", "Content-Length: 100"], .update),
            ("no field", 200, [], .update),
            ("only the length", 200, ["Content-Length: 100"], .update),
            ("another length", 200, ["Content-Length: 99"], .invalidate),
            ("another tag", 200, ["ETag: \"b\""], .invalidate),
            ("weak tag", 200, ["ETag: W/\"a\""], .update),
            ("another date", 200, ["ETag: \"a\"", "Last-Modified: @60"], .invalidate),
            ("equal tag, another length", 200, ["ETag: \"a\"", "Content-Length: 99"], .invalidate),
            ("no-store", 200, ["Cache-Control: no-store", "ETag: \"b\""], .ignore),
            ("404", 404, ["ETag: \"b\""], .ignore), ("304", 304, ["ETag: \"b\""], .ignore),
            ("206", 206, ["Content-Length: 99"], .ignore), ("500", 500, [], .ignore),
        ] as [(String, HTTPStatus, [String], CacheUpdate.HeadConsequence)]
    )
    func `the response to a HEAD updates or invalidates`(
        name: String,
        status: HTTPStatus,
        lines: [String],
        result: CacheUpdate.HeadConsequence
    ) {
        let stored = CacheHeads.stored(["ETag: \"a\"", "Last-Modified: @50"])
        #expect(
            CacheUpdate.consequence(ofHead: CacheHeads.response(status, lines), for: stored)
                == result
        )
    }

    /// RFC 9111 §4.3.5: the response to a HEAD is about the representation, and not about an error or a redirect.
    @Test(
        arguments: [
            (200, .update), (203, .update), (206, .update), (204, .invalidate), (301, .invalidate),
            (404, .invalidate), (410, .invalidate),
        ] as [(HTTPStatus, CacheUpdate.HeadConsequence)]
    )
    func `a HEAD updates no stored error`(
        status: HTTPStatus,
        result: CacheUpdate.HeadConsequence
    ) {
        let stored = CacheHeads.stored(["Cache-Control: max-age=60"], status)
        let head = CacheHeads.response(200, ["Cache-Control: max-age=3600"])
        #expect(CacheUpdate.consequence(ofHead: head, for: stored) == result)
    }

    /// RFC 9111 §4.4: the request goes to https://a.test/x/y.
    @Test(
        arguments: [
            ("POST", .post, 200, [], ["/x/y"]), ("PUT", .put, 204, [], ["/x/y"]),
            ("DELETE", .delete, 200, [], ["/x/y"]), ("PATCH", .patch, 200, [], ["/x/y"]),
            ("unknown method", "FOO", 200, [], ["/x/y"]), ("redirect", .post, 303, [], ["/x/y"]),
            ("GET", .get, 200, ["Location: /z"], []), ("HEAD", .head, 200, [], []),
            ("OPTIONS", .options, 200, [], []), ("TRACE", .trace, 200, [], []),
            ("client error", .post, 404, ["Location: /z"], []),
            ("server error", .post, 500, [], []),
            ("interim", .post, 102, [], []), ("unknown status", .post, 600, [], []),
            ("Location", .post, 201, ["Location: /z"], ["/x/y", "/z"]),
            ("relative Location", .post, 201, ["Location: z"], ["/x/y", "/x/z"]),
            ("absolute Location", .post, 201, ["Location: https://a.test/z"], ["/x/y", "/z"]),
            (
                "Location with the default port", .post, 201, ["Location: https://A.test:443/z"],
                ["/x/y", "/z"]
            ),
            ("Location with a fragment", .post, 201, ["Location: /z#f"], ["/x/y", "/z"]),
            ("Location of another host", .post, 201, ["Location: https://b.test/z"], ["/x/y"]),
            ("Location of another port", .post, 201, ["Location: https://a.test:444/z"], ["/x/y"]),
            ("Location of another scheme", .post, 201, ["Location: http://a.test/z"], ["/x/y"]),
            ("malformed Location", .post, 201, ["Location: http://["], ["/x/y"]),
            ("Location equal to the target", .post, 201, ["Location: /x/y"], ["/x/y"]),
            ("Content-Location", .put, 200, ["Content-Location: /z"], ["/x/y", "/z"]),
            (
                "Content-Location of another host", .put, 200,
                ["Content-Location: https://b.test/z"], ["/x/y"]
            ),
            ("both", .put, 200, ["Content-Location: /b", "Location: /a"], ["/x/y", "/a", "/b"]),
        ] as [(String, HTTPMethod, HTTPStatus, [String], [String])]
    )
    func `an unsafe method invalidates`(
        name: String,
        method: HTTPMethod,
        status: HTTPStatus,
        lines: [String],
        paths: [String]
    ) throws {
        let url = try URI("https://a.test/x/y#top")
        let targets = CacheInvalidation.targets(
            of: CacheHeads.response(status, lines),
            to: method,
            url
        )
        #expect(targets.map(\.path) == paths)
        #expect(targets.allSatisfy { $0.origin == url.origin && $0.fragment == nil })
    }
}

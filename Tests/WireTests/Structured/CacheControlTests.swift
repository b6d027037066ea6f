import Testing
import Wire

@Suite struct CacheControlTests {
    @Test(
        .tags(.rfc9111),
        arguments: [
            ("max-age=60", "max-age=60"), ("Max-Age=\"60\" , NO-STORE", "max-age=60, no-store"),
            ("private=\"set-cookie, x\",a=b", "private=\"set-cookie, x\", a=b"),
            ("no-cache=set-cookie", "no-cache=\"set-cookie\""), ("", ""), (" ,, ", ""),
            ("community=\"UCI\"", "community=UCI"), ("a=\"b, \\\"c\"", "a=\"b, \\\"c\""),
            ("private=\"open, no-store", "private=\"\", no-store"), ("=5, public", "public"),
            ("max-age = 5, b", "max-age=\"\", b"), ("max-age= 5, b", "max-age=\"\", b"),
            ("max-age , b", "max-age, b"),
            ("a= \"b, public\", c", "a=\"\", c"), ("a =\"b, public\", c", "a=\"\", c"),
            ("max-age=5 x, b", "max-age=\"\", b"),
            ("a b, c", "a=\"\", c"), ("\u{e9}, c", "c"), ("a=", "a=\"\""), ("\"", ""),
            ("a=\"b,c\"d, e", "a=\"\", e"),
            ("a=\"b, c=\\\", d=\\\"e\\\", f", "a=\"\", c=\"\", d=\"\", f"),
        ]
    )
    func `§5.2: directives are kept, known or unknown`(text: String, formatted: String) {
        let value = CacheControl(text)
        #expect(value?.description == formatted)
        #expect(CacheControl(formatted) == value)
    }

    @Test(
        .tags(.rfc9111),
        arguments: [
            ("max-age=0", 0), ("max-age=3600", 3600), ("max-age=60, max-age=5", 60), ("max-age", 0),
            ("max-age=-1", 0), ("max-age=+1", 0), ("max-age=1.5", 0), ("max-age=\"7\"", 7),
            ("max-age=2147483648", 2_147_483_648), ("max-age=99999999999999999999", 2_147_483_648),
            ("s-maxage=1", nil), ("", nil), ("x-max-age=5", nil),
        ] as [(String, Int?)]
    )
    func `§1.2.2: only digits are seconds, and overflow becomes the largest value`(
        text: String,
        seconds: Int?
    ) {
        #expect(CacheControl(text)?.maxAge == seconds)
    }

    @Test func `§5.2: each known directive is recognized`() {
        let value = CacheControl(
            "no-store, no-cache, no-transform, only-if-cached, public, private, must-revalidate,"
                + "proxy-revalidate, must-understand, immutable, s-maxage=1, min-fresh=2, max-stale,"
                + "stale-while-revalidate=3, stale-if-error=4"
        )!
        #expect(value.isNoStore && value.isNoCache && value.isNoTransform && value.isOnlyIfCached)
        #expect(value.isPublic && value.isPrivate && value.isMustRevalidate)
        #expect(value.isProxyRevalidate && value.isMustUnderstand && value.isImmutable)
        #expect(value.sharedMaxAge == 1 && value.minFresh == 2 && value.maxStale == 2_147_483_648)
        #expect(value.staleWhileRevalidate == 3 && value.staleIfError == 4)
        #expect(CacheControl("max-stale=9")?.maxStale == 9 && CacheControl("")?.maxStale == nil)
        #expect(CacheControl("max-stale=x")?.maxStale == 0)
        #expect(!CacheControl().isNoStore && CacheControl()["no-store"] == nil)
    }

    @Test func `§5.2.2.4: a directive can list field names`() {
        let value = CacheControl("private=\"Set-Cookie,, x-a\", no-cache")!
        #expect(value.fields("PRIVATE") == ["set-cookie", "X-A"])
        #expect(value.fields("no-cache") == [] && value.fields("none") == [])
    }

    @Test func `values are built from directives, and invalid ones are rejected`() {
        let value = CacheControl([
            CacheControl.Directive("Max-Age", seconds: 5)!, CacheControl.Directive("x")!,
        ])
        #expect("\(value)" == "max-age=5, x")
        #expect(CacheControl.Directive("a b") == nil && CacheControl.Directive("a", "\n") == nil)
        #expect(CacheControl("a\0") == nil && CacheControl("a\r\nb: c") == nil)
        #expect(
            Set([
                CacheControl.Directive("a"), CacheControl.Directive("A"),
                CacheControl.Directive("a", ""),
            ]).count == 2
        )
    }

    @Test(arguments: [
        (CacheControl.Directive.maxAge(seconds: 5), "max-age=5", false),
        (.maxStale(seconds: nil), "max-stale", false),
        (.maxStale(seconds: 0), "max-stale=0", false),
        (.minFresh(seconds: 2), "min-fresh=2", false),
        (.noCache, "no-cache", false), (.noStore, "no-store", false),
        (.noTransform, "no-transform", false), (.onlyIfCached, "only-if-cached", false),
        (.maxAge(seconds: -1), "max-age=-1", true), (.maxStale(seconds: -2), "max-stale=-2", true),
        (.minFresh(seconds: -1), "min-fresh=-1", true),
        (CacheControl.Directive("x", "-1")!, "x=-1", false),
    ])
    func `§5.2.1: directives of requests are written, and negative numbers are recognized`(
        directive: CacheControl.Directive,
        text: String,
        isNegative: Bool
    ) {
        #expect(directive.description == text)
        #expect(directive.hasNegativeSeconds == isNegative)
    }
}

import Support
import Testing
import Wire

/// Measures how the work of each parser of field values grows with the length of the value.
@Suite(.timeLimit(.minutes(10))) struct ValueGrowthTests {
    @Test(arguments: fieldParsers + dateParsers + uriParsers)
    func `the work of a parser grows no faster than the value`(parser: ParserGrowth) {
        #expect(parser.superlinearTexts() == [])
    }

    private static let fieldParsers = [
        ParserGrowth(
            "Challenge",
            ["…", "Digest …", "Digest a=\"…", "Digest a=\"…\"", "Digest x, …", "Basic …=", "a,…\""]
        ) {
            _ = Challenge.list([$0]).map { "\($0) \($0.realm ?? "")" }
            _ = Challenge("Digest " + $0)?["nextnonce"]
        },
        ParserGrowth(
            "SetCookie",
            [
                "…", "a=…", "a=b; …", "a=b; path=/…", "a=b; domain=…", "a=b; max-age=…",
                "a=b; expires=…",
            ]
        ) { _ = SetCookie($0)?.text },
        ParserGrowth("CookiePair", ["…", "a=…"]) { _ = CookiePair.list([$0]).map(\.bytes) },
        ParserGrowth(
            "WebLink",
            ["…", "<…", "<…>", "<a>…", "<a>;…", "<a>; rel=\"…", "<a>; title*=UTF-8''…"]
        ) { text in
            let links = WebLink.list([text])
            _ = links.map { "\($0) \($0.relations) \($0.title ?? "") \($0.languages)" }
            _ = links.first { $0.hasRelation("next") && $0.anchor == nil }?.mediaType
        },
        ParserGrowth(
            "ContentDisposition",
            [
                "…", "a;…", "a; filename=…", "a; filename=\"…", "a; filename=\"…\"",
                "a; filename*=UTF-8''…",
            ]
        ) { text in
            _ = ContentDisposition(text).map { "\($0) \($0.safeFileName ?? "")" }
            _ = ContentDisposition("attachment", fileName: text)?.safeFileName
        },
        ParserGrowth("masks", ["…", "http://a/?…", "http://…@a/", "<…>", "a?b=…", "/a#…"]) { text in
            _ = LogText.url(text)
            _ = LogText.line(text)
            _ = SecretNames.common.shown(text, of: "Link")
        },
        ParserGrowth("MediaType", ["…", "a/…", "a/b;…", "a/b; charset=\"…", "a/b; c=\"…\""]) {
            _ = MediaType($0).map { "\($0) \($0.charset ?? "") \($0.boundary ?? "")" }
        },
        ParserGrowth("AcceptHeader", ["…", "a/b;…", "a/b; q=…"]) {
            _ = AcceptHeader($0, limit: .max)?.byPreference
            _ = MediaRange($0)
            _ = QualityValue($0)
        },
        ParserGrowth("CacheControl", ["…", "no-cache=\"…", "no-cache=\"…\"", "max-age=…"]) { text in
            _ = CacheControl(text).map { "\($0) \($0.maxAge ?? 0) \($0.fields("no-cache"))" }
        },
        ParserGrowth("ranges", ["…", "bytes …", "bytes 0-…", "bytes=…", "bytes=0-…"]) {
            _ = ContentRange($0)
            _ = RangeHeader($0, limit: .max)?.positions(in: 9)
        },
        ParserGrowth("EntityTag", ["…", "\"…", "W/\"…\""]) {
            _ = EntityTag($0)
            _ = EntityTag.Condition($0)?.description
        },
        ParserGrowth(
            "StructuredDictionary",
            [
                "…", "a=…", "a=:…", "a=:…:", "a=(…", "a=\"…", "a=\"…\"", "a=%\"…\"", "a;…",
                "a=(1 …)",
                "sha-256=:YQ==:, …",
            ]
        ) { _ = StructuredDictionary($0).map { "\($0) \($0["sha-256"] == nil)" } },
        ParserGrowth("ListSyntax", ["…", "a;…", "a;b=\"…\""]) {
            _ = ListSyntax.elements(of: $0)
            _ = ListSyntax.parameters(of: $0)["b"]
            _ = ListSyntax.unquoted($0)
        },
        ParserGrowth("framing", ["…", "chunked, …", "0, …", "close, …"]) { text in
            for name in [FieldName.connection, .transferEncoding, .contentLength] {
                let headers = HTTPHeaders([(name, text)])
                _ = ConnectionPersistence.closeReason(of: headers, version: .http11)
                _ = try? BodyFraming.ofResponse(
                    to: .get,
                    status: .ok,
                    version: .http11,
                    headers: headers
                )
            }
        },
    ]

    private static let dateParsers = [
        ParserGrowth("HTTPDate", ["…", "Sun, …", "Sunday, …", "Sun …"]) {
            _ = HTTPDate($0)
            _ = RetryAfter($0)
        },
        ParserGrowth("the date of a cookie", ["…", "1 Jan …", "…:…:…"]) {
            _ = HTTPDate(cookieDate: $0)
        },
    ]

    private static let uriParsers = [
        ParserGrowth(
            "URI",
            [
                "…", "http://…", "http://…@a/", "http://[…]/", "http://a:…/", "http://a/…",
                "http://a/?…", "http://a/#…", "urn:…",
            ]
        ) { text in
            let base = try? URI("http://a/b/c?d#e")
            for uri in [try? URI(parsing: text), try? URI(encoding: text)] {
                guard let uri else { continue }
                _ = base?.resolve(uri).origin
                _ = uri.resolve(uri).path
            }
        },
        ParserGrowth("host", ["…", "[…]"]) {
            _ = Origin(scheme: .http, host: $0)
            _ = PercentCoding.decode($0)
        },
    ]
}

import Testing
import Wire

@Suite struct CacheControlVectorTests {
    /// The values of the tests of HTTP caches (http-tests/cache-tests, tests/cc-parse.mjs) and the
    /// seconds that a response is fresh.
    ///
    /// Most of those tests ask what caches do. RFC 9111 says: of repeated directives the first one
    /// counts or the strictest (§4.2.1), and what is malformed had better count as stale.
    @Test(
        .tags(.rfc9111),
        arguments: [
            (["max-age=1800, max-age=1"], 1800), (["max-age=1800", "max-age=1"], 1800),
            (["max-age=1, max-age=1800"], 1), (["max-age=1", "max-age=1800"], 1),
            (["extension=\"max-age=3600\", max-age=1"], 1),
            (["max-age=1, extension=\"max-age=3600\""], 1), (["max-age=\"3600\""], 3600),
            (["max-age =3600"], 0), (["max-age= 3600"], 0), (["max-age=003600"], 3600),
            (["max-age='3600'"], 0), (["max-age=3600.0"], 0), (["max-age=3600.5"], 0),
            (["max-age=a3600"], 0), (["max-age=3600a"], 0),
        ] as [([String], Int)]
    )
    func `cache-tests: Cache-Control gives the freshness lifetime`(lines: [String], seconds: Int) {
        #expect(CacheControl(lines.joined(separator: ", "))?.maxAge == seconds)
    }
}

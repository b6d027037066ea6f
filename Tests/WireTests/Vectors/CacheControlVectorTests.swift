import Testing
import Wire

@Suite struct CacheControlVectorTests {
    /// Values from the tests of HTTP caches (http-tests/cache-tests, tests/cc-parse.mjs), with the
    /// freshness lifetime in seconds.
    ///
    /// Most of those tests are about the behavior of caches. RFC 9111 §4.2.1: of repeated directives, the
    /// first or the most restrictive one applies, and malformed ones should count as stale.
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

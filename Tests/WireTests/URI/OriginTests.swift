import Testing
import Wire

@Suite struct OriginTests {
    @Test func `an origin is scheme, host without case, and port`() throws {
        let origin = try #require(try URI("HTTP://Example.COM:80/x").origin)
        #expect(origin == Origin(scheme: .http, host: "example.com"))
        #expect(origin.hashValue == Origin(scheme: .http, host: "example.com", port: 80).hashValue)
        #expect(origin != Origin(scheme: .https, host: "example.com", port: 80))
        #expect(origin != Origin(scheme: .http, host: "example.com", port: 81))
        #expect(try URI("ftp://a/").origin == nil)
        #expect(try URI("//a/").origin == nil)
    }

    @Test(
        arguments: [
            (.http, "A", nil, "a", "http://a"), (.http, "a", 80, "a", "http://a"),
            (.https, "a", 80, "a:80", "https://a:80"), (.https, "a", 443, "a", "https://a"),
            (.http, "::1", nil, "[::1]", "http://[::1]"),
            (.http, "[::A]", 1, "[::a]:1", "http://[::a]:1"),
        ] as [(Origin.Scheme, String, Int?, String, String)]
    )
    func `the authority has the form of the Host field`(
        scheme: Origin.Scheme,
        host: String,
        port: Int?,
        authority: String,
        description: String
    ) {
        let origin = Origin(scheme: scheme, host: host, port: port)
        #expect(origin.authority == authority)
        #expect(origin.description == description)
        #expect(origin.isDefaultPort == (origin.port == scheme.defaultPort))
    }
}

import HTTPClient
import Testing
import fetch

@Suite struct TargetURLTests {
    @Test(arguments: [
        ("http://a/b", "http://a/b", "a:80"),
        ("localhost:8080/x", "http://localhost:8080/x", "localhost:8080"),
        ("a?q", "http://a/?q", "a:80"),
        ("https://A", "https://A/", "a:443"),
        ("http://a/b/../c/./d#f", "http://a/c/d", "a:80"),
        ("http://a/b c", "http://a/b%20c", "a:80"),
        ("[::1]:80/", "http://[::1]:80/", "::1:80"),
        (
            "b\u{FC}cher.example:8080/\u{FC}", "http://xn--bcher-kva.example:8080/%C3%BC",
            "xn--bcher-kva.example:8080"
        ),
        ("https://u@%61/", "https://u@a/", "a:443"),
    ])
    func `a URL of the command line is normalized`(
        given: String,
        text: String,
        origin: String
    ) throws {
        let url = try TargetURL(given)
        #expect(url.text == text)
        #expect("\(url.origin.host):\(url.origin.port)" == origin)
    }

    @Test(arguments: [
        ("http://", ExitCode.malformedURL), ("http:///x", .malformedURL), ("", .malformedURL),
        ("http:/x", .malformedURL), ("http://[::1", .malformedURL), ("a:99999/", .malformedURL),
        ("javascript:alert(1)", .malformedURL), ("http://a/\r\nb", .malformedURL),
        ("foo://127.0.0.1/", .unsupportedScheme), ("ftp://a/", .unsupportedScheme),
        ("file:///etc/passwd", .unsupportedScheme), ("http://\u{2100}.com/", .malformedURL),
        ("http://a%2Fb/", .malformedURL), ("ex\u{200D}ample.com", .malformedURL),
    ])
    func `an unusable URL is rejected`(given: String, code: ExitCode) {
        let failure = #expect(throws: FetchError.self) { try TargetURL(given) }
        #expect(failure?.code == code)
    }

    @Test(arguments: [
        ("http://a", "x=1", "http://a/?x=1"), ("http://a/?b", "x=1", "http://a/?b&x=1"),
        ("http://a/#f", "x y", "http://a/?x%20y"),
        ("http://a/", "#\r\n&\u{E9}", "http://a/?%23%0D%0A&%C3%A9"),
    ])
    func `data is appended to the query`(given: String, query: String, text: String) throws {
        #expect(try TargetURL(given, query: Array(query.utf8)).text == text)
    }

    @Test func `dot segments are kept with --path-as-is`() throws {
        #expect(try TargetURL("http://a/b/../c", pathAsIs: true).text == "http://a/b/../c")
    }

    @Test(
        arguments: [
            ("http://u:p@a/", "Basic dTpw"), ("http://u@a/", "Basic dTo="),
            ("http://us%40er:p%3a@a/", "Basic dXNAZXI6cDo="), ("http://a/", nil),
        ] as [(String, String?)]
    )
    func `URL credentials become a field`(given: String, expected: String?) throws {
        #expect(try TargetURL(given).authorization == expected)
    }
}

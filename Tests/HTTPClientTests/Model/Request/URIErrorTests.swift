import HTTPClient
import Testing
import Wire

/// Tests that a program that imports HTTPClient gets an `HTTPError` for text that is not a URI.
@Suite struct URIErrorTests {
    private let client = HTTPClient()

    @Test func `errors of URI and of sending are caught as one type`() async {
        func kind(_ text: String) async -> HTTPError.Kind? {
            do {
                let url = try URI(text)
                _ = try await client.send(url)
                return nil
            } catch {
                return error.kind
            }
        }
        let reason = HTTPError.InvalidRequestReason.url(
            "http://a b/",
            .invalidURI(.forbiddenByte, offset: 8)
        )
        #expect(await kind("http://a b/") == .invalidRequest(reason))
        #expect(await kind("relative") == .invalidRequest(.relativeURL("relative")))
    }

    @Test func `a closure that throws HTTPError can create URIs`() {
        func port(_ text: String) throws(HTTPError) -> Int? {
            try URI(percentEncoding: text).port.map { Int($0) }
        }
        #expect(throws: HTTPError.self) { try port("http://[::1") }
        #expect(throws: Never.self) { try port("http://a:1/b c") }
    }

    @Test(arguments: [
        ("http://a b/", InvalidURIReason.forbiddenByte, 8),
        ("http://a:70000/", .invalidPort, 9),
        ("/a b", .forbiddenByte, 2),
        ("/%zz", .invalidPercentTriplet, 1),
        ("http://b\u{fc}cher/", .nonASCII, 8),
    ]) func `a URI error has blame, reason and offset`(
        text: String,
        reason: InvalidURIReason,
        offset: Int
    ) throws {
        let error = try #require(throws: HTTPError.self) { _ = try URI(text) }
        #expect(error.kind == .invalidRequest(.url(text, .invalidURI(reason, offset: offset))))
        #expect(error.blame == .caller && error.phase == .preparing && error.request == text)
        #expect(error.description.contains("(at byte \(offset))"))
    }

    @Test func `errors never show the credentials of an invalid URL`() throws {
        let text = "http://ada:s3cret@a b/"
        let errors = [
            #expect(throws: HTTPError.self) { _ = try URI(text) },
            #expect(throws: HTTPError.self) { _ = try URI(percentEncoding: text) },
            #expect(throws: HTTPError.self) { _ = try HTTPClient(baseURL: text) },
        ]
        for error in errors {
            #expect(error?.request == "http://a b/")
            #expect(error?.description.contains("s3cret") == false)
        }
    }
}

#if Foundation
import FoundationEssentials
import HTTPClient
import Testing

@Suite struct HTTPRequestURLValueTests {
    @Test func `a Foundation URL creates a request`() throws {
        let url = try #require(URL(string: "https://example.com/a%20b?c=d"))
        #expect(HTTPRequest(url).url == "https://example.com/a%20b?c=d")
        #expect(HTTPRequest(.post, url).method == .post)
        #expect(HTTPRequest(method: .put, url, body: .string("x")).body.bytes == [120])
        #expect(HTTPRequest("http://a/").url(url).host == "example.com")
        let relative = try #require(URL(string: "x", relativeTo: URL(string: "http://a/b/c")))
        #expect(HTTPRequest(relative).url == "http://a/b/x")
    }

    @Test func `dates are converted to parameters`() {
        let date = Date(timeIntervalSince1970: 784_111_777.5)
        let request = HTTPRequest("http://a/").query([
            "d": date, "e": date.parameterValue,
        ])
        #expect(request.query.map(\.value) == ["1994-11-06T08:49:37Z", "1994-11-06T08:49:37Z"])
        let style = HTTPParameters.Style(date: .secondsSince1970)
        #expect(
            HTTPRequest("http://a/").query(["d": date], style: style).url
                == "http://a/?d=784111777.5"
        )
    }

    @Test func `Foundation values are encoded by one encoder`() throws {
        struct Value: Encodable {
            var at: Date
            var id: UUID
            var link: URL
            var sum: Decimal
        }
        let value = Value(
            at: Date(timeIntervalSince1970: 0),
            id: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)),
            link: try #require(URL(string: "http://b/c?d")),
            sum: try #require(Decimal(string: "0.10000000000000000000000000001"))
        )
        #expect(
            HTTPRequest("http://a/").query(encoding: value).url
                == "http://a/?at=1970-01-01T00%3A00%3A00Z&id=00010203-0405-0607-0809-0A0B0C0D0EFF"
                + "&link=http%3A//b/c?d&sum=0.10000000000000000000000000001"
        )
    }
}
#endif

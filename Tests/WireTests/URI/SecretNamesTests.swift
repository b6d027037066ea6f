import Testing
import Wire

/// Tests the masking of secrets; `LoggedTextTests` has the texts that pass through it.
@Suite struct SecretNamesTests {
    private let names = SecretNames.common

    @Test(arguments: [
        (
            "http://u:p@a.test/?token=1&b=2#id_token=3",
            "http://***@a.test/?token=***&b=2#id_token=***"
        ),
        ("/a?api%5Fkey=1&b", "/a?api%5Fkey=***&b"),
        ("http://a b/?token=1", "http://a b/?token=***"),
        ("http://a.test/?a=1#b", "http://a.test/?a=1#b"),
    ])
    func `a URL is shown without its secrets`(text: String, shown: String) {
        #expect(names.redacted(try? URI(encoding: text), or: text) == shown)
        #expect(LogText.url(text) == shown && LogText.quoted(url: text) == "\"\(shown)\"")
    }

    @Test(arguments: [
        ("http://***@a.test/", true), ("http://a.test/?token=***", true),
        ("http://a.test/?api%5Fkey=***&b", true),
        ("http://a.test/?a=***", false), ("http://a.test/?token=1*", false),
        ("http://u@a.test/*", false),
        ("http://a.test/***", false), ("http://a.test/?token", false),
    ])
    func `a URL that was made from a description is recognized`(
        text: String,
        isRedacted: Bool
    ) throws {
        #expect(names.isRedacted(try URI(text)) == isRedacted)
    }

    @Test(arguments: [
        ("Authorization", "Bearer abc", "Bearer ***"), ("Authorization", "abc", "***"),
        ("Cookie", "a=1; b=2", "a=***; b=***"), ("Set-Cookie", "a=1; Path=/", "a=***; Path=/"),
        ("X-Key", "1", "***"),
        (
            "Link", "<http://u:p@a.test/?sig=1>; rel=\"next\"",
            "<http://***@a.test/?sig=***>; rel=\"next\""
        ),
        ("Referer", "http://a.test/?a=1", "http://a.test/?a=1"), ("X-Other", "1", "***"),
    ])
    func `a field is shown without its secrets`(name: String, value: String, shown: String) {
        #expect(SecretNames(["x_other"]).shown(value, of: FieldName(name)) == shown)
    }

    @Test func `hidden values are recorded with their names`() {
        var hidden = RedactionDigest()
        #expect(
            names.redacted(form: Array("token=a%20b&c=d&sig=***&e".utf8), &hidden)
                == Array("token=***&c=d&sig=***&e".utf8)
        )
        #expect(hidden.values == [Array("5 tokena b".utf8)])
    }

    @Test func `descriptions and mirrors show no secret`() throws {
        let field = HTTPField(.authorization, "Bearer hunter2")
        let headers: HTTPHeaders = [.authorization: "Bearer hunter2", .accept: "a"]
        let url = try URI("http://u:hunter2@a.test/?token=hunter2")
        let cookie = try #require(SetCookie("a=hunter2; Path=/"))
        let link = try #require(
            WebLink.list([
                "<http://u:hunter2@a.test/>; rel=next; anchor=\"/?sig=hunter2\""
            ]).first
        )
        let request = RequestHead(
            method: .get,
            target: .origin("/?token=hunter2"),
            headers: headers
        )
        for value in [field, headers, url, cookie, cookie.pair, link, request, request.target]
            as [Any]
        {
            var text = ""
            dump(value, to: &text)
            #expect(!"\(value) \(text)".contains("hunter2") && text.contains("***"), "\(text)")
        }
    }
}

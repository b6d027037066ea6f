import Testing
import Wire

@Suite struct WebLinkTests {
    @Test(
        .tags(.rfc8288),
        arguments: [
            // The examples of §3.5.
            (
                "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"",
                [
                    "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\""
                ]
            ),
            ("</>; rel=\"http://example.net/foo\"", ["</>; rel=\"http://example.net/foo\""]),
            (
                "</terms>; rel=\"copyright\"; anchor=\"#foo\"",
                ["</terms>; rel=\"copyright\"; anchor=\"#foo\""]
            ),
            (
                "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
                    + "</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel",
                [
                    "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel",
                    "</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel",
                ]
            ),
            (
                "<http://example.org/>; rel=\"start http://example.net/relation/other\"",
                ["<http://example.org/>; rel=\"start http://example.net/relation/other\""]
            ),
            (
                "<https://example.org/>; rel=\"start\", <https://example.org/index>; rel=\"index\"",
                [
                    "<https://example.org/>; rel=\"start\"",
                    "<https://example.org/index>; rel=\"index\"",
                ]
            ),
            ("<a>", ["<a>"]), ("<>", ["<>"]), (" , <a>,,<b> ,", ["<a>", "<b>"]),
            ("<a,b;c>", ["<a,b;c>"]),
            ("<a>;REL=next", ["<a>; rel=\"next\""]),
            ("<a> ; ; rel = next ;", ["<a>; rel=\"next\""]),
            ("<a>; rel=http://x/y", ["<a>; rel=\"http://x/y\""]), ("<a>; flag", ["<a>; flag=\"\""]),
            ("<a>; x=", ["<a>; x=\"\""]), ("<a b\u{e9}\"\\>", ["<a%20b%C3%A9%22%5C>"]),
            ("<a>; t=\"b,<c>;d\"", ["<a>; t=\"b,<c>;d\""]), ("", []), (",", []),
            // Malformed values: links that were complete before the error are kept.
            ("a", []), ("<a", []), ("<a>b", []), ("<a>; rel=\"x", []), ("<a>; =x", []),
            ("<a>; \"x\"", []),
            ("<a>, b", ["<a>"]), ("<a>, <b", ["<a>"]), ("<a>, <b>; c=\"", ["<a>"]), ("<a> <b>", []),
            ("<a>; rel=a b", []), ("<a>; rel=\"a\"b", []), ("<a>\0", []), ("\u{e9}<a>", []),
        ] as [(String, [String])]
    )
    func `§3: a line with several links is split`(text: String, links: [String]) {
        let list = WebLink.list([text])
        #expect(list.map(\.text) == links)
        let joined = list.map(\.text).joined(separator: ", ")
        #expect(WebLink.list([joined]) == list)
        #expect((WebLink(joined) != nil) == (list.count == 1))
    }

    @Test(.tags(.rfc8288)) func `§3.4: link parameters are parsed`() {
        let link = WebLink(
            "<x>; rel=\"Next  LAST\"; rel=other; anchor=\"#a\"; title=t; title*=UTF-8''%e2%82%ac;"
                + "type=\"text/html\"; hreflang=de; hreflang=en"
        )!
        #expect(link.relations == ["next", "last"] && link.hasRelation("LAST"))
        #expect(!link.hasRelation("other") && link.anchor == "#a" && link.title == "\u{20ac}")
        #expect(link.mediaType?.essence == "text/html" && link.languages == ["de", "en"])
        #expect(WebLink("<x>; title=t; title*=broken")?.title == "t")
        let bare = WebLink("<x>; title=t; title*=UTF-8''it's%20(1)*!; rel=next")
        #expect(bare?.title == "it's (1)*!" && bare?.relations == ["next"])
        #expect(WebLink("<x>")?.relations == [] && WebLink("<x>")?.mediaType == nil)
    }

    @Test func `several lines form one list, and an invalid line does not affect others`() {
        #expect(WebLink.list(["<a>", "\0", "<b>, x", "<c>"]).map(\.target) == ["a", "b", "c"])
    }

    @Test func `links escape characters that would end the target or a parameter`() {
        let link = WebLink("/a>\r\nb", relations: ["next", "x y\""], title: "\u{e9}\n")
        #expect(link.target == "/a%3E%0D%0Ab")
        #expect(link.title == "\u{e9}\n" && link.relations == ["next", "x%20y%22"])
        #expect(WebLink(link.text) == link)
        let plain = WebLink("/", relations: ["up"], title: "a \"b\"", parameters: [])
        #expect(plain.text == "</>; rel=\"up\"; title=\"a \\\"b\\\"\"")
    }
}

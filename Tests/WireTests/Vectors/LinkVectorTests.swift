import Testing
import Wire

/// The cases of greenbytes.de, "Test Cases for HTTP Link header field"
/// (test.greenbytes.de/tech/tc/httplink): name, field value, and each link with its relation types,
/// title and anchor.
private let linkVectors:
    [(
        name: String, text: String,
        links: [(target: String, relations: [String], title: String?, anchor: String?)]
    )] = [
        (
            "simplecss", "<simple.css>; rel=stylesheet",
            [("simple.css", ["stylesheet"], nil, nil)]
        ),
        ("simplecssreversed", "rel=stylesheet; <fail.css>", []),
        // The apostrophes are part of the relation type, so it is not "stylesheet".
        (
            "simplecsssq", "<fail.css>; rel='stylesheet'",
            [("fail.css", ["'stylesheet'"], nil, nil)]
        ),
        (
            "simplecssmrel", "<simple.css>; rel=\"foobar stylesheet\"",
            [("simple.css", ["foobar", "stylesheet"], nil, nil)]
        ),
        (
            "simplecssmlnk", "<foo>; rel=bar, <simple.css>; rel=stylesheet",
            [("foo", ["bar"], nil, nil), ("simple.css", ["stylesheet"], nil, nil)]
        ),
        (
            "simplecssanchr", "<fail.css>; anchor=\"http://example.com/\"; rel=stylesheet",
            [("fail.css", ["stylesheet"], nil, "http://example.com/")]
        ),
        (
            "simplecssanchrsame",
            "<simple.css>; anchor=\"simplecssanchrsame.asis\"; rel=stylesheet",
            [("simple.css", ["stylesheet"], nil, "simplecssanchrsame.asis")]
        ),
        (
            "simplecssanchrsame2", "<simple.css>; anchor=\"\"; rel=stylesheet",
            [("simple.css", ["stylesheet"], nil, "")]
        ),
        (
            "simplecssanchrsamefrag", "<fail.css>; anchor=\"#foo\"; rel=stylesheet",
            [("fail.css", ["stylesheet"], nil, "#foo")]
        ),
        (
            "simplexslttypenotype", "<simple.xslt>; rel=stylesheet",
            [("simple.xslt", ["stylesheet"], nil, nil)]
        ),
        (
            "simplexslttypedepr", "<simple.xslt>; rel=stylesheet; type=\"text/xsl\"",
            [("simple.xslt", ["stylesheet"], nil, nil)]
        ),
        (
            "simplexslttypedepr2", "<simple.xslt.asis>; rel=stylesheet; type=\"text/xsl\"",
            [("simple.xslt.asis", ["stylesheet"], nil, nil)]
        ),
        (
            "simplexslttypeoff", "<simple.xslt>; rel=stylesheet; type=\"application/xslt+xml\"",
            [("simple.xslt", ["stylesheet"], nil, nil)]
        ),
        (
            "simplecsstitle", "<simple.css>; rel=stylesheet; title=\"A simple CSS stylesheet\"",
            [("simple.css", ["stylesheet"], "A simple CSS stylesheet", nil)]
        ),
        (
            "simplecsstitleq",
            "<simple.css>; rel=stylesheet; title=\"title with a DQUOTE \\\" and backslash: \\\\\"",
            [("simple.css", ["stylesheet"], "title with a DQUOTE \" and backslash: \\", nil)]
        ),
        (
            "simplecsstitleq2",
            "<simple.css>; title=\"title with a DQUOTE \\\" and backslash: \\\\\"; rel=stylesheet",
            [("simple.css", ["stylesheet"], "title with a DQUOTE \" and backslash: \\", nil)]
        ),
        (
            "simplecsstitletok", "<simple.css>; rel=stylesheet; title=AsimpleCSSstylesheet",
            [("simple.css", ["stylesheet"], "AsimpleCSSstylesheet", nil)]
        ),
        (
            "simplecsstitle5987",
            "<simple.css>; rel=stylesheet; title*=UTF-8''stylesheet-%E2%82%AC",
            [("simple.css", ["stylesheet"], "stylesheet-\u{20ac}", nil)]
        ),
        (
            "simplecsstitle5987r",
            "<simple.css>; title*=UTF-8''stylesheet-%E2%82%AC; rel=stylesheet",
            [("simple.css", ["stylesheet"], "stylesheet-\u{20ac}", nil)]
        ),
        (
            "simplecsstitle5987iso88591",
            "<simple.css>; title*=iso-8859-1''stylesheet-%E4; rel=stylesheet",
            [("simple.css", ["stylesheet"], "stylesheet-\u{e4}", nil)]
        ),
        (
            "simplecsstitle5987noenc",
            "<simple.css>; title*=''A%20simple%20CSS%20stylesheet; title=\"fallback title\"; "
                + "rel=stylesheet",
            [("simple.css", ["stylesheet"], "fallback title", nil)]
        ),
        (
            "simplecsstitle5987parseerror",
            "<simple.css>; title*=foobar; title=\"fallback title\"; rel=stylesheet",
            [("simple.css", ["stylesheet"], "fallback title", nil)]
        ),
        (
            "simplecsstitle5987parseerror2",
            "<simple.css>; title*=UTF-8''foobar%; title=\"fallback title\"; rel=stylesheet",
            [("simple.css", ["stylesheet"], "fallback title", nil)]
        ),
        (
            "simpleext", "<simple.css>; ext=foo; rel=stylesheet",
            [("simple.css", ["stylesheet"], nil, nil)]
        ),
        (
            "simpleextq", "<simple.css>; ext=\"\\\"\"; rel=stylesheet",
            [("simple.css", ["stylesheet"], nil, nil)]
        ),
        // An apostrophe is not a quote, so the semicolons separate three parameters.
        (
            "simpleexta", "<simple.css>; ext1='start; rel=stylesheet; ext2=end'",
            [("simple.css", ["stylesheet"], nil, nil)]
        ),
        (
            "simpleextrel", "<simple.css>; rel=\"http://example.com/myrel stylesheet\"",
            [("simple.css", ["http://example.com/myrel", "stylesheet"], nil, nil)]
        ),
        (
            "simplecss2", "<ybg.css>; rel=stylesheet, <simple.css>; rel=stylesheet",
            [
                ("ybg.css", ["stylesheet"], nil, nil),
                ("simple.css", ["stylesheet"], nil, nil),
            ]
        ),
        (
            "simplecssafterother", "<ybf.css>; rel=foobar, <simple.css>; rel=stylesheet",
            [("ybf.css", ["foobar"], nil, nil), ("simple.css", ["stylesheet"], nil, nil)]
        ),
    ]

@Suite struct LinkVectorTests {
    @Test(.tags(.rfc8288), arguments: linkVectors.indices)
    func `greenbytes: a value gives its links`(index: Int) {
        let row = linkVectors[index]
        let links = WebLink.list([row.text])
        #expect(links.map(\.target) == row.links.map(\.target), "\(row.name)")
        #expect(links.map(\.relations) == row.links.map(\.relations), "\(row.name)")
        #expect(links.map(\.title) == row.links.map(\.title), "\(row.name)")
        #expect(links.map(\.anchor) == row.links.map(\.anchor), "\(row.name)")
    }

    @Test(arguments: [
        ("simplexslttypedepr", "type", "text/xsl"),
        ("simplexslttypeoff", "type", "application/xslt+xml"), ("simpleext", "ext", "foo"),
        ("simpleextq", "ext", "\""), ("simpleexta", "ext1", "'start"),
        ("simpleexta", "ext2", "end'"),
    ])
    func `greenbytes: other link parameters are parsed`(
        name: String,
        parameter: String,
        value: String
    ) throws {
        let row = try #require(linkVectors.first { $0.name == name })
        #expect(WebLink(row.text)?[parameter] == value)
    }
}

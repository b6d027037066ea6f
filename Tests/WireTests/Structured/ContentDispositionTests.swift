import Testing
import Wire

@Suite struct ContentDispositionTests {
    @Test(
        .tags(.rfc6266),
        arguments: [
            ("inline", "inline", nil), ("INLINE", "inline", nil),
            ("attachment ;", "attachment", nil),
            ("inline; filename=\"foo.html\"", "inline", "foo.html"),
            ("attachment; filename=\"foo.html\"", "attachment", "foo.html"),
            ("Attachment; filename=example.html", "attachment", "example.html"),
            ("INLINE; FILENAME= \"an example.html\"", "inline", "an example.html"),
            ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "attachment", "\u{20ac} rates"),
            (
                "attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates",
                "attachment",
                "\u{20ac} rates"
            ),
            ("attachment; filename=\"f\\oo.html\"", "attachment", "foo.html"),
            (
                "attachment; filename=\"\\\"quoting\\\" tested.html\"", "attachment",
                "\"quoting\" tested.html"
            ),
            (
                "attachment; filename=\"Here's a semicolon;.html\"", "attachment",
                "Here's a semicolon;.html"
            ),
            ("attachment; foo=\"bar\"; filename=\"foo.html\"", "attachment", "foo.html"),
            ("attachment; foo=\"\\\"\\\\\";filename=\"foo.html\"", "attachment", "foo.html"),
            ("attachment; filename='foo.bar'", "attachment", "'foo.bar'"),
            ("attachment; filename=\"foo-\u{e4}.html\"", "attachment", "foo-\u{e4}.html"),
            ("attachment; filename=\"foo-%41.html\"", "attachment", "foo-%41.html"),
            ("attachment; filename =\"foo.html\"", "attachment", "foo.html"),
            ("attachment; xfilename=foo.html", "attachment", nil),
            ("attachment; filename=foo.html ;", "attachment", "foo.html"),
            ("attachment; creation-date=\"Wed, 12 Feb 1997 16:29:51 -0500\"", "attachment", nil),
            ("foobar", "foobar", nil),
            ("attachment; example=\"filename=example.txt\"", "attachment", nil),
            ("attachment; filename*=iso-8859-1''foo-%E4.html", "attachment", "foo-\u{e4}.html"),
            // The examples of RFC 8187 §3.2.3, as a file name.
            ("attachment; filename*=ISO-8859-1'en'%A3%20rates", "attachment", "\u{a3} rates"),
            ("attachment; filename*=utf-8'en'%C2%A3%20rates", "attachment", "\u{a3} rates"),
            (
                "attachment; filename*=UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", "attachment",
                "\u{a3} and \u{20ac} rates"
            ),
            (
                "attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "attachment",
                "foo-\u{e4}-\u{20ac}.html"
            ),
            ("attachment; filename*=''foo-%c3%a4.html", "attachment", nil),
            ("attachment; filename*=UTF-8''foo-a%cc%88.html", "attachment", "foo-a\u{308}.html"),
            ("attachment; filename*=utf-8''foo-%E4.html", "attachment", nil),
            ("attachment; filename*=UTF-8'foo-%c3%a4.html", "attachment", nil),
            ("attachment; filename*=UTF-8''foo%", "attachment", nil),
            ("attachment; filename*=UTF-8''f%oo.html", "attachment", nil),
            ("attachment; filename*=UTF-8''A-%2541.html", "attachment", "A-%41.html"),
            ("attachment; filename*=\"foo%20bar.html\"", "attachment", nil),
            ("attachment; filename*=UTF-16''%00a", "attachment", nil),
            // What encodeURIComponent and encodeURI leave unescaped.
            (
                "attachment; filename*=UTF-8''it's%20(1)*!~_-.txt", "attachment",
                "it's (1)*!~_-.txt"
            ),
            (
                "attachment; filename*=UTF-8''a/b?c:d@e&f=g+h$i,j#k", "attachment",
                "a/b?c:d@e&f=g+h$i,j#k"
            ),
            ("attachment; filename*=utf-8'en'%c3%a4[1]{2}<3>;x=y", "attachment", "\u{e4}[1]{2}<3>"),
            ("attachment; filename*=UTF-8''(a) ; filename=b", "attachment", "(a)"),
            ("attachment; filename*=\"UTF-8''(a)\"; filename=b", "attachment", "(a)"),
            ("attachment; filename=b; filename*=(a)", "attachment", "b"),
            ("attachment; filename=b; filename*=UTF-8''(%E4)", "attachment", "b"),
            ("attachment; filename=b; filename*=UTF-8''(%4)", "attachment", "b"),
            (
                "attachment; filename=\"foo-ae.html\"; filename*=UTF-8''foo-%E4", "attachment",
                "foo-ae.html"
            ),
            (
                "attachment; filename*=UTF-8''foo.html; filename=\"bar.html\"", "attachment",
                "foo.html"
            ),
            ("attachment; filename*0=\"foo.\"; filename*1=\"html\"", "attachment", nil),
            (
                "attachment; filename=\"=?ISO-8859-1?Q?foo-=E4.html?=\"", "attachment",
                "=?ISO-8859-1?Q?foo-=E4.html?="
            ),
            ("attachment; filename=\"\"", "attachment", ""),
        ] as [(String, String, String?)]
    )
    func `§4: well-formed values give their file name`(text: String, kind: String, name: String?) {
        let value = ContentDisposition(text)
        #expect(value?.kind == kind)
        #expect(value?.fileName == name)
        #expect(value.map { ContentDisposition($0.description) } == value)
    }

    @Test(
        .tags(.rfc6266),
        arguments: [
            "", " ", "\"attachment\"", "filename=foo.html", "x=y; filename=foo.html",
            "\"foo; filename=bar;baz\"; filename=qux", "filename=foo.html, filename=bar.html",
            "; filename=foo.html", ": inline; attachment; filename=foo.html",
            "inline; attachment; filename=foo.html", "attachment; inline; filename=foo.html",
            "attachment; filename=\"foo.html\".txt", "attachment; filename=\"bar",
            "attachment; filename=foo\"bar;baz\"qux", "attachment; filename=foo bar.html",
            "attachment; filename=foo.html, attachment; filename=bar.html",
            "attachment; filename=foo[1](2).html", "attachment; filename=foo-\u{e4}.html",
            "attachment; foo=foo filename=bar", "attachment; filename=bar foo=foo",
            "attachment filename=bar", "attachment; filename=\"a\"; filename=\"b\"",
            "attachment; filename*=UTF-8''a; FILENAME*=UTF-8''b",
            "attachment; filename=foo,bar.html",
            "attachment; filename==x", "attachment; filename", "attachment; filename=",
            "attachment; filename=;", "attachment; filename=\"a\0b\"",
            "attachment; filename=\"a\r\nb\"",
            "attachment; filename *=UTF-8''\u{e9}", "attachment; filename*=UTF-8''\u{e9}",
            "attachment; filename*=UTF-8''(a) (b)", "attachment; filename*=UTF-8''(a)\"b\"",
            "attachment; filename*=UTF-8''a, attachment; filename*=UTF-8''b",
            "attachment; filename*=", "attachment; filename*=;x=y", ",", ",,,", "attachment,",
        ]
    )
    func `§4.1: values that violate the grammar are rejected`(text: String) {
        #expect(ContentDisposition(text) == nil)
    }

    @Test(
        .tags(.rfc6266),
        arguments: [
            ("foo.html", "foo.html"), ("/foo.html", "foo.html"), ("\\\\foo.html", "foo.html"),
            ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("..", nil),
            ("", nil),
            ("a/..", nil), ("a/", nil), (".bashrc", "bashrc"), (" a b. ", "a b"), ("C:\\x", "x"),
            ("C:x", "C_x"), ("a\0b\r\nc\u{7f}\u{85}", "abc"), ("e\u{202e}gpj.exe", "egpj.exe"),
            ("a\u{200b}\u{feff}\u{2066}b", "ab"), ("<a>|b?*\"", "_a__b___"),
            ("\u{20ac} rates", "\u{20ac} rates"),
            ("%2e%2e%2f", "%2e%2e%2f"), ("\n", nil), (". . .", nil), ("~", "~"),
        ] as [(String, String?)]
    )
    func `§4.3: unsafe file names are made safe`(name: String, safe: String?) {
        let value = ContentDisposition("attachment", fileName: name)
        #expect(value?.safeFileName == safe)
        #expect(value?.fileName == name)
        #expect(value.map { ContentDisposition($0.description) } == value)
    }

    @Test func `§4.3: long file names are shortened before the extension`() {
        let long = String(repeating: "\u{20ac}", count: 300)
        let safe = ContentDisposition("attachment", fileName: long + ".tar.gz")?.safeFileName
        #expect(safe == String(repeating: "\u{20ac}", count: 84) + ".gz")
        let plain = ContentDisposition("attachment", fileName: long)?.safeFileName
        #expect(plain == String(repeating: "\u{20ac}", count: 85))
        let odd = ContentDisposition("attachment", fileName: "a." + long)?.safeFileName
        #expect(odd?.utf8.count == 254)
    }

    @Test(
        .tags(.rfc6266),
        arguments: [
            ("a.txt", "attachment; filename=a.txt"),
            ("a b.txt", "attachment; filename=\"a b.txt\""),
            (
                "\u{20ac} rates",
                "attachment; filename=\"_ rates\"; filename*=UTF-8''%E2%82%AC%20rates"
            ),
            ("50%", "attachment; filename=50_; filename*=UTF-8''50%25"),
            ("a\"b", "attachment; filename=a_b; filename*=UTF-8''a%22b"),
            ("\r\nx: y", "attachment; filename=\"__x: y\"; filename*=UTF-8''%0D%0Ax%3A%20y"),
        ]
    )
    func `appendix D: a file name that could be misread is written in both forms`(
        name: String,
        text: String
    ) {
        #expect(ContentDisposition("Attachment", fileName: name)?.description == text)
        #expect(ContentDisposition(text)?.fileName == name)
    }

    @Test func `a disposition type that is not a token is rejected`() {
        #expect(ContentDisposition("a b", fileName: "x") == nil)
        #expect(ContentDisposition("inline", fileName: nil)?.description == "inline")
        #expect(ContentDisposition("form-data; name=\"a b\"")?["Name"] == "a b")
        #expect(ContentDisposition("inline")?.safeFileName == nil)
    }
}

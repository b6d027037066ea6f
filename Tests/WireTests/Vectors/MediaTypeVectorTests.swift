import Testing
import Wire

/// The cases of the web platform tests (web-platform-tests/wpt,
/// mimesniff/mime-types/resources/mime-types.json), which follow WHATWG MIME Sniffing.
///
/// Browsers mend what is malformed; RFC 9110 §8.3.1 gives a grammar, and whoever guesses another
/// type than the sender meant opens a door. So each value that does not follow the grammar is nil
/// here, and each that does means the same to both. Parameters keep their order and repeats, and a
/// value that is no token is quoted.
private let whatwgVectors: [(text: String, formatted: String?)] = [
    ("text/html;charset=gbk", "text/html; charset=gbk"),
    ("TEXT/HTML;CHARSET=GBK", "text/html; charset=GBK"),
    ("text/html;charset=gbk(", nil), ("text/html;x=(;charset=gbk", nil),
    // WHATWG drops the second; here it is kept, and the first one counts.
    (
        "text/html;charset=gbk;charset=windows-1255",
        "text/html; charset=gbk; charset=windows-1255"
    ),
    ("text/html;charset =gbk", nil), ("text/html ;charset=gbk", "text/html; charset=gbk"),
    ("text/html; charset=gbk", "text/html; charset=gbk"), ("text/html;charset= gbk", nil),
    ("text/html;charset='gbk'", "text/html; charset='gbk'"),
    ("text/html;charset='gbk", "text/html; charset='gbk"),
    ("text/html;charset=gbk'", "text/html; charset=gbk'"),
    ("text/html;test;charset=gbk", nil), ("text/html;test=;charset=gbk", nil),
    ("text/html;';charset=gbk", nil), ("text/html;\";charset=gbk", nil),
    ("text/html ; ; charset=gbk", "text/html; charset=gbk"),
    ("text/html;;;;charset=gbk", "text/html; charset=gbk"),
    ("text/html;charset=\"gbk\"", "text/html; charset=gbk"), ("text/html;charset=\"gbk", nil),
    ("text/html;charset=gbk\"", nil),
    ("text/html;charset=\" gbk\"", "text/html; charset=\" gbk\""),
    ("text/html;charset=\"\\ gbk\"", "text/html; charset=\" gbk\""),
    ("text/html;charset=\"\\g\\b\\k\"", "text/html; charset=gbk"),
    ("text/html;charset=\"gbk\"x", nil), ("text/html;charset={gbk}", nil),
    ("text/html;\(longName)=x;charset=gbk", "text/html; \(longName)=x; charset=gbk"),
    ("\(longName)/\(longName)", "\(longName)/\(longName)"),
    ("\(token)/\(token);\(token)=\(token)", "\(lowered)/\(lowered); \(lowered)=\(token)"),
    ("x/x;x=\"\(quotable)\"", "x/x; x=\"\(quotable)\""),
    ("x/x;test", nil), ("x/x;test=\"\\", nil), ("text/html;test=\u{ff};charset=gbk", nil),
    ("x/x;test=\u{fffd};x=x", nil), ("", nil), ("\t", nil), ("bogus", nil), ("bogus/", nil),
    ("bogus/ ", nil), ("bogus/bogus/;", nil), ("</>", nil), ("(/)", nil),
    ("text/html(;doesnot=matter", nil), ("{/}", nil), ("\u{100}/\u{100}", nil),
]

private let longName = String(repeating: "0123456789", count: 13)
private let token =
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
private let lowered =
    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"

/// All that a quoted-string can hold, the quote and the backslash behind a backslash.
private let quotable: String = {
    var text = String.UnicodeScalarView()
    for value in UInt8(0x20)...0xff where value != 0x7f {
        if value == 0x22 || value == 0x5c { text.append("\\") }
        text.append(Unicode.Scalar(value))
    }
    return String(text)
}()

/// The cases of the tests of Chromium (net/http/http_util_unittest.cc, ParseContentType): text,
/// charset and boundary, or nil where the grammar is not followed though Chromium makes something
/// of it.
private let chromiumVectors:
    [(text: String, type: (essence: String, charset: String?, boundary: String?)?)] = [
        ("text/html", ("text/html", nil, nil)), ("text/html;", ("text/html", nil, nil)),
        ("text/html; charset=utf-8", ("text/html", "utf-8", nil)),
        ("text/html; charset =utf-8", nil), ("text/html; charset= utf-8", nil),
        ("text/html; charset=utf-8 ", ("text/html", "utf-8", nil)),
        (
            "text/html; boundary=\"WebKit-ada-df-dsf-adsfadsfs\"",
            ("text/html", nil, "WebKit-ada-df-dsf-adsfadsfs")
        ),
        ("text/html; boundary =\"WebKit-ada-df-dsf-adsfadsfs\"", nil),
        ("text/html; boundary= \"WebKit-ada-df-dsf-adsfadsfs\"", nil),
        ("text/html; boundary= \"WebKit-ada-df-dsf-adsfadsfs\"   ", nil),
        // Chromium trims what stands in quotes. The grammar knows nothing of that (a boundary
        // cannot end in a space, which is for whoever looks for it to refuse: RFC 2046 §5.1.1).
        (
            "text/html; boundary=\"WebKit-ada-df-dsf-adsfadsfs  \"",
            ("text/html", nil, "WebKit-ada-df-dsf-adsfadsfs  ")
        ),
        (
            "text/html; boundary=WebKit-ada-df-dsf-adsfadsfs",
            ("text/html", nil, "WebKit-ada-df-dsf-adsfadsfs")
        ),
        ("text/html; charset", nil), ("text/html; charset=", nil), ("text/html; charset= ", nil),
        ("text/html; charset= ;", nil), ("text/html; charset=\"\"", ("text/html", "", nil)),
        ("text/html; charset=\" \"", ("text/html", " ", nil)),
        ("text/html; charset=\" foo \"", ("text/html", " foo ", nil)),
        ("text/html; charset=foo; charset=utf-8", ("text/html", "foo", nil)),
        ("text/html; charset; charset=; charset=utf-8", nil),
        ("text/html; charset=utf-8; charset=; charset", nil),
        ("text/html; boundary=foo; boundary=bar", ("text/html", nil, "foo")),
        ("text/html; \"; \"\"; charset=utf-8", nil), ("text/html; charset=u\"tf-8\"", nil),
        ("text/html; charset=\"utf-8\"", ("text/html", "utf-8", nil)),
        ("text/html; charset=\"utf-8", nil),
        ("text/html; charset=\"\\utf\\-\\8\"", ("text/html", "utf-8", nil)),
        ("text/html; charset=\"\\\\\\\"\\", nil),
        (
            "text/html; charset=\";charset=utf-8;\"",
            ("text/html", ";charset=utf-8;", nil)
        ),
        ("text/html; charset= \"utf-8\"", nil),
        ("text/html; charset='utf-8'", ("text/html", "'utf-8'", nil)), ("text/", nil),
        // "*" is a token, so this is a type to the grammar; Chromium takes it for none.
        ("*/*", ("*/*", nil, nil)), ("*/*; charset=utf-8", ("*/*", "utf-8", nil)),
        ("*/* ", ("*/*", nil, nil)), ("teXT/html", ("text/html", nil, nil)),
        ("Text/Html", ("text/html", nil, nil)),
        ("tExt/hTml;charset=utf-8", ("text/html", "utf-8", nil)),
        ("texT/plaiN", ("text/plain", nil, nil)),
    ]

@Suite struct MediaTypeVectorTests {
    @Test(.tags(.rfc9110), arguments: whatwgVectors.indices)
    func `WPT: a type that follows the grammar is parsed as in browsers`(index: Int) {
        let row = whatwgVectors[index]
        #expect(MediaType(row.text)?.description == row.formatted, "\(row.text)")
    }

    @Test(.tags(.rfc9110), arguments: chromiumVectors.indices)
    func `Chromium: charset and boundary are parsed`(index: Int) {
        let row = chromiumVectors[index]
        let type = MediaType(row.text)
        #expect(type?.essence == row.type?.essence, "\(row.text)")
        #expect(type?.charset == row.type?.charset, "\(row.text)")
        #expect(type?.boundary == row.type?.boundary, "\(row.text)")
    }
}

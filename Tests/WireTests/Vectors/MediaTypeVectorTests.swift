import Testing
import Wire

/// The cases of the web platform tests (web-platform-tests/wpt,
/// mimesniff/mime-types/resources/mime-types.json), which follow WHATWG MIME Sniffing.
///
/// Browsers repair malformed values. RFC 9110 §8.3.1 defines a grammar, and guessing a type that the
/// sender did not mean is a security risk. So a value that violates the grammar is nil here, and every
/// other value means the same to both.
///
/// Parameters keep their order and repetitions, and a value that is no token is quoted.
private let whatwgVectors: [(text: String, formatted: String?)] = [
    ("text/html;charset=gbk", "text/html; charset=gbk"),
    ("TEXT/HTML;CHARSET=GBK", "text/html; charset=GBK"),
    ("text/html;charset=gbk(", nil), ("text/html;x=(;charset=gbk", nil),
    // WHATWG drops the second parameter. Here it is kept, and the first one applies.
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

/// All characters that a quoted-string can contain, with quote and backslash escaped.
private let quotable: String = {
    var text = String.UnicodeScalarView()
    for value in UInt8(0x20)...0xff where value != 0x7f {
        if value == 0x22 || value == 0x5c { text.append("\\") }
        text.append(Unicode.Scalar(value))
    }
    return String(text)
}()

/// The cases of Chromium's tests (net/http/http_util_unittest.cc, ParseContentType).
///
/// Each row has the text, and its type, charset and boundary. These are nil if the text violates the
/// grammar, even if Chromium accepts it.
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
        // Chromium trims the quoted value; the grammar does not. A boundary must not end in a space
        // (RFC 2046 §5.1.1), which the multipart parser must check.
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
        // "*" is a token, so the grammar permits this as a type; Chromium does not accept it.
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

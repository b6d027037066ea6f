/// The cases of greenbytes.de, "Test Cases for HTTP Content-Disposition header field (RFC 6266) and
/// the Encodings defined in RFCs 2047, 2231 and 5987" (test.greenbytes.de/tech/tc2231).
///
/// Each row has its name there and the field value. The disposition type follows, nil if the value
/// violates the grammar, and the file name, nil if there is none.
let dispositionVectors: [(name: String, text: String, kind: String?, fileName: String?)] = [
    ("inlonly", "inline", "inline", nil),
    ("inlonlyquoted", "\"inline\"", nil, nil),
    ("inlwithasciifilename", "inline; filename=\"foo.html\"", "inline", "foo.html"),
    ("inlwithfnattach", "inline; filename=\"Not an attachment!\"", "inline", "Not an attachment!"),
    ("inlwithasciifilenamepdf", "inline; filename=\"foo.pdf\"", "inline", "foo.pdf"),
    ("attonly", "attachment", "attachment", nil),
    ("attonlyquoted", "\"attachment\"", nil, nil),
    ("attonly403", "attachment", "attachment", nil),
    ("attonlyucase", "ATTACHMENT", "attachment", nil),
    ("attwithasciifilename", "attachment; filename=\"foo.html\"", "attachment", "foo.html"),
    (
        "attwithasciifilename25", "attachment; filename=\"0000000000111111111122222\"",
        "attachment", "0000000000111111111122222"
    ),
    (
        "attwithasciifilename35", "attachment; filename=\"00000000001111111111222222222233333\"",
        "attachment", "00000000001111111111222222222233333"
    ),
    ("attwithasciifnescapedchar", "attachment; filename=\"f\\oo.html\"", "attachment", "foo.html"),
    (
        "attwithasciifnescapedquote", "attachment; filename=\"\\\"quoting\\\" tested.html\"",
        "attachment", "\"quoting\" tested.html"
    ),
    (
        "attwithquotedsemicolon", "attachment; filename=\"Here's a semicolon;.html\"", "attachment",
        "Here's a semicolon;.html"
    ),
    (
        "attwithfilenameandextparam", "attachment; foo=\"bar\"; filename=\"foo.html\"",
        "attachment", "foo.html"
    ),
    (
        "attwithfilenameandextparamescaped", "attachment; foo=\"\\\"\\\\\";filename=\"foo.html\"",
        "attachment", "foo.html"
    ),
    ("attwithasciifilenameucase", "attachment; FILENAME=\"foo.html\"", "attachment", "foo.html"),
    ("attwithasciifilenamenq", "attachment; filename=foo.html", "attachment", "foo.html"),
    ("attwithtokfncommanq", "attachment; filename=foo,bar.html", nil, nil),
    // greenbytes regards this and the next case as syntax errors. RFC 9110 §5.6.6 requires recipients to
    // ignore empty parameters.
    ("attwithasciifilenamenqs", "attachment; filename=foo.html ;", "attachment", "foo.html"),
    ("attemptyparam", "attachment; ;filename=foo", "attachment", "foo"),
    ("attwithasciifilenamenqws", "attachment; filename=foo bar.html", nil, nil),
    ("attwithfntokensq", "attachment; filename='foo.bar'", "attachment", "'foo.bar'"),
    (
        "attwithisofnplain", "attachment; filename=\"foo-\u{e4}.html\"", "attachment",
        "foo-\u{e4}.html"
    ),
    (
        "attwithutf8fnplain", "attachment; filename=\"foo-\u{c3}\u{a4}.html\"", "attachment",
        "foo-\u{c3}\u{a4}.html"
    ),
    ("attwithfnrawpctenca", "attachment; filename=\"foo-%41.html\"", "attachment", "foo-%41.html"),
    ("attwithfnusingpct", "attachment; filename=\"50%.html\"", "attachment", "50%.html"),
    (
        "attwithfnrawpctencaq", "attachment; filename=\"foo-%\\41.html\"", "attachment",
        "foo-%41.html"
    ),
    ("attwithnamepct", "attachment; name=\"foo-%41.html\"", "attachment", nil),
    (
        "attwithfilenamepctandiso", "attachment; filename=\"\u{e4}-%41.html\"", "attachment",
        "\u{e4}-%41.html"
    ),
    (
        "attwithfnrawpctenclong", "attachment; filename=\"foo-%c3%a4-%e2%82%ac.html\"",
        "attachment", "foo-%c3%a4-%e2%82%ac.html"
    ),
    ("attwithasciifilenamews1", "attachment; filename =\"foo.html\"", "attachment", "foo.html"),
    ("attwith2filenames", "attachment; filename=\"foo.html\"; filename=\"bar.html\"", nil, nil),
    ("attfnbrokentoken", "attachment; filename=foo[1](2).html", nil, nil),
    ("attfnbrokentokeniso", "attachment; filename=foo-\u{e4}.html", nil, nil),
    ("attfnbrokentokenutf", "attachment; filename=foo-\u{c3}\u{a4}.html", nil, nil),
    ("attmissingdisposition", "filename=foo.html", nil, nil),
    ("attmissingdisposition2", "x=y; filename=foo.html", nil, nil),
    ("attmissingdisposition3", "\"foo; filename=bar;baz\"; filename=qux", nil, nil),
    ("attmissingdisposition4", "filename=foo.html, filename=bar.html", nil, nil),
    ("emptydisposition", "; filename=foo.html", nil, nil),
    ("doublecolon", ": inline; attachment; filename=foo.html", nil, nil),
    ("attandinline", "inline; attachment; filename=foo.html", nil, nil),
    ("attandinline2", "attachment; inline; filename=foo.html", nil, nil),
    ("attbrokenquotedfn", "attachment; filename=\"foo.html\".txt", nil, nil),
    ("attbrokenquotedfn2", "attachment; filename=\"bar", nil, nil),
    ("attbrokenquotedfn3", "attachment; filename=foo\"bar;baz\"qux", nil, nil),
    ("attmultinstances", "attachment; filename=foo.html, attachment; filename=bar.html", nil, nil),
    ("attmissingdelim", "attachment; foo=foo filename=bar", nil, nil),
    ("attmissingdelim2", "attachment; filename=bar foo=foo ", nil, nil),
    ("attmissingdelim3", "attachment filename=bar", nil, nil),
    ("attreversed", "filename=foo.html; attachment", nil, nil),
    ("attconfusedparam", "attachment; xfilename=foo.html", "attachment", nil),
    ("attabspath", "attachment; filename=\"/foo.html\"", "attachment", "/foo.html"),
    ("attabspathwin", "attachment; filename=\"\\\\foo.html\"", "attachment", "\\foo.html"),
    (
        "attcdate", "attachment; creation-date=\"Wed, 12 Feb 1997 16:29:51 -0500\"", "attachment",
        nil
    ),
    (
        "attmdate", "attachment; modification-date=\"Wed, 12 Feb 1997 16:29:51 -0500\"",
        "attachment", nil
    ),
    ("dispext", "foobar", "foobar", nil),
    ("dispextbadfn", "attachment; example=\"filename=example.txt\"", "attachment", nil),
    (
        "attwithisofn2231iso", "attachment; filename*=iso-8859-1''foo-%E4.html", "attachment",
        "foo-\u{e4}.html"
    ),
    (
        "attwithfn2231utf8", "attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "attachment",
        "foo-\u{e4}-\u{20ac}.html"
    ),
    ("attwithfn2231noc", "attachment; filename*=''foo-%c3%a4-%e2%82%ac.html", "attachment", nil),
    (
        "attwithfn2231utf8comp", "attachment; filename*=UTF-8''foo-a%cc%88.html", "attachment",
        "foo-a\u{308}.html"
    ),
    // greenbytes regards these bytes as invalid in ISO-8859-1. Its registration defines them as control
    // characters, which a safe file name omits.
    (
        "attwithfn2231utf8-bad", "attachment; filename*=iso-8859-1''foo-%c3%a4-%e2%82%ac.html",
        "attachment", "foo-\u{c3}\u{a4}-\u{e2}\u{82}\u{ac}.html"
    ),
    ("attwithfn2231iso-bad", "attachment; filename*=utf-8''foo-%E4.html", "attachment", nil),
    ("attwithfn2231ws1", "attachment; filename *=UTF-8''foo-%c3%a4.html", nil, nil),
    (
        "attwithfn2231ws2", "attachment; filename*= UTF-8''foo-%c3%a4.html", "attachment",
        "foo-\u{e4}.html"
    ),
    (
        "attwithfn2231ws3", "attachment; filename* =UTF-8''foo-%c3%a4.html", "attachment",
        "foo-\u{e4}.html"
    ),
    // Invalid at greenbytes because of the quotes. RFC 6266 §3 lets a recipient recover the value, and only
    // one value can be meant.
    (
        "attwithfn2231quot", "attachment; filename*=\"UTF-8''foo-%c3%a4.html\"", "attachment",
        "foo-\u{e4}.html"
    ),
    ("attwithfn2231quot2", "attachment; filename*=\"foo%20bar.html\"", "attachment", nil),
    (
        "attwithfn2231singleqmissing", "attachment; filename*=UTF-8'foo-%c3%a4.html", "attachment",
        nil
    ),
    ("attwithfn2231nbadpct1", "attachment; filename*=UTF-8''foo%", "attachment", nil),
    ("attwithfn2231nbadpct2", "attachment; filename*=UTF-8''f%oo.html", "attachment", nil),
    ("attwithfn2231dpct", "attachment; filename*=UTF-8''A-%2541.html", "attachment", "A-%41.html"),
    (
        "attwithfn2231abspathdisguised", "attachment; filename*=UTF-8''%5cfoo.html", "attachment",
        "\\foo.html"
    ),
    ("attfncont", "attachment; filename*0=\"foo.\"; filename*1=\"html\"", "attachment", nil),
    (
        "attfncontqs", "attachment; filename*0=\"foo\"; filename*1=\"\\b\\a\\r.html\"",
        "attachment", nil
    ),
    (
        "attfncontenc", "attachment; filename*0*=UTF-8''foo-%c3%a4; filename*1=\".html\"",
        "attachment", nil
    ),
    ("attfncontlz", "attachment; filename*0=\"foo\"; filename*01=\"bar\"", "attachment", nil),
    ("attfncontnc", "attachment; filename*0=\"foo\"; filename*2=\"bar\"", "attachment", nil),
    ("attfnconts1", "attachment; filename*1=\"foo.\"; filename*2=\"html\"", "attachment", nil),
    ("attfncontord", "attachment; filename*1=\"bar\"; filename*0=\"foo\"", "attachment", nil),
    (
        "attfnboth", "attachment; filename=\"foo-ae.html\"; filename*=UTF-8''foo-%c3%a4.html",
        "attachment", "foo-\u{e4}.html"
    ),
    (
        "attfnboth2", "attachment; filename*=UTF-8''foo-%c3%a4.html; filename=\"foo-ae.html\"",
        "attachment", "foo-\u{e4}.html"
    ),
    (
        "attfnboth3",
        "attachment; filename*0*=ISO-8859-15''euro-sign%3d%a4; filename*=ISO-8859-1''currency-sign%3d%a4",
        "attachment", "currency-sign=\u{a4}"
    ),
    ("attnewandfn", "attachment; foobar=x; filename=\"foo.html\"", "attachment", "foo.html"),
    ("attrfc2047token", "attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=", nil, nil),
    (
        "attrfc2047quoted", "attachment; filename=\"=?ISO-8859-1?Q?foo-=E4.html?=\"", "attachment",
        "=?ISO-8859-1?Q?foo-=E4.html?="
    ),
]

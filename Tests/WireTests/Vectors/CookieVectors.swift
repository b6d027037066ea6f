/// The cases of the http-state working group for storing cookies and sending them back, published with
/// RFC 6265 (github.com/abarth/http-state, tests/data/parser.json).
///
/// Cases that are disabled there, and one with a value of four thousand bytes, are omitted.
///
/// Each row has its name there, the Set-Cookie lines received from
/// `http://home.example.org:8888/cookie-parser`, and the Cookie value sent afterwards. The last column
/// is the URL it is sent to, if that is not `http://home.example.org:8888/cookie-parser-result`.
let cookieVectors: [(name: String, received: [String], sent: String, to: String?)] = [
    ("0001", ["foo=bar"], "foo=bar", nil),
    ("0002", ["foo=bar; Expires=Fri, 07 Aug 2019 08:04:19 GMT"], "foo=bar", nil),
    (
        "0003",
        [
            "foo=bar; Expires=Fri, 07 Aug 2007 08:04:19 GMT",
            "foo2=bar2; Expires=Fri, 07 Aug 2027 08:04:19 GMT",
        ], "foo2=bar2", nil
    ),
    ("0004", ["foo"], "", nil),
    ("0005", ["foo=bar; max-age=10000;"], "foo=bar", nil),
    ("0006", ["foo=bar; max-age=0;"], "", nil),
    ("0007", ["foo=bar; version=1;"], "foo=bar", nil),
    ("0008", ["foo=bar; version=1000;"], "foo=bar", nil),
    ("0009", ["foo=bar; customvalue=1000;"], "foo=bar", nil),
    ("0010", ["foo=bar; secure;"], "", nil),
    ("0011", ["foo=bar; customvalue=\"1000 or more\";"], "foo=bar", nil),
    ("0012", ["foo=bar; customvalue=\"no trailing semicolon\""], "foo=bar", nil),
    ("0013", ["foo=bar", "foo=qux"], "foo=qux", nil),
    ("0014", ["foo1=bar", "foo2=qux"], "foo1=bar; foo2=qux", nil),
    ("0015", ["a=b", "z=y"], "a=b; z=y", nil),
    ("0016", ["z=y", "a=b"], "z=y; a=b", nil),
    ("0017", ["z=y, a=b"], "z=y, a=b", nil),
    ("0018", ["z=y; foo=bar, a=b"], "z=y", nil),
    ("0019", ["foo=b;max-age=3600, c=d;path=/"], "foo=b", nil),
    ("0020", ["a=b", "=", "c=d"], "a=b; c=d", nil),
    ("0021", ["a=b", "=x", "c=d"], "a=b; c=d", nil),
    ("0022", ["a=b", "x=", "c=d"], "a=b; x=; c=d", nil),
    ("0023", ["foo", ""], "", nil),
    ("0024", ["foo", "="], "", nil),
    ("0025", ["foo", "; bar"], "", nil),
    ("0026", ["foo", "   "], "", nil),
    ("0027", ["foo", "bar"], "", nil),
    ("0028", ["foo", "\t"], "", nil),
    ("ATTRIBUTE0001", ["foo=bar; Secure"], "", nil),
    ("ATTRIBUTE0002", ["foo=bar; seCURe"], "", nil),
    ("ATTRIBUTE0003", ["foo=bar; \"Secure\""], "foo=bar", nil),
    ("ATTRIBUTE0004", ["foo=bar; Secure="], "", nil),
    ("ATTRIBUTE0005", ["foo=bar; Secure=aaaa"], "", nil),
    ("ATTRIBUTE0006", ["foo=bar; Secure qux"], "foo=bar", nil),
    ("ATTRIBUTE0007", ["foo=bar; Secure =aaaaa"], "", nil),
    ("ATTRIBUTE0008", ["foo=bar; Secure= aaaaa"], "", nil),
    ("ATTRIBUTE0009", ["foo=bar; Secure; qux"], "", nil),
    ("ATTRIBUTE0010", ["foo=bar; Secure;qux"], "", nil),
    ("ATTRIBUTE0011", ["foo=bar; Secure    ; qux"], "", nil),
    ("ATTRIBUTE0012", ["foo=bar;                Secure"], "", nil),
    ("ATTRIBUTE0013", ["foo=bar;       Secure     ;"], "", nil),
    ("ATTRIBUTE0014", ["foo=bar; Path"], "foo=bar", nil),
    ("ATTRIBUTE0015", ["foo=bar; Path="], "foo=bar", nil),
    ("ATTRIBUTE0016", ["foo=bar; Path=/"], "foo=bar", nil),
    ("ATTRIBUTE0017", ["foo=bar; Path=/qux"], "", nil),
    ("ATTRIBUTE0018", ["foo=bar; Path    =/qux"], "", nil),
    ("ATTRIBUTE0019", ["foo=bar; Path=    /qux"], "", nil),
    ("ATTRIBUTE0020", ["foo=bar; Path=/qux      ; taz"], "", nil),
    ("ATTRIBUTE0021", ["foo=bar; Path=/qux; Path=/"], "foo=bar", nil),
    ("ATTRIBUTE0022", ["foo=bar; Path=/; Path=/qux"], "", nil),
    ("ATTRIBUTE0023", ["foo=bar; Path=/qux; Path=/cookie-parser-result"], "foo=bar", nil),
    ("ATTRIBUTE0024", ["foo=bar; Path=/cookie-parser-result; Path=/qux"], "", nil),
    ("ATTRIBUTE0025", ["foo=bar; qux; Secure"], "", nil),
    ("ATTRIBUTE0026", ["foo=bar; qux=\"aaa;bbb\"; Secure"], "", nil),
    (
        "CHARSET0001",
        [
            "foo=\u{6625}\u{8282}\u{56de}\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}\u{5b8c}\u{5168}\u{624b}\u{518c}"
        ],
        "foo=\u{6625}\u{8282}\u{56de}\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}\u{5b8c}\u{5168}\u{624b}\u{518c}",
        nil
    ),
    (
        "CHARSET0002",
        [
            "\u{6625}\u{8282}\u{56de}=\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}\u{5b8c}\u{5168}\u{624b}\u{518c}"
        ],
        "\u{6625}\u{8282}\u{56de}=\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}\u{5b8c}\u{5168}\u{624b}\u{518c}",
        nil
    ),
    (
        "CHARSET0003",
        [
            "\u{6625}\u{8282}\u{56de}=\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}; \u{5b8c}\u{5168}\u{624b}\u{518c}"
        ], "\u{6625}\u{8282}\u{56de}=\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}", nil
    ),
    (
        "CHARSET0004",
        [
            "foo=\"\u{6625}\u{8282}\u{56de}\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}\u{5b8c}\u{5168}\u{624b}\u{518c}\""
        ],
        "foo=\"\u{6625}\u{8282}\u{56de}\u{5bb6}\u{8def}\u{b7}\u{6625}\u{8fd0}\u{5b8c}\u{5168}\u{624b}\u{518c}\"",
        nil
    ),
    ("CHROMIUM0001", ["a=b"], "a=b", nil),
    ("CHROMIUM0002", ["aBc=\"zzz \"   ;"], "aBc=\"zzz \"", nil),
    ("CHROMIUM0003", ["aBc=\"zzz \" ;"], "aBc=\"zzz \"", nil),
    ("CHROMIUM0004", ["aBc=\"zz;pp\" ; ;"], "aBc=\"zz", nil),
    ("CHROMIUM0005", ["aBc=\"zz ;"], "aBc=\"zz", nil),
    ("CHROMIUM0006", ["aBc=\"zzz \"   \"ppp\"  ;"], "aBc=\"zzz \"   \"ppp\"", nil),
    ("CHROMIUM0007", ["aBc=\"zzz \"   \"ppp\" ;"], "aBc=\"zzz \"   \"ppp\"", nil),
    ("CHROMIUM0008", ["aBc=A\"B ;"], "aBc=A\"B", nil),
    ("CHROMIUM0009", ["BLAHHH; path=/;"], "", nil),
    ("CHROMIUM0010", ["\"BLA\\\"HHH\"; path=/;"], "", nil),
    ("CHROMIUM0011", ["a=\"B"], "a=\"B", nil),
    ("CHROMIUM0012", ["=ABC"], "", nil),
    ("CHROMIUM0013", ["ABC=;  path = /"], "ABC=", nil),
    ("CHROMIUM0014", ["  A  = BC  ;foo;;;   bar"], "A=BC", nil),
    ("CHROMIUM0015", ["  A=== BC  ;foo;;;   bar"], "A=== BC", nil),
    (
        "CHROMIUM0016",
        ["foo=\"zohNumRKgI0oxyhSsV3Z7D\"  ; expires=Sun, 18-Apr-2027 21:06:29 GMT ; path=/  ;  "],
        "foo=\"zohNumRKgI0oxyhSsV3Z7D\"", nil
    ),
    (
        "CHROMIUM0017",
        ["foo=zohNumRKgI0oxyhSsV3Z7D  ; expires=Sun, 18-Apr-2027 21:06:29 GMT ; path=/  ;  "],
        "foo=zohNumRKgI0oxyhSsV3Z7D", nil
    ),
    ("CHROMIUM0018", ["    "], "", nil),
    ("CHROMIUM0021", [""], "", nil),
    ("COMMA0001", ["foo=bar, baz=qux"], "foo=bar, baz=qux", nil),
    ("COMMA0002", ["foo=\"bar, baz=qux\""], "foo=\"bar, baz=qux\"", nil),
    ("COMMA0003", ["foo=bar; b,az=qux"], "foo=bar", nil),
    ("COMMA0004", ["foo=bar; baz=q,ux"], "foo=bar", nil),
    ("COMMA0005", ["foo=bar; Max-Age=50,399"], "foo=bar", nil),
    ("COMMA0006", ["foo=bar; Expires=Fri, 07 Aug 2019 08:04:19 GMT"], "foo=bar", nil),
    ("COMMA0007", ["foo=bar; Expires=Fri 07 Aug 2019 08:04:19 GMT, baz=qux"], "foo=bar", nil),
    (
        "DOMAIN0001", ["foo=bar; domain=home.example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0002", ["foo=bar; domain=home.example.org"], "",
        "http://sibling.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0003", ["foo=bar; domain=.home.example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0004", ["foo=bar; domain=home.example.org"], "foo=bar",
        "http://subdomain.home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0005", ["foo=bar; domain=.home.example.org"], "foo=bar",
        "http://subdomain.home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0006", ["foo=bar; domain=.home.example.org"], "",
        "http://sibling.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0007", ["foo=bar; domain=sibling.example.org"], "",
        "http://sibling.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0008", ["foo=bar; domain=.example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0009", ["foo=bar; domain=example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0010", ["foo=bar; domain=..home.example.org"], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0011", ["foo=bar; domain=home..example.org"], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0012", ["foo=bar; domain=  .home.example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0013", ["foo=bar; domain=  .  home.example.org"], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0014", ["foo=bar; domain=home.example.org."], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0015", ["foo=bar; domain=home.example.org.."], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0016", ["foo=bar; domain=home.example.org ."], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0017", ["foo=bar; domain=.org"], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0018", ["foo=bar; domain=.org."], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0019", ["foo=bar; domain=home.example.org", "foo2=bar2; domain=.home.example.org"],
        "foo=bar; foo2=bar2", "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0020", ["foo2=bar2; domain=.home.example.org", "foo=bar; domain=home.example.org"],
        "foo2=bar2; foo=bar", "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0021", ["foo=bar; domain=\"home.example.org\""], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0022", ["foo=bar; domain=home.example.org", "foo2=bar2; domain=.example.org"],
        "foo=bar; foo2=bar2", "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0023", ["foo2=bar2; domain=.example.org", "foo=bar; domain=home.example.org"],
        "foo2=bar2; foo=bar", "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0024", ["foo=bar; domain=.example.org; domain=home.example.org"], "",
        "http://sibling.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0025", ["foo=bar; domain=home.example.org; domain=.example.org"], "foo=bar",
        "http://sibling.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0026", ["foo=bar; domain=home.eXaMpLe.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0027", ["foo=bar; domain=home.example.org:8888"], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0028", ["foo=bar; domain=subdomain.home.example.org"], "",
        "http://subdomain.home.example.org:8888/cookie-parser-result"
    ),
    ("DOMAIN0029", ["foo=bar"], "", "http://subdomain.home.example.org:8888/cookie-parser-result"),
    (
        "DOMAIN0031", ["foo=bar; domain=home.example.org; domain=.example.org"], "foo=bar",
        "http://sibling.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0033", ["foo=bar; domain=home.example.org"], "foo=bar",
        "http://hoMe.eXaMplE.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0034", ["foo=bar; domain=home.example.org; domain=home.example.com"], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0035", ["foo=bar; domain=home.example.com; domain=home.example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0036",
        ["foo=bar; domain=home.example.org; domain=home.example.com; domain=home.example.org"],
        "foo=bar", "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0037",
        ["foo=bar; domain=home.example.com; domain=home.example.org; domain=home.example.com"], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0038", ["foo=bar; domain=home.example.org; domain=home.example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0039", ["foo=bar; domain=home.example.org; domain=example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0040", ["foo=bar; domain=example.org; domain=home.example.org"], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0041", ["foo=bar; domain=.sibling.example.org"], "",
        "http://sibling.example.org:8888/cookie-parser-result"
    ),
    (
        "DOMAIN0042", ["foo=bar; domain=.sibling.home.example.org"], "",
        "http://sibling.home.example.org:8888/cookie-parser-result"
    ),
    ("MOZILLA0001", ["foo=bar; max-age=-1"], "", nil),
    ("MOZILLA0002", ["foo=bar; max-age=0"], "", nil),
    ("MOZILLA0003", ["foo=bar; expires=Thu, 10 Apr 1980 16:33:12 GMT"], "", nil),
    ("MOZILLA0004", ["foo=bar; max-age=60"], "foo=bar", nil),
    ("MOZILLA0005", ["foo=bar; max-age=-20"], "", nil),
    ("MOZILLA0006", ["foo=bar; max-age=60"], "foo=bar", nil),
    ("MOZILLA0007", ["foo=bar; expires=Thu, 10 Apr 1980 16:33:12 GMT"], "", nil),
    ("MOZILLA0008", ["foo=bar; max-age=60", "foo1=bar; max-age=60"], "foo=bar; foo1=bar", nil),
    (
        "MOZILLA0009",
        ["foo=bar; max-age=60", "foo1=bar; max-age=60", "foo=differentvalue; max-age=0"],
        "foo1=bar", nil
    ),
    (
        "MOZILLA0010",
        [
            "foo=bar; max-age=60", "foo1=bar; max-age=60", "foo=differentvalue; max-age=0",
            "foo2=evendifferentvalue; max-age=0",
        ], "foo1=bar", nil
    ),
    (
        "MOZILLA0011",
        ["test=parser; domain=.parser.test; ;; ;=; ,,, ===,abc,=; abracadabra! max-age=20;=;;"], "",
        nil
    ),
    (
        "MOZILLA0012", ["test=\"fubar! = foo;bar\\\";\" parser; max-age=6", "five; max-age=2.63,"],
        "test=\"fubar! = foo", nil
    ),
    ("MOZILLA0013", ["test=kill; max-age=0", "five; max-age=0"], "", nil),
    ("MOZILLA0014", ["six"], "", nil),
    ("MOZILLA0015", ["six", "seven"], "", nil),
    ("MOZILLA0016", ["six", "seven", " =eight"], "", nil),
    ("MOZILLA0017", ["six", "seven", " =eight", "test=six"], "test=six", nil),
    ("NAME0001", ["a=bar"], "a=bar", nil),
    ("NAME0002", ["1=bar"], "1=bar", nil),
    ("NAME0003", ["$=bar"], "$=bar", nil),
    ("NAME0004", ["!a=bar"], "!a=bar", nil),
    ("NAME0005", ["@a=bar"], "@a=bar", nil),
    ("NAME0006", ["#a=bar"], "#a=bar", nil),
    ("NAME0007", ["$a=bar"], "$a=bar", nil),
    ("NAME0008", ["%a=bar"], "%a=bar", nil),
    ("NAME0009", ["^a=bar"], "^a=bar", nil),
    ("NAME0010", ["&a=bar"], "&a=bar", nil),
    ("NAME0011", ["*a=bar"], "*a=bar", nil),
    ("NAME0012", ["(a=bar"], "(a=bar", nil),
    ("NAME0013", [")a=bar"], ")a=bar", nil),
    ("NAME0014", ["-a=bar"], "-a=bar", nil),
    ("NAME0015", ["_a=bar"], "_a=bar", nil),
    ("NAME0016", ["+=bar"], "+=bar", nil),
    ("NAME0017", ["=a=bar"], "", nil),
    ("NAME0018", ["a =bar"], "a=bar", nil),
    ("NAME0019", ["\"a=bar"], "\"a=bar", nil),
    ("NAME0020", ["\"a=b\"=bar"], "\"a=b\"=bar", nil),
    ("NAME0021", ["\"a=b\"=bar", "\"a=qux"], "\"a=qux", nil),
    ("NAME0022", ["   foo=bar"], "foo=bar", nil),
    ("NAME0023", ["foo;bar=baz"], "", nil),
    ("NAME0024", ["$Version=1; foo=bar"], "$Version=1", nil),
    ("NAME0025", ["===a=bar"], "", nil),
    ("NAME0026", ["foo=bar    "], "foo=bar", nil),
    ("NAME0027", ["foo=bar    ;"], "foo=bar", nil),
    ("NAME0028", ["=a"], "", nil),
    ("NAME0029", ["="], "", nil),
    ("NAME0030", ["foo bar=baz"], "foo bar=baz", nil),
    ("NAME0031", ["\"foo;bar\"=baz"], "", nil),
    ("NAME0032", ["\"foo\\\"bar;baz\"=qux"], "", nil),
    ("NAME0033", ["=foo=bar", "aaa"], "", nil),
    (
        "OPTIONAL_DOMAIN0030", ["foo=bar; domain="], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "OPTIONAL_DOMAIN0041", ["foo=bar; domain=example.org; domain="], "foo=bar",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "OPTIONAL_DOMAIN0042", ["foo=bar; domain=foo.example.org; domain="], "",
        "http://home.example.org:8888/cookie-parser-result"
    ),
    (
        "OPTIONAL_DOMAIN0043", ["foo=bar; domain=foo.example.org; domain="], "",
        "http://subdomain.home.example.org:8888/cookie-parser-result"
    ),
    (
        "ORDERING0001",
        [
            "key=val0;", "key=val1; path=/cookie-parser-result", "key=val2; path=/",
            "key=val3; path=/bar", "key=val4; domain=.example.org",
            "key=val5; domain=.example.org; path=/cookie-parser-result/foo",
        ], "key=val5; key=val1; key=val2; key=val4", "/cookie-parser-result/foo/baz"
    ),
    ("PATH0001", ["a=b; path=/", "x=y; path=/cookie-parser-result"], "x=y; a=b", nil),
    ("PATH0002", ["a=b; path=/cookie-parser-result", "x=y; path=/"], "a=b; x=y", nil),
    ("PATH0003", ["x=y; path=/", "a=b; path=/cookie-parser-result"], "a=b; x=y", nil),
    ("PATH0004", ["x=y; path=/cookie-parser-result", "a=b; path=/"], "x=y; a=b", nil),
    ("PATH0005", ["foo=bar; path=/cookie-parser-result/foo"], "", nil),
    ("PATH0006", ["foo=bar", "foo=qux; path=/cookie-parser-result/foo"], "foo=bar", nil),
    (
        "PATH0007", ["foo=bar; path=/cookie-parser-result/foo"], "foo=bar",
        "/cookie-parser-result/foo"
    ),
    ("PATH0008", ["foo=bar; path=/cookie-parser-result/foo"], "", "/cookie-parser-result/bar"),
    ("PATH0009", ["foo=bar; path=/cookie-parser-result/foo/qux"], "", "/cookie-parser-result/foo"),
    (
        "PATH0010", ["foo=bar; path=/cookie-parser-result/foo/qux"], "foo=bar",
        "/cookie-parser-result/foo/qux"
    ),
    (
        "PATH0011", ["foo=bar; path=/cookie-parser-result/foo/qux"], "",
        "/cookie-parser-result/bar/qux"
    ),
    (
        "PATH0012", ["foo=bar; path=/cookie-parser-result/foo/qux"], "",
        "/cookie-parser-result/foo/baz"
    ),
    (
        "PATH0013", ["foo=bar; path=/cookie-parser-result/foo/qux/"], "",
        "/cookie-parser-result/foo/baz"
    ),
    (
        "PATH0014", ["foo=bar; path=/cookie-parser-result/foo/qux/"], "",
        "/cookie-parser-result/foo/qux"
    ),
    (
        "PATH0015", ["foo=bar; path=/cookie-parser-result/foo/qux/"], "foo=bar",
        "/cookie-parser-result/foo/qux/"
    ),
    (
        "PATH0016", ["foo=bar; path=/cookie-parser-result/foo/"], "foo=bar",
        "/cookie-parser-result/foo/qux"
    ),
    (
        "PATH0017", ["foo=bar; path=/cookie-parser-result/foo/"], "foo=bar",
        "/cookie-parser-result/foo//qux"
    ),
    ("PATH0018", ["foo=bar; path=/cookie-parser-result/foo/"], "", "/cookie-parser-result/fooqux"),
    ("PATH0019", ["foo=bar; path"], "foo=bar", nil),
    ("PATH0020", ["foo=bar; path="], "foo=bar", nil),
    ("PATH0021", ["foo=bar; path=/"], "foo=bar", nil),
    ("PATH0022", ["foo=bar; path= /"], "foo=bar", nil),
    ("PATH0023", ["foo=bar; Path=/cookie-PARSER-result"], "", nil),
    (
        "PATH0024", ["foo=bar; path=/cookie-parser-result/foo/qux?"], "",
        "/cookie-parser-result/foo/qux"
    ),
    (
        "PATH0025", ["foo=bar; path=/cookie-parser-result/foo/qux#"], "",
        "/cookie-parser-result/foo/qux"
    ),
    (
        "PATH0026", ["foo=bar; path=/cookie-parser-result/foo/qux;"], "foo=bar",
        "/cookie-parser-result/foo/qux"
    ),
    (
        "PATH0027", ["foo=bar; path=\"/cookie-parser-result/foo/qux;\""], "foo=bar",
        "/cookie-parser-result/foo/qux"
    ),
    (
        "PATH0028", ["foo=bar; path=/cookie-parser-result/f%6Fo/bar"], "",
        "/cookie-parser-result/foo/bar"
    ),
    (
        "PATH0029", ["a=b; \tpath\t=\t/cookie-parser-result\t", "x=y; \tpath\t=\t/book\t"], "a=b",
        nil
    ),
    ("PATH0030", ["foo=bar; path=/dog; path="], "foo=bar", nil),
    ("PATH0031", ["foo=bar; path=; path=/dog"], "", nil),
    (
        "PATH0032",
        ["foo=bar; path=/cookie-parser-result", "foo=qux; path=/cookie-parser-result/"],
        "foo=qux; foo=bar", "/cookie-parser-result/dog"
    ),
    ("VALUE0001", ["foo=  bar"], "foo=bar", nil),
    ("VALUE0002", ["foo=\"bar\""], "foo=\"bar\"", nil),
    ("VALUE0003", ["foo=\"  bar \""], "foo=\"  bar \"", nil),
    ("VALUE0004", ["foo=\"bar;baz\""], "foo=\"bar", nil),
    ("VALUE0005", ["foo=\"bar=baz\""], "foo=\"bar=baz\"", nil),
    ("VALUE0006", ["\tfoo\t=\tbar\t \t;\tttt"], "foo=bar", nil),
]

/// Expires dates (dates/examples.json and dates/bsd-examples.json there); nil if the text is no date.
let cookieDateVectors: [(text: String, date: String?)] = [
    ("Mon, 10-Dec-2007 17:02:24 GMT", "Mon, 10 Dec 2007 17:02:24 GMT"),
    ("Wed, 09 Dec 2009 16:27:23 GMT", "Wed, 09 Dec 2009 16:27:23 GMT"),
    ("Thursday, 01-Jan-1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("Mon Dec 10 16:32:30 2007 GMT", "Mon, 10 Dec 2007 16:32:30 GMT"),
    ("Wednesday, 01-Jan-10 00:00:00 GMT", "Fri, 01 Jan 2010 00:00:00 GMT"),
    ("Mon, 10-Dec-07 20:35:03 GMT", "Mon, 10 Dec 2007 20:35:03 GMT"),
    ("Wed, 1 Jan 2020 00:00:00 GMT", "Wed, 01 Jan 2020 00:00:00 GMT"),
    ("Saturday, 8-Dec-2012 21:24:09 GMT", "Sat, 08 Dec 2012 21:24:09 GMT"),
    ("Thu, 31 Dec 23:55:55 2037 GMT", "Thu, 31 Dec 2037 23:55:55 GMT"),
    ("Sun,  9 Dec 2012 13:42:05 GMT", "Sun, 09 Dec 2012 13:42:05 GMT"),
    ("Wed Dec 12 2007 08:44:07 GMT-0500 (EST)", "Wed, 12 Dec 2007 08:44:07 GMT"),
    ("Mon, 01-Jan-2011 00: 00:00 GMT", nil),
    ("Sun, 1-Jan-1995 00:00:00 GMT", "Sun, 01 Jan 1995 00:00:00 GMT"),
    ("Wednesday, 01-Jan-10 0:0:00 GMT", "Fri, 01 Jan 2010 00:00:00 GMT"),
    ("Thu, 10 Dec 2009 13:57:2 GMT", "Thu, 10 Dec 2009 13:57:02 GMT"),
    ("Sat, 15-Apr-17 21:01:22 GMT", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Thu, 19-Apr-2007 16:00:00 GMT", "Thu, 19 Apr 2007 16:00:00 GMT"),
    ("Wed, 25 Apr 2007 21:02:13 GMT", "Wed, 25 Apr 2007 21:02:13 GMT"),
    ("Thu, 19/Apr\\2007 16:00:00 GMT", "Thu, 19 Apr 2007 16:00:00 GMT"),
    ("Fri, 1 Jan 2010 01:01:50 GMT", "Fri, 01 Jan 2010 01:01:50 GMT"),
    ("Wednesday, 1-Jan-2003 00:00:00 GMT", "Wed, 01 Jan 2003 00:00:00 GMT"),
    (", 1-Jan-2003 00:00:00 GMT", "Wed, 01 Jan 2003 00:00:00 GMT"),
    (" 1-Jan-2003 00:00:00 GMT", "Wed, 01 Jan 2003 00:00:00 GMT"),
    ("1-Jan-2003 00:00:00 GMT", "Wed, 01 Jan 2003 00:00:00 GMT"),
    ("Wed,18-Apr-07 22:50:12 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("WillyWonka  , 18-Apr-07 22:50:12 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("WillyWonka  , 18-Apr-07 22:50:12", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("WillyWonka  ,  18-apr-07   22:50:12", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Mon, 18-Apr-1977 22:50:13 GMT", "Mon, 18 Apr 1977 22:50:13 GMT"),
    ("Mon, 18-Apr-77 22:50:13 GMT", "Mon, 18 Apr 1977 22:50:13 GMT"),
    ("\"Sat, 15-Apr-17\\\"21:01:22\\\"GMT\"", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Partyday, 18- April-07 22:50:12", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Partyday, 18 - Apri-07 22:50:12", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Wednes, 1-Januar-2003 00:00:00 GMT", "Wed, 01 Jan 2003 00:00:00 GMT"),
    ("Sat, 15-Apr-17 21:01:22", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 GMT-2", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 GMT BLAH", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 GMT-0400", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 GMT-0400 (EDT)", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 DST", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 -0400", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 (hello there)", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 21:01:22 11:22:33", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 ::00 21:01:22", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 boink:z 21:01:22", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Sat, 15-Apr-17 91:22:33 21:01:22", nil),
    ("Thu Apr 18 22:50:12 2007 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("22:50:12 Thu Apr 18 2007 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Thu 22:50:12 Apr 18 2007 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Thu Apr 22:50:12 18 2007 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Thu Apr 18 22:50:12 2007 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Thu Apr 18 2007 22:50:12 GMT", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Thu Apr 18 2007 GMT 22:50:12", "Wed, 18 Apr 2007 22:50:12 GMT"),
    ("Sat, 15-Apr-17 21:01:22 GMT", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("15-Sat, Apr-17 21:01:22 GMT", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("15-Sat, Apr 21:01:22 GMT 17", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("15-Sat, Apr 21:01:22 GMT 2017", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("15 Apr 21:01:22 2017", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("15 17 Apr 21:01:22", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Apr 15 17 21:01:22", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("Apr 15 21:01:22 17", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("2017 April 15 21:01:22", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("15 April 2017 21:01:22", "Sat, 15 Apr 2017 21:01:22 GMT"),
    ("98 April 17 21:01:22", nil),
    ("Thu, 012-Aug-2008 20:49:07 GMT", nil),
    ("Thu, 12-Aug-31841 20:49:07 GMT", nil),
    ("Thu, 12-Aug-9999999999 20:49:07 GMT", nil),
    ("Thu, 999999999999-Aug-2007 20:49:07 GMT", nil),
    ("Thu, 12-Aug-2007 20:61:99999999999 GMT", nil),
    ("IAintNoDateFool", nil),
]

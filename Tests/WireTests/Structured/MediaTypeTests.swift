import Testing
import Wire

@Suite struct MediaTypeTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("text/html;charset=utf-8", "text/html; charset=utf-8"),
            ("Text/HTML;Charset=\"utf-8\"", "text/html; charset=utf-8"),
            ("text/html; charset=\"utf-8\"", "text/html; charset=utf-8"),
            ("text/html;charset=UTF-8 ; ;", "text/html; charset=UTF-8"),
            (" text/plain ", "text/plain"), ("a/b;c=\"\"", "a/b; c=\"\""),
            ("a/b;c=\"d;\\\"e\\\\\"", "a/b; c=\"d;\\\"e\\\\\""),
            ("a/b;c=\"\u{e9}\tx\"", "a/b; c=\"\u{e9}\tx\""), ("a/b;c=1;C=2", "a/b; c=1; c=2"),
            ("application/problem+json", "application/problem+json"), ("*/*", "*/*"),
        ]
    )
    func `§8.3.1: media types are parsed and formatted`(text: String, formatted: String) {
        let type = MediaType(text)
        #expect(type?.description == formatted)
        #expect(MediaType(formatted) == type)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            "", " ", "text", "text/", "/html", "text /html", "text/ html", "text/html/x",
            "text/html,",
            "text/html; charset", "text/html; charset=", "text/html; charset =utf-8",
            "text/html; charset= utf-8", "text/html; =x", "text/html charset=x", "text/html; a=\"x",
            "text/html; a=\"x\\\"", "text/html; a=\"x\"y", "text/html; a=b c", "text/html\0",
            "text/html; a=\"\0\"", "t\u{e9}xt/html", "text/html; a=\u{e9}",
            "text/html; a=\"b\r\n\"",
            ";", "text;html",
        ]
    )
    func `§8.3.1: malformed media types are rejected`(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test func `parameters are found without case, and the first of a name counts`() {
        let type = MediaType("Multipart/Form-Data; Boundary=aB; CHARSET=UTF-8; charset=x")!
        #expect(type.boundary == "aB" && type.charset == "utf-8" && type["Charset"] == "UTF-8")
        #expect(type["none"] == nil && type.essence == "multipart/form-data")
        #expect(
            MediaType("a/b+c+d")?.structuredSyntaxSuffix == "d"
                && type.structuredSyntaxSuffix == nil
        )
        #expect(type.isSameFormat(as: MediaType("multipart", "FORM-data")!))
        #expect(!type.isSameFormat(as: MediaType("multipart", "mixed")!))
    }

    @Test func `media types and parameters with invalid characters cannot be built`() {
        #expect(MediaType("a b", "c") == nil && MediaType("a", "") == nil)
        #expect(FieldParameter("a", "b\r\nc") == nil && FieldParameter("a b", "") == nil)
        #expect(
            MediaType("a", "b", parameters: [FieldParameter("N", "v w")!])!.description
                == "a/b; n=\"v w\""
        )
        #expect(FieldParameter("a", "\u{e9}") != FieldParameter("a", "e\u{301}"))
        #expect(Set([FieldParameter("A", "x"), FieldParameter("a", "x")]).count == 1)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("0", 0, "0"), ("1", 1000, "1"), ("0.", 0, "0"), ("1.", 1000, "1"),
            ("1.000", 1000, "1"),
            ("0.5", 500, "0.5"), ("0.05", 50, "0.05"), ("0.333", 333, "0.333"),
            ("0.120", 120, "0.12"),
            ("0.001", 1, "0.001"),
        ]
    )
    func `§12.4.2: weights have at most three decimals`(
        text: String,
        thousandths: Int,
        formatted: String
    ) {
        #expect(QualityValue(text)?.thousandths == thousandths)
        #expect(QualityValue(thousandths: thousandths).description == formatted)
    }

    @Test(arguments: [
        "", ".", ".5", "1.001", "2", "0.5555", "-0", "+1", "0,5", "1e0", "00", "01", "0.a", "0.5 ",
        "nan",
        "0.\0", "\u{660}",
    ])
    func `§12.4.2: malformed weights are rejected`(text: String) {
        #expect(QualityValue(text) == nil)
    }

    @Test func `weights out of range become the nearest in range`() {
        #expect(QualityValue(thousandths: .max) == .one && QualityValue(thousandths: .min) == .zero)
    }
}

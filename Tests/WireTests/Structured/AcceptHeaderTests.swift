import Testing
import Wire

@Suite struct AcceptHeaderTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("text/plain;format=flowed", 1000), ("text/plain", 700), ("text/html", 300),
            ("image/jpeg", 500), ("text/plain;format=fixed", 400), ("text/html;level=3", 300),
        ]
    )
    func `§12.5.1: the most specific range determines the weight`(format: String, weight: Int) {
        let text =
            "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, "
            + "text/plain;format=fixed;q=0.4, */*;q=0.5"
        #expect(AcceptHeader(text)?.weight(of: MediaType(format)!).thousandths == weight)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("audio/*; q=0.2, audio/basic", "audio/basic, audio/*; q=0.2"),
            (
                "text/plain; q=0.5, text/html, text/x-dvi; q=0.8, text/x-c",
                "text/html, text/x-c, text/x-dvi; q=0.8, text/plain; q=0.5"
            ),
            (
                "text/*, text/plain, text/plain;format=flowed, */*",
                "text/plain; format=flowed, text/plain, text/*, */*"
            ),
            ("a/b;x=1;q=0.5;ext=2;q=1", "a/b; x=1; q=0.5"), ("a/b;Q=1.0", "a/b"), ("", ""),
            (",, ,", ""),
        ]
    )
    func `§12.5.1: ranges are sorted by preference`(text: String, sorted: String) {
        let header = AcceptHeader(text)
        #expect(header.map { AcceptHeader($0.byPreference).description } == sorted)
        #expect(header.map { AcceptHeader($0.description) } == header)
    }

    @Test(
        arguments: [
            ("text/html, application/json;q=0.9", "text/html"),
            ("application/json;q=0.1", "application/json"),
            ("*/*", "text/html"), ("", "text/html"), ("image/*", nil), ("*/*;q=0", nil),
            ("text/html;q=0, */*;q=0.1", "application/json"),
            ("application/json;charset=UTF-8", "application/json; charset=utf-8"),
        ] as [(String, String?)]
    )
    func `§12.5.1: the offer with the greatest weight is preferred`(text: String, format: String?) {
        let offers = ["text/html", "application/json", "application/json;charset=utf-8"]
            .map { MediaType($0)! }
        #expect(AcceptHeader(text)?.preferred(among: offers)?.description == format)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            "text", "*/html", "text/html;q=2", "text/html;q=", "text/html;q=a", "text/html;q=-1",
            "text/html text/plain", "a/b, c", "a/b;q=\"0.5", "\0", "a/b, \"", "a/b;q=0.5555",
            "\u{e9}/b",
        ]
    )
    func `§12.5.1: malformed lists are rejected`(text: String) {
        #expect(AcceptHeader(text) == nil)
        #expect(MediaRange(text) == nil)
    }

    @Test func `more ranges than the limit are rejected`() {
        let text = Array(repeating: "a/b", count: 257).joined(separator: ",")
        #expect(AcceptHeader(text) == nil)
        #expect(AcceptHeader(text, limit: 257)?.ranges.count == 257)
        #expect(MediaRange(" a/b;q=0.5 ")?.description == "a/b; q=0.5")
        #expect(MediaRange(MediaType("a/b;q=1")!) == nil)
    }
}

import Testing
import Wire

@Suite struct RetryAfterTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("120", .seconds(120), 120, "120"), ("0", .seconds(0), 0, "0"),
            ("007", .seconds(7), 7, "7"),
            ("99999999999999999999", .seconds(.max), .max, "9223372036854775807"),
            (
                "Fri, 31 Dec 1999 23:59:59 GMT", .date(HTTPDate(secondsSince1970: 946_684_799)), 60,
                "Fri, 31 Dec 1999 23:59:59 GMT"
            ),
            (
                "Friday, 31-Dec-99 23:58:00 GMT", .date(HTTPDate(secondsSince1970: 946_684_680)), 0,
                "Fri, 31 Dec 1999 23:58:00 GMT"
            ),
        ] as [(String, RetryAfter, Int, String)]
    )
    func `§10.2.3: a delay or a date gives the delay`(
        text: String,
        value: RetryAfter,
        delay: Int,
        formatted: String
    ) {
        let now = HTTPDate("Fri, 31 Dec 1999 23:58:59 GMT")!
        #expect(RetryAfter(text, now: now) == value)
        #expect(value.delay(from: now) == delay)
        #expect(value.description == formatted)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1s", "1, 2", "soon", "0x10", "\0", "\u{661}", " 1",
    ])
    func `§10.2.3: malformed values are rejected`(text: String) {
        #expect(RetryAfter(text) == nil)
    }
}

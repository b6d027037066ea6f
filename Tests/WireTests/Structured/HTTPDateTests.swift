import Testing
import Wire

@Suite struct HTTPDateTests {
    private static let example = 784_111_777

    @Test(
        .tags(.rfc9110),
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994",
        ]
    )
    func `§5.6.7: the three forms give the same date`(text: String) {
        #expect(HTTPDate(text)?.secondsSince1970 == Self.example)
        #expect(HTTPDate(text)?.description == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int, String)]
    )
    func `known dates are formatted and parsed`(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).description == text)
        #expect(HTTPDate(text)?.secondsSince1970 == seconds)
    }

    @Test func `seconds out of range become the nearest date in range`() {
        #expect("\(HTTPDate(secondsSince1970: .max))" == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect("\(HTTPDate(secondsSince1970: .min))" == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test func `every day from 1583 to 2500 is formatted and parsed back`() {
        var last = HTTPDate("Fri, 31 Dec 1582 12:34:56 GMT")!.secondsSince1970
        let end = HTTPDate("Fri, 31 Dec 2500 12:34:56 GMT")!.secondsSince1970
        while last < end {
            last += 86_400
            let text = HTTPDate(secondsSince1970: last).description
            guard HTTPDate(text)?.secondsSince1970 == last else {
                Issue.record("\(text) is not \(last)")
                return
            }
        }
        #expect(last == end)
    }

    @Test(arguments: [
        ("1994", "94", "1994"), ("2026", "94", "1994"), ("2026", "76", "2076"),
        ("2026", "77", "1977"), ("2026", "00", "2000"), ("1960", "10", "2010"),
        ("1949", "99", "1999"), ("2099", "00", "2100"), ("0001", "99", "0099"),
    ])
    func `§5.6.7: a two-digit year is at most 50 years ahead`(
        now: String,
        digits: String,
        year: String
    ) {
        let now = HTTPDate("Sun, 06 Nov \(now) 08:49:37 GMT")
        let date = HTTPDate("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now)
        #expect(date != nil && date == HTTPDate("Sun, 06 Nov \(year) 08:49:37 GMT"))
    }

    @Test func `§5.6.7: a date one second beyond 50 years ahead is in the past`() {
        let now = HTTPDate("Fri, 06 Nov 2026 08:49:37 GMT")
        let date = HTTPDate("Friday, 06-Nov-76 08:49:38 GMT", now: now)
        #expect(date == HTTPDate("Sat, 06 Nov 1976 08:49:38 GMT"))
    }

    @Test(arguments: [
        ("Sat, 31 Dec 2016 23:59:60 GMT", "Sun, 01 Jan 2017 00:00:00 GMT"),
        ("Thu, 29 Feb 2024 23:59:59 GMT", "Thu, 29 Feb 2024 23:59:59 GMT"),
        ("Mon, 29 Feb 2024 00:00:00 GMT", "Thu, 29 Feb 2024 00:00:00 GMT"),
    ])
    func `an existing date is accepted with a wrong weekday`(text: String, formatted: String) {
        #expect(HTTPDate(text)?.description == formatted)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            "", " ", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 +0000", "sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun,06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 23:59:61 GMT",
            "Sun, 06 Nov 1994 +8:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
            "Sunday, 06-11-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
            "Sun Nov   6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
            "Fri, 31 Dec 9999 23:59:60 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\0",
            "\0", "Sun, \u{660}6 Nov 1994 08:49:37 GMT", "0", "-1", "784111777",
        ]
    )
    func `§5.6.7: malformed dates are rejected`(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `dates are ordered by time`() {
        #expect(HTTPDate(secondsSince1970: 1) < HTTPDate(secondsSince1970: 2))
    }
}

import HTTPClient
import Testing
import Wire

/// Tests the freshness lifetime and the age of stored responses (RFC 9111 §4.2).
@Suite struct CacheFreshnessTests {
    struct Lifetime: Sendable, CustomStringConvertible {
        let description: String
        let status: HTTPStatus
        let lines: [String]
        let seconds: Int
        let source: CacheFreshness.Source

        init(
            _ description: String,
            _ lines: [String],
            _ seconds: Int,
            _ source: CacheFreshness.Source,
            status: HTTPStatus = 200
        ) {
            self.description = description
            self.status = status
            self.lines = lines
            self.seconds = seconds
            self.source = source
        }
    }

    /// RFC 9111 §4.2.1; all responses are received at second 100000.
    private static let explicit: [Lifetime] = [
        Lifetime("no field", [], 0, .unknown),
        Lifetime("max-age", ["Cache-Control: max-age=10"], 10, .maxAge),
        Lifetime("max-age in upper case", ["Cache-Control: MAX-AGE=10"], 10, .maxAge),
        Lifetime("max-age in quotes", ["Cache-Control: max-age=\"10\""], 10, .maxAge),
        Lifetime(
            "max-age in another line",
            ["Cache-Control: a", "Cache-Control: max-age=10"],
            10,
            .maxAge
        ),
        Lifetime("max-age of zero", ["Cache-Control: max-age=0"], 0, .maxAge),
        Lifetime("max-age with leading zeros", ["Cache-Control: max-age=0010"], 10, .maxAge),
        Lifetime(
            "max-age of 2^31 - 1",
            ["Cache-Control: max-age=2147483647"],
            2_147_483_647,
            .maxAge
        ),
        Lifetime("max-age of 2^31", ["Cache-Control: max-age=2147483648"], 2_147_483_648, .maxAge),
        Lifetime(
            "max-age above 2^31",
            ["Cache-Control: max-age=2147483649"],
            2_147_483_648,
            .maxAge
        ),
        Lifetime(
            "max-age above 2^64",
            ["Cache-Control: max-age=99999999999999999999"],
            2_147_483_648,
            .maxAge
        ),
        Lifetime("negative max-age", ["Cache-Control: max-age=-1"], 0, .maxAge),
        Lifetime("max-age with a fraction", ["Cache-Control: max-age=1.5"], 0, .maxAge),
        Lifetime("max-age with a sign", ["Cache-Control: max-age=+5"], 0, .maxAge),
        Lifetime("max-age without a number", ["Cache-Control: max-age"], 0, .maxAge),
        Lifetime("max-age with an empty number", ["Cache-Control: max-age="], 0, .maxAge),
        Lifetime(
            "max-age with a space before the number",
            ["Cache-Control: max-age= 5"],
            0,
            .maxAge
        ),
        Lifetime("max-age with letters", ["Cache-Control: max-age=5s"], 0, .maxAge),
        Lifetime("repeated max-age", ["Cache-Control: max-age=10, max-age=99"], 10, .maxAge),
        Lifetime(
            "repeated max-age, shorter last",
            ["Cache-Control: max-age=99, max-age=10"],
            99,
            .maxAge
        ),
        Lifetime(
            "repeated max-age, first malformed",
            ["Cache-Control: max-age=x, max-age=10"],
            0,
            .maxAge
        ),
        Lifetime(
            "max-age inside a quoted string",
            ["Cache-Control: a=\"max-age=10\""],
            0,
            .unknown
        ),
        Lifetime("name that contains max-age", ["Cache-Control: x-max-age=10"], 0, .unknown),
        Lifetime("s-maxage is for shared caches", ["Cache-Control: s-maxage=10"], 0, .unknown),
        Lifetime(
            "s-maxage does not replace max-age",
            ["Cache-Control: s-maxage=9, max-age=3"],
            3,
            .maxAge
        ),
        Lifetime("Expires", ["Date: @100000", "Expires: @100010"], 10, .expires),
        Lifetime("Expires relative to Date", ["Date: @99990", "Expires: @100010"], 20, .expires),
        Lifetime("Expires without Date", ["Expires: @100010"], 10, .expires),
        Lifetime("Expires with a malformed Date", ["Date: now", "Expires: @100010"], 10, .expires),
        Lifetime("Expires equal to Date", ["Date: @100000", "Expires: @100000"], 0, .expires),
        Lifetime("Expires before Date", ["Date: @100000", "Expires: @99990"], 0, .expires),
        Lifetime("Expires of 0", ["Expires: 0"], 0, .expires),
        Lifetime("Expires of -1", ["Expires: -1"], 0, .expires),
        Lifetime("empty Expires", ["Expires: "], 0, .expires),
        Lifetime("Expires in lower case", ["Expires: fri, 02 jan 1970 03:46:50 gmt"], 10, .expires),
        Lifetime("Expires in upper case", ["Expires: FRI, 02 JAN 1970 03:46:50 GMT"], 10, .expires),
        Lifetime("Expires in mixed case", ["Expires: fRI JAn  2 03:46:50 1970"], 10, .expires),
        Lifetime(
            "Date in lower case",
            ["Date: friday, 02-jan-70 03:46:30 gmt", "Expires: @100010"],
            20,
            .expires
        ),
        Lifetime("Expires in UTC", ["Expires: Fri, 02 Jan 1970 03:46:50 UTC"], 0, .expires),
        Lifetime("Expires in gMTx", ["Expires: Fri, 02 Jan 1970 03:46:50 gmtx"], 0, .expires),
        Lifetime("Expires without a zone", ["Expires: Fri, 02 Jan 1970 03:46:50"], 0, .expires),
        Lifetime(
            "Expires in the format of RFC 850",
            ["Expires: Friday, 02-Jan-70 03:46:50 GMT"],
            10,
            .expires
        ),
        Lifetime(
            "Expires in the format of asctime",
            ["Expires: Fri Jan  2 03:46:50 1970"],
            10,
            .expires
        ),
        Lifetime(
            "Expires in the year 9999",
            ["Expires: Fri, 31 Dec 9999 23:59:59 GMT"],
            2_147_483_648,
            .expires
        ),
        Lifetime("repeated Expires", ["Expires: @100010", "Expires: @100099"], 10, .expires),
        Lifetime(
            "max-age before Expires",
            ["Cache-Control: max-age=5", "Expires: @100010"],
            5,
            .maxAge
        ),
        Lifetime(
            "max-age of zero before Expires",
            ["Cache-Control: max-age=0", "Expires: @100010"],
            0,
            .maxAge
        ),
        Lifetime(
            "malformed max-age before Expires",
            ["Cache-Control: max-age=x", "Expires: @100010"],
            0,
            .maxAge
        ),
    ]

    /// RFC 9111 §4.2.2; all responses are received at second 100000.
    private static let heuristics: [Lifetime] = [
        Lifetime(
            "a tenth of the time since the change",
            ["Date: @100000", "Last-Modified: @90000"],
            1000,
            .heuristic
        ),
        Lifetime("rounded down", ["Date: @100000", "Last-Modified: @99981"], 1, .heuristic),
        Lifetime("below ten seconds", ["Date: @100000", "Last-Modified: @99991"], 0, .heuristic),
        Lifetime(
            "at most a day",
            ["Date: @100000", "Last-Modified: @-900000"],
            86_400,
            .heuristic
        ),
        Lifetime("just a day", ["Date: @100000", "Last-Modified: @-764000"], 86_400, .heuristic),
        Lifetime(
            "just below a day",
            ["Date: @100000", "Last-Modified: @-763990"],
            86_399,
            .heuristic
        ),
        Lifetime("relative to Date", ["Date: @95000", "Last-Modified: @90000"], 500, .heuristic),
        Lifetime("without Date", ["Last-Modified: @90000"], 1000, .heuristic),
        Lifetime(
            "Date in the future",
            ["Date: @190000", "Last-Modified: @90000"],
            1000,
            .heuristic
        ),
        Lifetime(
            "change in the future",
            ["Date: @100000", "Last-Modified: @100500"],
            0,
            .heuristic
        ),
        Lifetime("malformed date", ["Last-Modified: yesterday"], 0, .unknown),
        Lifetime(
            "different dates",
            ["Last-Modified: @90000", "Last-Modified: @80000"],
            0,
            .unknown
        ),
        Lifetime(
            "a tenth since Last-Modified in lower case",
            ["Date: @100000", "Last-Modified: fri, 02 jan 1970 01:00:00 gmt"],
            1000,
            .heuristic
        ),
        Lifetime("no guess with Expires", ["Expires: 0", "Last-Modified: @90000"], 0, .expires),
        Lifetime(
            "no guess with max-age",
            ["Cache-Control: max-age=0", "Last-Modified: @90000"],
            0,
            .maxAge
        ),
        Lifetime("203", ["Last-Modified: @90000"], 1000, .heuristic, status: 203),
        Lifetime("204", ["Last-Modified: @90000"], 1000, .heuristic, status: 204),
        Lifetime("206", ["Last-Modified: @90000"], 1000, .heuristic, status: 206),
        Lifetime("300", ["Last-Modified: @90000"], 1000, .heuristic, status: 300),
        Lifetime("301", ["Last-Modified: @90000"], 1000, .heuristic, status: 301),
        Lifetime("308", ["Last-Modified: @90000"], 1000, .heuristic, status: 308),
        Lifetime("404", ["Last-Modified: @90000"], 1000, .heuristic, status: 404),
        Lifetime("405", ["Last-Modified: @90000"], 1000, .heuristic, status: 405),
        Lifetime("410", ["Last-Modified: @90000"], 1000, .heuristic, status: 410),
        Lifetime("414", ["Last-Modified: @90000"], 1000, .heuristic, status: 414),
        Lifetime("501", ["Last-Modified: @90000"], 1000, .heuristic, status: 501),
        Lifetime("201", ["Last-Modified: @90000"], 0, .unknown, status: 201),
        Lifetime("302", ["Last-Modified: @90000"], 0, .unknown, status: 302),
        Lifetime("307", ["Last-Modified: @90000"], 0, .unknown, status: 307),
        Lifetime("403", ["Last-Modified: @90000"], 0, .unknown, status: 403),
        Lifetime("500", ["Last-Modified: @90000"], 0, .unknown, status: 500),
        Lifetime("503", ["Last-Modified: @90000"], 0, .unknown, status: 503),
        Lifetime("599", ["Last-Modified: @90000"], 0, .unknown, status: 599),
        Lifetime(
            "302 with public",
            ["Cache-Control: public", "Last-Modified: @90000"],
            1000,
            .heuristic,
            status: 302
        ),
        Lifetime(
            "599 with public",
            ["Cache-Control: public", "Last-Modified: @90000"],
            1000,
            .heuristic,
            status: 599
        ),
        Lifetime(
            "302 with private",
            ["Cache-Control: private", "Last-Modified: @90000"],
            0,
            .unknown,
            status: 302
        ),
    ]

    @Test(arguments: explicit + heuristics)
    func `the lifetime follows from the fields`(row: Lifetime) {
        let head = CacheHeads.response(row.status, row.lines)
        let time = CacheHeads.date(100_000)
        let freshness = CacheFreshness(
            head,
            ResponseDirectives(head.headers),
            requestTime: time,
            responseTime: time
        )
        #expect(freshness.lifetime == row.seconds)
        #expect(freshness.source == row.source)
    }

    struct Age: Sendable, CustomStringConvertible {
        let description: String
        let lines: [String]
        let requested: Int
        let received: Int
        let now: Int
        let age: Int
        let isFresh: Bool
        let staleness: Int

        init(
            _ description: String,
            _ lines: [String],
            _ requested: Int = 1000,
            _ received: Int = 1000,
            now: Int,
            _ age: Int,
            isFresh: Bool,
            staleness: Int = 0
        ) {
            self.description = description
            self.lines = lines
            self.requested = requested
            self.received = received
            self.now = now
            self.age = age
            self.isFresh = isFresh
            self.staleness = staleness
        }
    }

    private static let unlimited = 2_147_483_648

    /// RFC 9111 §4.2.3 and §5.1; the lifetime is 100 seconds.
    private static let ages: [Age] = [
        Age("just received", [], now: 1000, 0, isFresh: true),
        Age("resident", [], now: 1030, 30, isFresh: true),
        Age("one second left", [], now: 1099, 99, isFresh: true),
        Age("age equal to the lifetime", [], now: 1100, 100, isFresh: false),
        Age("one second too old", [], now: 1101, 101, isFresh: false, staleness: 1),
        Age("Age", ["Age: 40"], now: 1000, 40, isFresh: true),
        Age("Age and resident", ["Age: 40"], now: 1060, 100, isFresh: false),
        Age("Age above the lifetime", ["Age: 150"], now: 1000, 150, isFresh: false, staleness: 50),
        Age("Age of zero", ["Age: 0"], now: 1010, 10, isFresh: true),
        Age("negative Age", ["Age: -40"], now: 1010, 10, isFresh: true),
        Age("Age with a sign", ["Age: +40"], now: 1010, 10, isFresh: true),
        Age("Age with a fraction", ["Age: 40.5"], now: 1010, 10, isFresh: true),
        Age("Age with letters", ["Age: 40s"], now: 1010, 10, isFresh: true),
        Age("empty Age", ["Age: "], now: 1010, 10, isFresh: true),
        Age("Age as a list", ["Age: 40, 7200"], now: 1010, 50, isFresh: true),
        Age(
            "Age as a list, first larger",
            ["Age: 7200, 0"],
            now: 1000,
            7200,
            isFresh: false,
            staleness: 7100
        ),
        Age("two lines of Age", ["Age: 40", "Age: 7200"], now: 1010, 50, isFresh: true),
        Age("Age as a list, first malformed", ["Age: x, 7200"], now: 1010, 10, isFresh: true),
        Age(
            "Age of 2^31",
            ["Age: 2147483648"],
            now: 1000,
            unlimited,
            isFresh: false,
            staleness: unlimited - 100
        ),
        Age(
            "Age above 2^64",
            ["Age: 99999999999999999999"],
            now: 1000,
            unlimited,
            isFresh: false,
            staleness: unlimited - 100
        ),
        Age(
            "huge Age and resident",
            ["Age: 2147483648"],
            now: 1060,
            unlimited,
            isFresh: false,
            staleness: unlimited - 100
        ),
        Age("response delay", [], 990, 1000, now: 1000, 10, isFresh: true),
        Age("response delay and Age", ["Age: 40"], 990, 1000, now: 1005, 55, isFresh: true),
        Age("apparent age", ["Date: @980"], now: 1000, 20, isFresh: true),
        Age(
            "apparent age below the delay",
            ["Date: @995"],
            990,
            1000,
            now: 1000,
            10,
            isFresh: true
        ),
        Age(
            "apparent age above the delay",
            ["Date: @980"],
            990,
            1000,
            now: 1000,
            20,
            isFresh: true
        ),
        Age("apparent age below Age", ["Date: @980", "Age: 40"], now: 1000, 40, isFresh: true),
        Age("apparent age above Age", ["Date: @930", "Age: 40"], now: 1000, 70, isFresh: true),
        Age("Date long ago", ["Date: @0"], now: 1000, 1000, isFresh: false, staleness: 900),
        Age("Date in the future", ["Date: @5000"], now: 1010, 10, isFresh: true),
        Age("malformed Date", ["Date: today"], now: 1010, 10, isFresh: true),
        Age("clock set back during the exchange", [], 1500, 1000, now: 1010, 10, isFresh: true),
        Age(
            "clock set back during the exchange, with Age",
            ["Age: 40"],
            1500,
            1000,
            now: 1000,
            40,
            isFresh: true
        ),
        Age("clock set back since", [], now: 999, 0, isFresh: false, staleness: unlimited),
        Age(
            "clock set back far",
            ["Age: 40"],
            now: -5000,
            40,
            isFresh: false,
            staleness: unlimited
        ),
        Age(
            "clock in the far future",
            [],
            now: 253_402_300_799,
            unlimited,
            isFresh: false,
            staleness: unlimited - 100
        ),
    ]

    @Test(arguments: ages)
    func `the age is calculated`(row: Age) {
        let head = CacheHeads.response(200, ["Cache-Control: max-age=100"] + row.lines)
        let freshness = CacheFreshness(
            head,
            ResponseDirectives(head.headers),
            requestTime: CacheHeads.date(row.requested),
            responseTime: CacheHeads.date(row.received)
        )
        let now = CacheHeads.date(row.now)
        #expect(freshness.age(at: now) == row.age)
        #expect(freshness.isFresh(at: now) == row.isFresh)
        #expect(freshness.staleness(at: now) == row.staleness)
        #expect(freshness.remaining(at: now) == (row.isFresh ? 100 - row.age : 0))
    }
}

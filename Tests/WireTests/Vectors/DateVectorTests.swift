import Testing
import Wire

@Suite struct DateVectorTests {
    private static let now = HTTPDate("Sat, 21 Nov 2026 00:00:00 GMT")

    @Test(
        .tags(.rfc9110),
        arguments: curlDateVectors + perlDateVectors + aprDateVectors + expiresVectors
    )
    func `§5.6.7: only the three standard forms of other projects' dates are accepted`(
        text: String,
        seconds: Int?
    ) {
        #expect(HTTPDate(text)?.secondsSince1970 == seconds)
        #expect(HTTPDate(text, now: Self.now)?.secondsSince1970 == seconds)
    }

    @Test(.tags(.rfc9110), arguments: formVectors.indices)
    func `§5.6.7: a date is parsed from each of its three forms`(index: Int) {
        let row = formVectors[index]
        for text in [row.fixdate, row.rfc850, row.asctime] {
            #expect(HTTPDate(text)?.secondsSince1970 == row.seconds, "\(text)")
        }
        // As of 2026, the year 70 is less than 50 years in the future, so by §5.6.7 it means 2070.
        let shift = row.rfc850.contains("-70 ") ? 3_155_760_000 : 0
        let settled = HTTPDate(row.rfc850, now: Self.now)?.secondsSince1970
        #expect(settled == row.seconds + shift, "\(row.rfc850)")
        #expect(HTTPDate(secondsSince1970: row.seconds).description == row.fixdate)
    }

    /// The tests behind ``formVectors`` also replace each byte with an "X".
    @Test(
        .tags(.rfc9110),
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ]
    )
    func `§5.6.7: a date with any byte replaced is rejected`(text: String) {
        for index in text.utf8.indices {
            var changed = Array(text.utf8)
            changed[text.utf8.distance(from: text.startIndex, to: index)] = UInt8(ascii: "X")
            #expect(HTTPDate(String(decoding: changed, as: UTF8.self)) == nil)
        }
    }
}

import HTTPClient
import Testing
import fetch

@Suite struct DateParserTests {
    @Test(arguments: [
        ("12 May 2012", "Sat, 12 May 2012 00:00:00 GMT"),
        ("May 12 2012", "Sat, 12 May 2012 00:00:00 GMT"),
        ("sat, 12-may-12", "Sat, 12 May 2012 00:00:00 GMT"),
        ("20120512", "Sat, 12 May 2012 00:00:00 GMT"),
        ("20040912 15:05:58 -0700", "Sun, 12 Sep 2004 22:05:58 GMT"),
        ("20040912 15:05 +0130", "Sun, 12 Sep 2004 13:35:00 GMT"),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Nov 6 08:49:37 94 EST", "Sun, 06 Nov 1994 13:49:37 GMT"),
        ("Wednesday 29 Feb 2012 CEST", "Tue, 28 Feb 2012 22:00:00 GMT"),
        ("1 Jan 1970", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("31 Dec 9999 23:59:59", "Fri, 31 Dec 9999 23:59:59 GMT"),
        ("1 Mar 2100", "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func `dates in common notations are parsed`(text: String, expected: String) {
        #expect(DateParser.date(text)?.description == expected)
    }

    @Test(arguments: [
        "", "nonsense", "12 May", "May 2012", "2012", "29 Feb 2013", "32 May 2012", "20121301",
        "12 May 2012 25:00", "12 May 2012 10:60", "12 May 2012 10:", "12 May 2012 2013",
        "12 May June 2012", "12 May 12012", "12 May 1969", "12 Mai 2012", "file.txt",
        "12 May 2012 10:00 +1500", "99999999999999999999", "notes-20120512",
    ])
    func `text that is not a date is not parsed`(text: String) {
        #expect(DateParser.date(text) == nil)
    }
}

/// The dates of curl's tests (tests/data/test517, tests/libtest/lib517.c), which accept far more than
/// HTTP allows.
///
/// Each row has the text and its meaning by RFC 9110 in seconds since 1970. It is nil for a text that
/// has none of the three forms of §5.6.7, which must not be guessed.
let curlDateVectors: [(text: String, seconds: Int?)] = [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777),
    ("06 Nov 1994 08:49:37 GMT", nil),
    ("06-Nov-94 08:49:37 GMT", nil),
    ("Nov  6 08:49:37 1994", nil),
    ("06 Nov 1994 08:49:37", nil),
    ("06-Nov-94 08:49:37", nil),
    ("1994 Nov 6 08:49:37", nil),
    ("GMT 08:49:37 06-Nov-94 Sunday", nil),
    ("94 6 Nov 08:49:37", nil),
    ("1994 Nov 6", nil),
    ("06-Nov-94", nil),
    ("Sun Nov 6 94", nil),
    ("1994.Nov.6", nil),
    ("Sun/Nov/6/94/GMT", nil),
    ("Sun, 06 Nov 1994 08:49:37 CET", nil),
    ("06 Nov 1994 08:49:37 EST", nil),
    ("Sun, 12 Sep 2004 15:05:58 -0700", nil),
    ("Sat, 11 Sep 2004 21:32:11 +0200", nil),
    ("20040912 15:05:58 -0700", nil),
    ("20040911 +0200", nil),
]

/// The dates of Perl's HTTP::Date and HTTP::Tiny (libwww-perl, t/base/date.t), which parse all of them
/// as the same time; three are valid HTTP dates.
let perlDateVectors: [(text: String, seconds: Int?)] = [
    ("Thu Feb  3 00:00:00 GMT 1994", nil),
    ("Thu Feb  3 00:00:00 1994", 760_233_600),
    ("Thu, 03 Feb 1994 00:00:00 GMT", 760_233_600),
    ("Thursday, 03-Feb-94 00:00:00 GMT", 760_233_600),
    ("Thursday, 03-Feb-1994 00:00:00 GMT", nil),
    ("03/Feb/1994:00:00:00 0000", nil),
    ("03/Feb/1994:01:00:00 +0100", nil),
    ("02/Feb/1994:23:00:00 -0100", nil),
    ("03 Feb 1994 00:00:00 GMT", nil),
    ("03-Feb-94 00:00:00 GMT", nil),
    ("03-Feb-1994 00:00:00 GMT", nil),
    ("03-Feb-1994 00:00 GMT", nil),
    ("03-Feb-1994 00:00", nil),
    ("03-Feb-94", nil),
    ("03-Feb-1994", nil),
    ("03 Feb 1994", nil),
    ("03/Feb/1994", nil),
    ("Feb  3 1994", nil),
    ("1994-02-03 00:00:00 +0000", nil),
    ("1994-02-03", nil),
    ("19940203", nil),
    ("1994-02-03T00:00:00+0000", nil),
    ("1994-02-02T23:00:00-0100", nil),
    ("1994-02-02T23:00:00-01:00", nil),
    ("1994-02-03T00:00:00 Z", nil),
    ("19940203T000000Z", nil),
    ("199402030000", nil),
    ("  03/Feb/1994      ", nil),
    ("  03   Feb   1994  0:00  ", nil),
    ("Thu,  3 Feb 1994 00:00:00 GMT", nil),
]

/// The dates of the Apache Portable Runtime (apr-util, test/testdate.c): mail dates, none of them a
/// valid HTTP date.
let aprDateVectors: [(text: String, seconds: Int?)] = [
    ("Mon, 27 Feb 1995 20:49:44 -0800", nil),
    ("Fri,  1 Jul 2005 11:34:25 -0400", nil),
    ("Monday, 27-Feb-95 20:49:44 -0800", nil),
    ("Tue, 4 Mar 1997 12:43:52 +0200", nil),
    ("Mon, 27 Feb 95 20:49:44 -0800", nil),
    ("Tue,  4 Mar 97 12:43:52 +0200", nil),
    ("Tue, 4 Mar 97 12:43:52 +0200", nil),
    ("Mon, 27 Feb 95 20:49 GMT", nil),
    ("Tue, 4 Mar 97 12:43 GMT", nil),
]

/// The Expires values of the tests of HTTP caches (http-tests/cache-tests, tests/expires-parse.mjs),
/// which regard all of them as invalid.
///
/// RFC 9111 §4.2 permits a cache to ignore the case of names, as in the first three. No other recipient
/// may do so, and a cache that does not regards them as stale.
let expiresVectors: [(text: String, seconds: Int?)] = [
    ("THU, 18 Aug 2050 02:01:18 GMT", nil),
    ("Thu, 18 AUG 2050 02:01:18 GMT", nil),
    ("Thu, 18 Aug 2050 02:01:18 gMT", nil),
    ("Thu, 18 Aug 2050 02:01:18 UTC", nil),
    ("Thu, 18 Aug 50 02:01:18 GMT", nil),
    ("Thu 18 Aug 2050 02:01:18 GMT", nil),
    ("Thu, 18  Aug  2050 02:01:18 GMT", nil),
    ("Thu, 18-Aug-2050 02:01:18 GMT", nil),
    ("Thu, 18 Aug 2050 02.01.18 GMT", nil),
    ("Thu, 18 Aug 2050 2:01:18 GMT", nil),
]

/// Times in each of the three forms, from the tests of a parser that is compared with those of Apache,
/// nginx, OpenLiteSpeed and lighttpd.
///
/// They are around the epoch, the turn of the millennium, leap days, and the end of 32-bit time.
let formVectors: [(seconds: Int, fixdate: String, rfc850: String, asctime: String)] = [
    (
        0, "Thu, 01 Jan 1970 00:00:00 GMT",
        "Thursday, 01-Jan-70 00:00:00 GMT", "Thu Jan  1 00:00:00 1970"
    ),
    (
        1, "Thu, 01 Jan 1970 00:00:01 GMT",
        "Thursday, 01-Jan-70 00:00:01 GMT", "Thu Jan  1 00:00:01 1970"
    ),
    (
        784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
    ),
    (
        946_684_798, "Fri, 31 Dec 1999 23:59:58 GMT",
        "Friday, 31-Dec-99 23:59:58 GMT", "Fri Dec 31 23:59:58 1999"
    ),
    (
        946_684_799, "Fri, 31 Dec 1999 23:59:59 GMT",
        "Friday, 31-Dec-99 23:59:59 GMT", "Fri Dec 31 23:59:59 1999"
    ),
    (
        946_684_800, "Sat, 01 Jan 2000 00:00:00 GMT",
        "Saturday, 01-Jan-00 00:00:00 GMT", "Sat Jan  1 00:00:00 2000"
    ),
    (
        946_684_801, "Sat, 01 Jan 2000 00:00:01 GMT",
        "Saturday, 01-Jan-00 00:00:01 GMT", "Sat Jan  1 00:00:01 2000"
    ),
    (
        951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT",
        "Tuesday, 29-Feb-00 12:34:56 GMT", "Tue Feb 29 12:34:56 2000"
    ),
    (
        1_330_559_999, "Wed, 29 Feb 2012 23:59:59 GMT",
        "Wednesday, 29-Feb-12 23:59:59 GMT", "Wed Feb 29 23:59:59 2012"
    ),
    (
        1_262_401_445, "Sat, 02 Jan 2010 03:04:05 GMT",
        "Saturday, 02-Jan-10 03:04:05 GMT", "Sat Jan  2 03:04:05 2010"
    ),
    (
        2_147_483_646, "Tue, 19 Jan 2038 03:14:06 GMT",
        "Tuesday, 19-Jan-38 03:14:06 GMT", "Tue Jan 19 03:14:06 2038"
    ),
    (
        2_147_483_647, "Tue, 19 Jan 2038 03:14:07 GMT",
        "Tuesday, 19-Jan-38 03:14:07 GMT", "Tue Jan 19 03:14:07 2038"
    ),
    (
        2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT",
        "Tuesday, 19-Jan-38 03:14:08 GMT", "Tue Jan 19 03:14:08 2038"
    ),
    (
        2_147_483_649, "Tue, 19 Jan 2038 03:14:09 GMT",
        "Tuesday, 19-Jan-38 03:14:09 GMT", "Tue Jan 19 03:14:09 2038"
    ),
]

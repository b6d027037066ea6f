import Testing
import Wire

/// A Range value, the length of the content, and the requested positions.
///
/// The positions are nil for a field that must be ignored (RFC 9110 §14.2).
private typealias RangeRow = (text: String, length: Int, positions: [Range<Int>]?)

/// The cases of Go's tests (src/net/http/range_test.go), where an empty list can mean that the field is
/// rejected.
private let goRangeVectors: [RangeRow] = [
    // In Go an empty value means no field; here it is malformed.
    ("", 0, nil), ("", 1000, nil), ("foo", 0, nil), ("bytes=", 0, nil), ("bytes=7", 10, nil),
    ("bytes= 7 ", 10, nil), ("bytes=1-", 0, []), ("bytes=5-4", 10, nil),
    ("bytes=0-2,5-4", 10, nil), ("bytes=2-5,4-3", 10, nil), ("bytes=--5,4--3", 10, nil),
    ("bytes=A-", 10, nil), ("bytes=A- ", 10, nil), ("bytes=A-Z", 10, nil),
    ("bytes= -Z", 10, nil), ("bytes=5-Z", 10, nil), ("bytes=Ran-dom, garbage", 10, nil),
    ("bytes=0x01-0x02", 10, nil), ("bytes=         ", 10, nil), ("bytes= , , ,   ", 10, nil),
    ("bytes=0-9", 10, [0..<10]), ("bytes=0-", 10, [0..<10]), ("bytes=5-", 10, [5..<10]),
    ("bytes=0-20", 10, [0..<10]),
    // Go used to reject this value. By §14.1.1 a set is satisfiable if one of its ranges is.
    ("bytes=15-,0-5", 10, [0..<6]),
    ("bytes=1-2,5-", 10, [1..<3, 5..<10]), ("bytes=-2 , 7-", 11, [9..<11, 7..<11]),
    ("bytes=0-0 ,2-2, 7-", 11, [0..<1, 2..<3, 7..<11]), ("bytes=-5", 10, [5..<10]),
    ("bytes=-15", 10, [0..<10]), ("bytes=0-499", 10_000, [0..<500]),
    ("bytes=500-999", 10_000, [500..<1000]), ("bytes=-500", 10_000, [9500..<10_000]),
    ("bytes=9500-", 10_000, [9500..<10_000]),
    ("bytes=0-0,-1", 10_000, [0..<1, 9999..<10_000]),
    ("bytes=500-600,601-999", 10_000, [500..<601, 601..<1000]),
    ("bytes=500-700,601-999", 10_000, [500..<701, 601..<1000]),
    // Go accepts this value as Apache does. §14.1.1 permits no whitespace within a range.
    ("bytes=   1 -2   ,  4- 5, 7 - 8 , ,,", 11, nil),
]

/// The cases of Chromium's tests (net/http/http_util_unittest.cc, ParseRanges).
private let chromiumRangeVectors: [RangeRow] = [
    ("bytes=0-10", 1000, [0..<11]), ("bytes=10-0", 1000, nil), ("BytES=0-10", 1000, [0..<11]),
    ("megabytes=0-10", 1000, nil), ("bytes0-10", 1000, nil),
    (
        "bytes=0-0,0-10,10-20,100-200,100-,-200", 1000,
        [0..<1, 0..<11, 10..<21, 100..<201, 100..<1000, 800..<1000]
    ),
    ("bytes=", 1000, nil), ("bytes=-", 1000, nil), ("bytes=0-10-", 1000, nil),
    ("bytes=-0-10", 1000, nil), ("bytes=  0-10      ", 1000, [0..<11]),
    ("bytes=   0-1   0", 1000, nil), ("bytes=   0-     -10", 1000, nil),
    // Chromium ignores whitespace around "=" and "-"; the grammar permits none.
    ("bytes =0-10", 1000, nil), ("bytes  =   0  -   10      ", 1000, nil),
    ("bytes=   0  -  1   ,   10 -20,   100- 200 ,  100-,  -200 ", 1000, nil),
]

/// The cases of Chromium's tests (net/http/http_util_unittest.cc, ParseContentRangeHeaderFor206); nil
/// for a value that must not be used (RFC 9110 §14.4).
private let contentRangeVectors: [(text: String, value: ContentRange?)] = [
    ("", nil), ("megabytes 0-10/50", nil), ("0-10/50", nil),
    ("Bytes 0-50/51", .part(0...50, of: 51)), ("bytes 0-50/51", .part(0...50, of: 51)),
    ("bytes\t0-50/51", nil), ("\t   bytes \t  0    -   50   /   5   1", nil),
    ("\t   bytes \t  0    -   5 0   /   51", nil), ("bytes 50-0/51", nil), ("bytes * /*", nil),
    ("bytes *   /    *   ", nil), ("bytes 0-50  /    * ", nil),
    ("bytes 0-10000000000/10000000001", .part(0...10_000_000_000, of: 10_000_000_001)),
    ("bytes 0-10000000000/10000000000", nil),
    ("bytes 0 - 9223372036854775807 / 100", nil), ("bytes 0 - 100 / -9223372036854775808", nil),
    ("bytes 0-50/10", nil), ("bytes 40-50/45", nil), ("bytes 0-50/-10", nil),
    ("bytes 0-0/1", .part(0...0, of: 1)),
    ("bytes 0-40000000000000000000/40000000000000000001", nil), ("bytes 1-/100", nil),
    ("bytes -/100", nil), ("bytes -1/100", nil), ("bytes -123 - -1/100", nil),
    // Chromium rejects these, because it needs the complete length and a range. §14.4 permits both.
    ("bytes 0-50/*", .part(0...50, of: nil)), ("bytes 0-1233/*", .part(0...1233, of: nil)),
    ("bytes */50", .unsatisfied(of: 50)),
    // Chromium accepts these: it ignores whitespace where the grammar permits none.
    ("    bytes 0-50/51", nil), ("    bytes    0    -   50  \t / \t51", nil),
    ("bytes 0\t-\t50\t/\t51\t", nil), ("  \tbytes\t\t\t 0\t-\t50\t/\t51\t", nil),
]

@Suite struct RangeVectorTests {
    @Test(.tags(.rfc9110), arguments: (goRangeVectors + chromiumRangeVectors).indices)
    func `Go and Chromium: ranges give their positions`(index: Int) {
        let row = (goRangeVectors + chromiumRangeVectors)[index]
        #expect(RangeHeader(row.text)?.positions(in: row.length) == row.positions, "\(row.text)")
    }

    @Test(.tags(.rfc9110), arguments: contentRangeVectors.indices)
    func `Chromium: Content-Range values are parsed`(index: Int) {
        let row = contentRangeVectors[index]
        #expect(ContentRange(row.text) == row.value, "\(row.text)")
    }

    /// The cases of Chromium's net/http/http_byte_range_unittest.cc, SetInstanceSize and GetHeaderValue.
    @Test(
        .tags(.rfc9110),
        arguments: [
            (.suffix(500), 0, nil, "-500"), (.from(10), 0, nil, "10-"),
            (.suffix(500), 300, 0..<300, "-500"), (.from(0), 100, 0..<100, "0-"),
            (.from(10), 100, 10..<100, "10-"), (.suffix(500), 1000, 500..<1000, "-500"),
            (.bounded(10...10_000), 1_000_000, 10..<10_001, "10-10000"),
            (.bounded(0...0), 1, 0..<1, "0-0"), (.bounded(0...100), 1, 0..<1, "0-100"),
        ] as [(ByteRange, Int, Range<Int>?, String)]
    )
    func `Chromium: a range gives its positions in a length`(
        range: ByteRange,
        length: Int,
        positions: Range<Int>?,
        text: String
    ) {
        #expect(range.positions(in: length) == positions)
        #expect(range.description == text)
    }

    /// The cases of Chromium's net/http/http_util_unittest.cc, ParseRetryAfterHeader.
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("", nil), ("-3", nil), ("-2", nil), ("-1", nil), ("+0", nil), ("+1", nil), ("0", 0),
            ("1", 1), ("2", 2), ("3", 3), ("60", 60), ("3600", 3600), ("86400", 86_400),
            // Chromium accepts a day of one digit and rejects times in the past. Here one digit makes the
            // date invalid, so each case is repeated with two digits.
            ("Thu, 1 Jan 2015 12:34:56 GMT", nil), ("Thu, 01 Jan 2015 12:34:56 GMT", 4_888_526),
            ("Mon, 1 Jan 1900 12:34:56 GMT", nil), ("Mon, 01 Jan 1900 12:34:56 GMT", 0),
        ] as [(String, Int?)]
    )
    func `Chromium: Retry-After gives the delay`(text: String, seconds: Int?) throws {
        let now = try #require(HTTPDate("Wed, 05 Nov 2014 22:39:30 GMT"))
        #expect(RetryAfter(text, now: now)?.delay(from: now) == seconds)
    }

    /// The examples of RFC 9110 §14.6 and §15.3.7.2, which omit the contents.
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("application/pdf", 500...999, 7000...7999), ("text/plain", 500...999, 7000...7999),
        ] as [(String, ClosedRange<Int>, ClosedRange<Int>)]
    )
    func `RFC 9110: the multipart example is split into parts`(
        type: String,
        first: ClosedRange<Int>,
        second: ClosedRange<Int>
    ) throws {
        var body = ""
        for range in [first, second] {
            body += "--THIS_STRING_SEPARATES\r\nContent-Type: \(type)\r\nContent-Range: bytes "
            body += "\(range.lowerBound)-\(range.upperBound)/8000\r\n\r\n"
            body += String(repeating: "-", count: range.count) + "\r\n"
        }
        body += "--THIS_STRING_SEPARATES--\r\n"
        let media = try #require(
            MediaType("multipart/byteranges; boundary=THIS_STRING_SEPARATES")
        )
        var decoder = try MultipartDecoder(
            boundary: try #require(media.boundary),
            endingParts: .contentRange,
            limits: .default,
            maxParts: 2
        )
        var parts: [HTTPHeaders] = []
        var contents: [Int] = []
        let bytes = body.utf8.span
        var position = 0
        reading: while true {
            let step = try decoder.decode(bytes.extracting(droppingFirst: position))
            position += step.consumed
            switch step.event {
            case .part(let headers): parts.append(headers)
            case .content(let range): contents.append(range.count)
            case .partEnd: continue
            case .end, .needMore: break reading
            }
        }
        #expect(decoder.endError == nil)
        #expect(
            parts.map { $0[.contentRange].flatMap { ContentRange($0) } }
                == [ContentRange.part(first, of: 8000), .part(second, of: 8000)]
        )
        #expect(parts.allSatisfy { $0[.contentType] == type })
        #expect(contents == [first.count, second.count])
    }
}

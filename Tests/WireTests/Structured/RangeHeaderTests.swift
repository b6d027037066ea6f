import Testing
import Wire

@Suite struct RangeHeaderTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("bytes=0-499", "bytes=0-499", [0..<500]),
            ("bytes=500-999", "bytes=500-999", [500..<1000]),
            ("bytes=-500", "bytes=-500", [9500..<10000]),
            ("bytes=9500-", "bytes=9500-", [9500..<10000]),
            ("bytes=0-0,-1", "bytes=0-0, -1", [0..<1, 9999..<10000]),
            ("bytes= 0-0, -2", "bytes=0-0, -2", [0..<1, 9998..<10000]),
            ("bytes=500-600,601-999", "bytes=500-600, 601-999", [500..<601, 601..<1000]),
            ("BYTES=,0-1 ,\t", "bytes=0-1", [0..<2]), ("bytes=007-8", "bytes=7-8", [7..<9]),
            ("bytes=-0", "bytes=-0", []), ("bytes=10000-", "bytes=10000-", []),
            ("bytes=-20000", "bytes=-20000", [0..<10000]),
            ("bytes=1-99999999999999999999999", "bytes=1-9223372036854775807", [1..<10000]),
            ("bytes=99999999999999999999999-", "bytes=9223372036854775807-", []),
        ] as [(String, String, [Range<Int>])]
    )
    func `§14.1.2: ranges of a representation of 10000 bytes give their positions`(
        text: String,
        formatted: String,
        positions: [Range<Int>]
    ) {
        let range = RangeHeader(text)
        #expect(range?.description == formatted)
        #expect(range?.positions(in: 10_000) == positions)
        #expect(range?.positions(in: 0) == [])
        #expect(RangeHeader(formatted) == range)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=1", "bytes=2-1", "bytes=a-b",
            "bytes=+1-2", "bytes=--1", "bytes=1--2", "bytes=1-2-3", "bytes 0-1", "bytes =0-1",
            "bytes=0 -1", "bytes=0- 1", "bytes=0-1 2-3", "bytes=0-1;2-3", "items=0-1",
            "bytes=0x1-2",
            "bytes=0-1\0", "bytes=\u{661}-2", "=0-1",
        ]
    )
    func `§14.2: malformed ranges are rejected`(text: String) {
        #expect(RangeHeader(text) == nil)
    }

    @Test func `§14.2: more ranges than the limit are rejected`() {
        let text = "bytes=" + Array(repeating: "0-0", count: 65).joined(separator: ",")
        #expect(RangeHeader(text) == nil)
        #expect(RangeHeader(text, limit: 65)?.ranges.count == 65)
    }

    @Test func `the widest ranges do not overflow`() {
        #expect(ByteRange.bounded(0...(.max)).positions(in: .max) == 0..<(.max))
        #expect(ByteRange.suffix(.max).positions(in: .max) == 0..<(.max))
        #expect(ContentRange.part(0...(.max), of: nil).length == .max)
        #expect(RangeHeader([]) == nil)
        #expect("\(RangeHeader(.from(7)))" == "bytes=7-")
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("bytes 42-1233/1234", .part(42...1233, of: 1234), 1192, 1234),
            ("bytes 42-1233/*", .part(42...1233, of: nil), 1192, nil),
            ("bytes */1234", .unsatisfied(of: 1234), 0, 1234),
            ("bytes 0-0/1", .part(0...0, of: 1), 1, 1),
        ] as [(String, ContentRange, Int, Int?)]
    )
    func `§14.4: content ranges are parsed and formatted`(
        text: String,
        value: ContentRange,
        length: Int,
        whole: Int?
    ) {
        #expect(ContentRange(text) == value)
        #expect(value.description == text)
        #expect(value.length == length && value.completeLength == whole)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes 0-499/499", "bytes 5-4/10",
            "bytes */*", "bytes *", "bytes */", "bytes -1/2", "bytes 0-/2", "bytes=0-1/2",
            "bytes  0-1/2",
            "bytes 0-1/2 ", "bytes 0 - 1/2", "items 0-1/2", "bytes 0-9223372036854775808/*",
            "bytes 0-9223372036854775807/*", "bytes 0-18446744073709551614/*",
            "bytes 0-1/99999999999999999999", "bytes +0-1/2", "bytes 0-1/2\0", "bytes 0-1/-2",
        ]
    )
    func `§14.4: invalid content ranges are rejected`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}

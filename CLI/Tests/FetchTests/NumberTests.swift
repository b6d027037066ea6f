import HTTPClient
import Testing
import fetch

@Suite struct NumberTests {
    @Test(arguments: [
        ("5", Duration.seconds(5)), ("0.5", .milliseconds(500)), (".25", .milliseconds(250)),
        ("2.", .seconds(2)), ("0.0000000019", .nanoseconds(1)), ("007", .seconds(7)),
    ])
    func `decimal numbers of seconds are parsed`(text: String, expected: Duration) {
        #expect(Seconds(argument: text)?.duration == expected)
    }

    @Test func `zero seconds mean no limit`() throws {
        let zero = try #require(Seconds(argument: "0.0"))
        #expect(zero.duration == nil)
    }

    @Test(arguments: [
        "", ".", "abc", "-1", "+1", "1e3", "0x10", " 1", "1 ", "1s", "1.2.3", "nan", "inf",
        "99999999999", "99999999999999999999",
    ])
    func `seconds with a sign, unit or exponent are rejected`(text: String) {
        #expect(Seconds(argument: text) == nil)
    }

    @Test(arguments: [
        ("100", 100), ("3k", 3072), ("2M", 2 << 20), ("1g", 1 << 30), ("7b", 7),
        ("9223372036854775807", 9_223_372_036_854_775_807),
    ])
    func `sizes with a unit are parsed as powers of 1024`(text: String, expected: Int) {
        #expect(ByteCount(argument: text)?.limit == expected)
    }

    @Test(arguments: ["", "k", "-1", "+1", "1x", "1kk", "9223372036854775808", "8192p", "1.5k"])
    func `invalid and too large sizes are rejected`(text: String) {
        #expect(ByteCount(argument: text) == nil)
    }

    @Test(arguments: [("1", 1), ("4", 4), ("16", 16), ("008", 8)])
    func `a number of segments is that of connections`(text: String, limit: Int) {
        #expect(SegmentCount(argument: text)?.segments == .upTo(limit))
    }

    @Test(arguments: ["", "0", "17", "-2", "+2", "2.0", "4k", "99999999999999999999"])
    func `a number of segments outside of 1 to 16 is rejected`(text: String) {
        #expect(SegmentCount(argument: text) == nil)
    }

    @Test func `seconds are formatted with six decimal places`() {
        #expect(Decimal.seconds(.zero) == "0.000000")
        #expect(Decimal.seconds(.microseconds(1_000_042)) == "1.000042")
        #expect(Decimal.seconds(.nanoseconds(999)) == "0.000000")
    }

    @Test func `a positioned argument survives a round trip through text`() throws {
        let text = PositionedArgument(
            position: 12,
            bytes: [0x00, 0x3A, 0x7F, 0x80, 0xFF, 0x0D, 0x0A]
        )
        #expect(PositionedArgument(argument: text.argument) == text)
        #expect(PositionedArgument(argument: "x") == nil)
        #expect(PositionedArgument(argument: "1:\u{100}") == nil)
    }
}

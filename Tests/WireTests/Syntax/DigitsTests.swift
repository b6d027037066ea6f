import Testing
import Wire

@Suite struct DigitsTests {
    @Test(
        arguments: [
            ("0", .value(0)), ("007", .value(7)), ("9223372036854775807", .value(.max)),
            ("9223372036854775808", .tooLarge), ("18446744073709551616", .tooLarge),
            ("99999999999999999999999999", .tooLarge),
            ("", .malformed), ("+1", .malformed), ("-0", .malformed), (" 1", .malformed),
            ("1 ", .malformed), ("0x1", .malformed), ("1_0", .malformed), ("1.0", .malformed),
            ("\u{661}", .malformed), ("99999999999999999999999999x", .malformed),
        ] as [(String, Digits.Number)]
    )
    func `only digits are parsed as a number`(text: String, number: Digits.Number) {
        #expect(Digits.decimal(text) == number)
    }

    @Test func `a number above the limit is rejected`() {
        #expect(Digits.decimal("65535", upTo: 65_535) == .value(65_535))
        #expect(Digits.decimal("65536", upTo: 65_535) == .tooLarge)
    }

    @Test func `every byte is classified as a hexadecimal digit or not`() {
        let digits = Array("0123456789abcdef".utf8)
        let capitals = Array("0123456789ABCDEF".utf8)
        for byte in UInt8(0)...255 {
            let value = digits.firstIndex(of: byte) ?? capitals.firstIndex(of: byte)
            #expect(Digits.hexadecimal(byte).map(Int.init) == value)
        }
    }

    @Test(arguments: [0, 9, 10, 255, 4096, Int.max])
    func `numbers are written without leading zeros`(number: Int) {
        var output: [UInt8] = []
        Digits.appendDecimal(number, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "\(number)")
        output = []
        Digits.appendHexadecimal(number, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == String(number, radix: 16))
    }
}

/// Parsing and formatting of decimal numbers, shared by the whole program.
package enum Decimal {
    /// Whether the byte is an ASCII digit.
    package static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Returns the value of a sequence of digits; nil for other bytes and for values over 63 bits.
    package static func value(of digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for digit in digits {
            guard isDigit(digit) else { return nil }
            let (tenfold, isOver) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOverToo) = tenfold.addingReportingOverflow(Int(digit & 15))
            guard !isOver, !isOverToo else { return nil }
            value = sum
        }
        return value
    }

    /// Formats a duration as seconds with six decimal places, rounded down.
    package static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(seconds).\(padded(attoseconds / 1_000_000_000_000, to: 6))"
    }

    /// Formats a number with leading zeros.
    package static func padded(_ number: some BinaryInteger, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// Reads and writes decimal numbers: the only place that does.
package enum Decimal {
    /// Says whether the byte is an ASCII digit.
    package static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Reads digits alone; nil for anything else and for what does not fit in 63 bits.
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

    /// Writes seconds with six places, rounded down.
    package static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(seconds).\(padded(attoseconds / 1_000_000_000_000, to: 6))"
    }

    /// Writes a number with zeros in front.
    package static func padded(_ number: some BinaryInteger, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

internal import ArgumentParser

/// A size from the command line: digits, optionally followed by one of `b k m g t p` in either case.
///
/// Each unit is a power of 1024. Zero means no limit, as in curl.
package struct ByteCount: Sendable, Hashable {
    /// The limit in bytes; nil for no limit.
    package let limit: Int?
}

extension ByteCount: ExpressibleByArgument {
    /// Parses a size; nil for any other text and for values that do not fit in 63 bits.
    package init?(argument: String) {
        let digits = argument.utf8.prefix(while: Decimal.isDigit)
        let unit = argument.utf8.dropFirst(digits.count)
        guard !digits.isEmpty, let number = Decimal.value(of: digits), unit.count <= 1 else {
            return nil
        }
        var factor = 1
        if let letter = unit.first {
            guard let power = Array("bkmgtp".utf8).firstIndex(of: letter | 0x20) else { return nil }
            factor <<= 10 * power
        }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: factor)
        guard !overflows else { return nil }
        self.init(limit: bytes == 0 ? nil : bytes)
    }
}

internal import ArgumentParser

/// A number of seconds from the command line: digits, optionally with a decimal point and digits.
///
/// Signs, exponents and units are not accepted. Zero means no limit, as in curl.
package struct Seconds: Sendable, Hashable {
    /// The duration; nil for no limit.
    package let duration: Duration?

    /// The largest number of seconds accepted.
    ///
    /// A 64-bit clock of nanoseconds covers 292 years.
    private static let maximum = 9_000_000_000
}

extension Seconds: ExpressibleByArgument {
    /// Parses a plain decimal number; nil for any other text.
    package init?(argument: String) {
        let point = UInt8(ascii: ".")
        let parts = argument.utf8.split(separator: point, omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.contains(where: { !$0.isEmpty }) else { return nil }
        guard parts.allSatisfy({ $0.allSatisfy(Decimal.isDigit) }) else { return nil }
        guard let whole = parts[0].isEmpty ? 0 : Decimal.value(of: parts[0]),
            whole <= Self.maximum
        else { return nil }
        var nanoseconds = 0
        if parts.count == 2 {
            let digits = Array(parts[1].prefix(9))
            let padding = Array(repeating: UInt8(ascii: "0"), count: 9 - digits.count)
            nanoseconds = Decimal.value(of: digits + padding) ?? 0
        }
        let duration = Duration.seconds(whole) + .nanoseconds(nanoseconds)
        self.init(duration: duration == .zero ? nil : duration)
    }
}

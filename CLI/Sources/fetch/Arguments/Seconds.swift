internal import ArgumentParser

/// Holds a number of seconds from the command line: digits, and perhaps a point and digits.
///
/// No sign, exponent or unit. Zero means without bound, as for curl.
package struct Seconds: Sendable, Hashable {
    /// Nil when there is no bound.
    package let duration: Duration?

    /// A clock of nanoseconds in 64 bits holds 292 years.
    private static let maximum = 9_000_000_000
}

extension Seconds: ExpressibleByArgument {
    /// Reads strictly: anything else than a plain decimal number is nil.
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

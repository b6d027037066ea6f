internal import ArgumentParser

/// A time from the command line: a decimal number and a unit, `us`, `ms`, `s`, `m` or `h`; without unit, seconds.
struct TimeArgument: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    init(duration: Duration) {
        self.duration = duration
    }

    /// - Returns: nil for any other text, for zero, and for more than a year.
    init?(argument: String) {
        let number = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units = ["us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3_600e9, "": 1e9]
        guard let factor = units[String(argument.dropFirst(number.count))],
            let value = Double(number), value > 0, value * factor < 365 * 86_400e9,
            value * factor >= 1
        else { return nil }
        duration = .nanoseconds(Int64(value * factor))
    }

    var description: String { timeText(duration.inNanoseconds) }
    var defaultValueDescription: String { description }
}

extension Duration {
    /// The whole nanoseconds.
    var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// Returns a time with three significant digits and its unit, such as `1.25 ms`.
func timeText(_ nanoseconds: Int64) -> String {
    let value = Double(nanoseconds)
    switch nanoseconds {
    case ..<1_000: return "\(nanoseconds) ns"
    case ..<1_000_000: return rounded(value / 1e3) + " us"
    case ..<1_000_000_000: return rounded(value / 1e6) + " ms"
    default: return rounded(value / 1e9) + " s"
    }
}

/// Returns a number with three significant digits, or all digits of a larger one.
func rounded(_ value: Double) -> String {
    switch value {
    case ..<9.995: fixed(value, 2)
    case ..<99.95: fixed(value, 1)
    default: fixed(value, 0)
    }
}

/// Returns a number with this many decimal places.
func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = [1, 10, 100, 1_000][digits]
    let whole = Int64((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let fraction = String(whole % Int64(scale))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(whole / Int64(scale)).\(zeros)\(fraction)"
}

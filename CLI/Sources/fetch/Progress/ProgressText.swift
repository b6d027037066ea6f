/// Compact formatting of sizes and times.
package enum ProgressText {
    /// Formats a size in at most five columns, such as `99999`, `2929k` or `12.3M`.
    ///
    /// Each unit is 1024 times the one before.
    package static func bytes(_ bytes: Int) -> String {
        guard bytes >= 100_000 else { return String(bytes) }
        var (whole, rest) = (bytes, 0)
        for unit in ["k", "M", "G", "T", "P", "E"] {
            (whole, rest) = whole.quotientAndRemainder(dividingBy: 1024)
            if whole < 100, unit != "k" { return "\(whole).\(rest * 10 / 1024)\(unit)" }
            if whole < 10_000 { return "\(whole)\(unit)" }
        }
        return "\(whole)E"
    }

    /// Formats a time in at most eight columns: hours, minutes and seconds, such as `0:01:02`, or
    /// days and hours.
    package static func time(_ seconds: Int) -> String {
        let hours = seconds / 3600
        guard hours > 99 else {
            let minutes = Decimal.padded(seconds / 60 % 60, to: 2)
            return "\(hours):\(minutes):\(Decimal.padded(seconds % 60, to: 2))"
        }
        let days = hours / 24
        guard days > 999 else { return "\(days)d \(Decimal.padded(hours % 24, to: 2))h" }
        return days > 9_999_999 ? "--:--:--" : "\(days)d"
    }

    /// Pads text with leading spaces.
    package static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }

    /// Pads text with trailing spaces.
    package static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}

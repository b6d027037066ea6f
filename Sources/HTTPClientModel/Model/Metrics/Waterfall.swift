/// A drawing of the steps of attempts as text, one below the other.
package struct Waterfall {
    /// An attempt.
    package struct Attempt {
        /// A description of the attempt on one line.
        package let title: String
        /// The steps in the order of the rows; nil for one that did not happen.
        package let steps: [Range<Duration>?]

        package init(title: String, steps: [Range<Duration>?]) {
            self.title = title
            self.steps = steps
        }
    }

    /// The width of the bars, in columns.
    private static let barWidth = 40
    /// The width of a time, in columns: eight digits before the point are more than a day.
    private static let timeWidth = 13
    private static let nameWidth = 10

    /// Draws all attempts to one scale, from the start of the call to the last end.
    package static func text(_ attempts: [Attempt]) -> String {
        let end = attempts.flatMap(\.steps).compactMap { $0?.upperBound }.max() ?? .zero
        var lines: [String] = []
        for (number, attempt) in zip(1..., attempts) {
            lines.append("attempt \(number): \(attempt.title)")
            lines.append(
                "  " + padded("", nameWidth) + aligned("from ms") + aligned("for ms") + "  "
                    + "|" + String(repeating: "-", count: barWidth) + "|"
            )
            for (name, step) in zip(HTTPPhase.rows.map(\.name), attempt.steps) {
                lines.append("  " + padded(name, nameWidth) + cells(step, of: end))
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func cells(_ step: Range<Duration>?, of end: Duration) -> String {
        guard let step else {
            return aligned("-") + aligned("-") + "  |" + padded("", barWidth) + "|"
        }
        let length = step.upperBound - step.lowerBound
        return aligned(milliseconds(step.lowerBound)) + aligned(milliseconds(length)) + "  |"
            + bar(step, of: end) + "|"
    }

    /// Returns the bar of a step, with at least one mark so that it is visible.
    private static func bar(_ step: Range<Duration>, of end: Duration) -> String {
        let first = min(column(step.lowerBound, of: end, roundsUp: false), barWidth - 1)
        let last = max(column(step.upperBound, of: end, roundsUp: true), first + 1)
        let marks = String(repeating: "#", count: last - first)
        return padded(String(repeating: " ", count: first) + marks, barWidth)
    }

    private static func column(_ time: Duration, of end: Duration, roundsUp: Bool) -> Int {
        guard end > .zero else { return 0 }
        let exact = max(time / end, 0) * Double(barWidth)
        return min(Int(roundsUp ? exact.rounded(.up) : exact.rounded(.down)), barWidth)
    }

    /// Formats milliseconds with three decimal places.
    package static func milliseconds(_ time: Duration) -> String {
        let micros = max(time.wholeNanoseconds, 0) / 1000
        let rest = String(micros % 1000)
        return "\(micros / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
    }

    private static func aligned(_ text: String) -> String {
        String(repeating: " ", count: max(timeWidth - text.utf8.count, 1)) + text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.utf8.count, 0))
    }
}

extension HTTPMetrics {
    /// The steps of every attempt as text, which shows where the time went.
    ///
    ///     attempt 1: first, connection 1 to 127.0.0.1:8080, complete
    ///                       from ms       for ms  |----------------------------------------|
    ///       queued                -            -  |                                        |
    ///       dns               0.071        8.402  |#####                                   |
    ///
    /// Each attempt has a title line and nine rows, in this order: queued, dns, connect, proxy, tls, head
    /// sent, body sent, first byte (the wait for it), body. A step that did not happen has hyphens. Times
    /// are milliseconds from the start of the call, truncated to microseconds.
    ///
    /// Columns stay aligned unless a call takes longer than a day. The text is ASCII without colors, and
    /// each line ends with a line feed. It is empty when nothing was attempted. With a cache, the last line is
    /// the ``HTTPMetrics/cacheStatus``.
    public var waterfall: String {
        Waterfall.text(attempts.map { Waterfall.Attempt(title: $0.description, steps: $0.steps) })
            + (cacheStatus.map { "cache: \($0)\n" } ?? "")
    }
}

extension HTTPMetrics.Attempt: CustomStringConvertible {
    /// Reason, connection and outcome, such as `redirect, reused connection 1 to 127.0.0.1:80, complete`.
    public var description: String {
        var parts = [reason.name]
        if connectionID != 0 {
            let kept = isReused ? "reused connection" : "connection"
            var place = ""
            if let address = remoteAddress, let port = remotePort {
                place = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
                place = " to \(place):\(port)"
            }
            parts.append("\(kept) \(connectionID)\(place)")
        }
        if let tls, let version = tls.version { parts.append(version.name) }
        return (parts + [outcome.name]).joined(separator: ", ")
    }
}

extension HTTPMetrics.Attempt {
    fileprivate var steps: [Range<Duration>?] {
        HTTPPhase.rows.map { row in
            switch row.phase {
            case .responseHead: waiting
            case .body: receiving
            default: interval(of: row.phase)
            }
        }
    }

    /// The time from the end of sending to the first byte, or to a failure without one.
    private var waiting: Range<Duration>? {
        guard let sent else { return nil }
        if let firstByte { return sent..<max(sent, firstByte) }
        return interval(of: .responseHead)
    }

    /// The time from the first byte to the end of the body.
    private var receiving: Range<Duration>? {
        guard let firstByte, let ended else { return nil }
        return firstByte..<max(firstByte, ended)
    }
}

/// A progress bar for a transfer.
package enum ProgressBar {
    /// The least number of columns for the bar itself; with fewer it is left out.
    private static let minColumns = 10

    /// Formats percentage, bar, size, speed and time in at most `width` columns.
    ///
    /// The time is the estimated time left, and the elapsed time at the end. If the total is
    /// unknown or there is too little room, the bar is left out first. Then time, speed and size
    /// follow. Bytes of a resumed file count as done.
    package static func text(_ figures: ProgressSnapshot, width: Int) -> String {
        let direction = figures.direction
        let before = direction == figures.download ? figures.resumedOffset : 0
        let done = ProgressSnapshot.sum(direction.transferred, before)
        let whole = direction.total.map { max(ProgressSnapshot.sum($0, before), done) }
        var parts = [size(done, whole), "\(ProgressText.bytes(figures.speed))/s"]
        if figures.isFinished {
            let mean = ProgressSnapshot.rate(direction.transferred, in: figures.elapsed)
            parts[1] = "\(ProgressText.bytes(mean))/s"
            parts.append("in \(ProgressText.time(Int(figures.elapsed.components.seconds)))")
        } else if let whole {
            parts.append(left(whole - done, figures.speed))
        } else {
            parts.append(ProgressText.time(Int(figures.elapsed.components.seconds)))
        }
        let share = whole.map { ProgressSnapshot.fraction(done, of: $0, scale: 100) }
        let percent = share.map { ProgressText.right("\($0)%", 4) } ?? ""
        while !parts.isEmpty {
            let facts = (parts.last == "" ? parts.dropLast() : parts[...]).joined(separator: "  ")
            let room = width - percent.utf8.count - facts.utf8.count - (share == nil ? 0 : 2)
            if room >= minColumns + 3, let share {
                // Two columns are reserved for a longer time, so that the bar keeps its width.
                let bar = bar(share, columns: min(room - 3, max(minColumns, width - 43)))
                return "\(percent) [\(bar)]  \(facts)"
            }
            if room >= 0 { return share == nil ? facts : "\(percent)  \(facts)" }
            parts.removeLast()
        }
        return percent.utf8.count <= width ? percent : ""
    }

    /// Formats a bar of `#` and a percentage with one decimal place, in `width` columns.
    ///
    /// If the total is unknown, the result is that of ``text(_:width:)``.
    package static func hashes(_ figures: ProgressSnapshot, width: Int) -> String {
        let direction = figures.direction
        let before = direction == figures.download ? figures.resumedOffset : 0
        guard let total = direction.total, width > minColumns else {
            return text(figures, width: width)
        }
        let done = ProgressSnapshot.sum(direction.transferred, before)
        let share = ProgressSnapshot.fraction(
            done,
            of: max(ProgressSnapshot.sum(total, before), done),
            scale: 1000
        )
        let columns = width - 7
        let hashes = String(repeating: "#", count: columns * share / 1000)
        let percent = ProgressText.right("\(share / 10).\(share % 10)%", 7)
        return ProgressText.left(hashes, columns) + percent
    }

    private static func bar(_ share: Int, columns: Int) -> String {
        let filled = columns * share / 100
        let line = String(repeating: "=", count: filled)
        return ProgressText.left(filled < columns ? line + ">" : line, columns)
    }

    private static func size(_ done: Int, _ whole: Int?) -> String {
        guard let whole, whole != done else { return ProgressText.bytes(done) }
        return "\(ProgressText.bytes(done))/\(ProgressText.bytes(whole))"
    }

    /// Returns the estimated time left; empty when the speed is zero.
    private static func left(_ bytes: Int, _ speed: Int) -> String {
        guard speed > 0 else { return "" }
        let seconds = bytes / speed + (bytes % speed == 0 ? 0 : 1)
        return "\(ProgressText.time(seconds)) left"
    }
}

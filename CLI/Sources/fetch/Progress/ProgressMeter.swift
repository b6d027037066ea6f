/// The progress meter of curl, in columns that other programs can parse.
package enum ProgressMeter {
    /// The two heading lines.
    package static let heading = """
          % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                         Dload  Upload   Total   Spent    Left  Speed

        """

    /// Formats the line, without its line end.
    ///
    /// If the total of a direction is unknown, the bytes transferred so far count as the total, so
    /// that percentages are defined.
    package static func text(_ figures: ProgressSnapshot) -> String {
        let (down, up) = (figures.download, figures.upload)
        let transferred = ProgressSnapshot.sum(down.transferred, up.transferred)
        let whole = ProgressSnapshot.sum(
            max(down.total ?? down.transferred, down.transferred),
            max(up.total ?? up.transferred, up.transferred)
        )
        let speeds = [down, up].map { ProgressSnapshot.rate($0.transferred, in: figures.elapsed) }
        let spent = Int(figures.elapsed.components.seconds)
        var total = 0
        for (direction, speed) in zip([down, up], speeds) where speed > 0 {
            total = max(total, (direction.total ?? 0) / speed)
        }
        let left = max(0, total - spent)
        let columns: [(String, Int)] = [
            (percent(transferred, whole == 0 ? nil : whole), 3), (ProgressText.bytes(whole), 6),
            (percent(down.transferred, down.total), 5), (ProgressText.bytes(down.transferred), 6),
            (percent(up.transferred, up.total), 5), (ProgressText.bytes(up.transferred), 6),
            (ProgressText.bytes(speeds[0]), 7), (ProgressText.bytes(speeds[1]), 7),
            (time(total), 9), (time(spent), 9), (time(left), 9),
            (ProgressText.bytes(figures.speed), 6),
        ]
        return columns.map { ProgressText.right($0.0, $0.1) }.joined()
    }

    private static func percent(_ transferred: Int, _ total: Int?) -> String {
        guard let total, total > 0 else { return "0" }
        return String(ProgressSnapshot.fraction(transferred, of: total, scale: 100))
    }

    private static func time(_ seconds: Int) -> String {
        seconds > 0 ? ProgressText.time(seconds) : "--:--:--"
    }
}

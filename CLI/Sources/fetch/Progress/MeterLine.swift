/// Draws how far a transfer is as curl does it: in columns that programs know how to read.
package enum MeterLine {
    /// The two lines above.
    package static let heading = """
          % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                         Dload  Upload   Total   Spent    Left  Speed

        """

    /// Draws the line, without its end.
    ///
    /// What is not known of a direction counts as much as has moved, so that percents mean something.
    package static func text(_ figures: ProgressFigures) -> String {
        let (down, up) = (figures.download, figures.upload)
        let moved = ProgressFigures.sum(down.moved, up.moved)
        let whole = ProgressFigures.sum(
            max(down.total ?? down.moved, down.moved),
            max(up.total ?? up.moved, up.moved)
        )
        let speeds = [down, up].map { ProgressFigures.rate($0.moved, in: figures.elapsed) }
        let spent = Int(figures.elapsed.components.seconds)
        var total = 0
        for (lane, speed) in zip([down, up], speeds) where speed > 0 {
            total = max(total, (lane.total ?? 0) / speed)
        }
        let left = max(0, total - spent)
        let columns: [(String, Int)] = [
            (percent(moved, whole == 0 ? nil : whole), 3), (ProgressText.octets(whole), 6),
            (percent(down.moved, down.total), 5), (ProgressText.octets(down.moved), 6),
            (percent(up.moved, up.total), 5), (ProgressText.octets(up.moved), 6),
            (ProgressText.octets(speeds[0]), 7), (ProgressText.octets(speeds[1]), 7),
            (time(total), 9), (time(spent), 9), (time(left), 9),
            (ProgressText.octets(figures.speed), 6),
        ]
        return columns.map { ProgressText.right($0.0, $0.1) }.joined()
    }

    private static func percent(_ moved: Int, _ total: Int?) -> String {
        guard let total, total > 0 else { return "0" }
        return String(ProgressFigures.share(moved, of: total, scale: 100))
    }

    private static func time(_ seconds: Int) -> String {
        seconds > 0 ? ProgressText.time(seconds) : "--:--:--"
    }
}

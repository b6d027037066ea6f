/// A line on standard error that shows the progress each second; on a terminal it replaces itself.
final class ProgressLine: Sendable {
    private let task: Task<Void, Never>
    private let isTerminal = isErrorTerminal()

    init(_ runner: LoadRunner) {
        let isTerminal = isTerminal
        task = Task {
            var (second, before) = (0, 0)
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                second += 1
                let tally = runner.tally()
                let count = tally.responseCount
                var line = "\(second) s  \(count - before) per second"
                if count > 0 {
                    line +=
                        "  p50 \(timeText(tally.percentile(50)))  p99 \(timeText(tally.percentile(99)))"
                }
                line += "  errors \(tally.errorCount)"
                before = count
                printProgress(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n")
            }
        }
    }

    /// Removes the line.
    func end() {
        task.cancel()
        if isTerminal { printProgress("\r\u{1B}[K") }
    }
}

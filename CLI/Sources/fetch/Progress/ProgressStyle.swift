/// The styles of the progress display.
package enum ProgressStyle: Sendable, Hashable {
    /// A bar with size, speed and time, for interactive use.
    case bar
    /// A bar only: `--progress-bar`.
    case hashes
    /// curl's table.
    case meter

    /// The time between two drawings.
    var interval: Duration { self == .meter ? .seconds(1) : .milliseconds(100) }

    /// The command line options that decide whether and how progress is shown.
    package struct Rule: Sendable, Hashable {
        /// Whether progress is shown: neither `--silent` nor `--no-progress-meter` was given.
        package var isWanted: Bool
        /// Whether `--progress-bar` was given.
        package var wantsHashes: Bool

        package init(isWanted: Bool, wantsHashes: Bool) {
            self.isWanted = isWanted
            self.wantsHashes = wantsHashes
        }

        /// Returns the style for a transfer.
        ///
        /// - Parameters:
        ///   - bodyIsFile: whether the body goes to a file that the command line names.
        ///   - bodyIsTerminal: whether the body goes to a terminal.
        ///   - errorsAreTerminal: whether standard error is a terminal.
        /// - Returns: nil to show nothing.
        package func style(
            bodyIsFile: Bool,
            bodyIsTerminal: Bool,
            errorsAreTerminal: Bool
        ) -> ProgressStyle? {
            guard isWanted, !bodyIsTerminal else { return nil }
            if wantsHashes { return .hashes }
            return bodyIsFile && errorsAreTerminal ? .bar : .meter
        }
    }
}

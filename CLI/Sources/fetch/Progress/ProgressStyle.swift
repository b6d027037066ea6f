/// Names the ways to show how far a transfer is.
package enum ProgressStyle: Sendable, Hashable {
    /// A bar with size, speed and time: for a person who waits for a file.
    case bar
    /// A bar and nothing else: `--progress-bar`.
    case hashes
    /// curl's table.
    case meter

    /// Between two drawings.
    var interval: Duration { self == .meter ? .seconds(1) : .milliseconds(100) }

    /// What the command line says of it.
    package struct Rule: Sendable, Hashable {
        /// Neither `--silent` nor `--no-progress-meter`.
        package var isWanted: Bool
        /// `--progress-bar`.
        package var wantsHashes: Bool

        package init(isWanted: Bool, wantsHashes: Bool) {
            self.isWanted = isWanted
            self.wantsHashes = wantsHashes
        }

        /// Chooses for a transfer.
        ///
        /// - Parameters:
        ///   - bodyIsFile: the body goes to a file that the command line names.
        ///   - bodyIsTerminal: the body goes where a person reads it.
        ///   - errorsAreTerminal: what is drawn is seen by a person.
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

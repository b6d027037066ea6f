internal import SocketTransport

/// A regular expression shared between threads, with a lock because `Regex` is not `Sendable`.
final class SharedRegex: Sendable {
    private let regex: Locked<Regex<AnyRegexOutput>>

    init<Output>(_ regex: sending Regex<Output>) {
        self.regex = Locked(Regex<AnyRegexOutput>(regex))
    }

    /// Returns whether there is a match anywhere in the text.
    func matches(in text: String) -> Bool {
        regex.withLock { text.firstMatch(of: $0) != nil }
    }
}

extension HTTPTestServer {
    /// Says why a server could not start: the machine's doing, never the test's.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What was tried, and how it failed.
        public let reason: String

        /// One line.
        public var description: String { "the test server did not start: \(reason)" }
    }
}

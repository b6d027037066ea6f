extension HTTPTestServer {
    /// The reason why a server could not start; the cause is the machine, not the test.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The operation that failed, and the error.
        public let reason: String

        /// A one-line description.
        public var description: String { "the test server did not start: \(reason)" }
    }
}

extension HTTPTestServer {
    /// The reason why a server could not start; the machine is the cause, not the test.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The operation that failed, and the error.
        public let reason: String

        /// A description of one line.
        public var description: String { "the test server did not start: \(reason)" }
    }
}

/// The reason why stubs could not answer a request.
@nonexhaustive public enum HTTPStubFailureReason: Sendable, Hashable, CustomStringConvertible {
    /// No stub matches.
    case unmatched(nearest: Nearest?)
    /// All responses of the stub's sequence have been used.
    case sequenceEnded(stub: String, responses: Int)
    /// A stub was created with an invalid URL, template or JSON text, so every call fails.
    case invalidStub(String, reason: String)
    /// The stub's closure threw an error, or its response cannot be sent.
    case answerFailed(stub: String, reason: String)
    /// The cassette has no unused response for the request.
    case notRecorded(cassette: String)
    /// Upgrades, tunnels and dedicated connections always need the network.
    case needsNetwork

    /// The stub with the most matching conditions.
    public struct Nearest: Sendable, Hashable {
        /// A description of the requests that the stub matches.
        public let stub: String
        /// Why it does not match the request.
        public let reason: String

        /// Creates a value.
        public init(stub: String, reason: String) {
            self.stub = stub
            self.reason = reason
        }
    }

    /// One line.
    public var description: String {
        switch self {
        case .unmatched(nil): "no stub matches the request, for there is none"
        case .unmatched(let nearest?):
            "no stub matches the request; the nearest is \"\(nearest.stub)\", but \(nearest.reason)"
        case .sequenceEnded(let stub, let count):
            "the stub \"\(stub)\" has \(count) responses, and all were given"
        case .invalidStub(let stub, let reason): "the stub \"\(stub)\" is faulty: \(reason)"
        case .answerFailed(let stub, let reason):
            "the stub \"\(stub)\" made no response: \(reason)"
        case .notRecorded(let cassette):
            "the cassette \(cassette) has no such request, or not again"
        case .needsNetwork: "what is more than a request and its response cannot be stubbed"
        }
    }
}

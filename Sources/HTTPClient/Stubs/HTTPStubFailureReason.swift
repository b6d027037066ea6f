/// Says why stubs have no answer to a request.
@nonexhaustive public enum HTTPStubFailureReason: Sendable, Hashable, CustomStringConvertible {
    /// No stub matches.
    case unmatched(nearest: Nearest?)
    /// All responses of the stub's sequence were given.
    case sequenceEnded(stub: String, responses: Int)
    /// A stub was made of what is no URL or template, which fails every call.
    case invalidStub(String, reason: String)
    /// The stub's closure threw, or its response may not be sent.
    case answerFailed(stub: String, reason: String)
    /// The cassette has no such request, or not once more.
    case notRecorded(cassette: String)
    /// Upgrades, tunnels and connections of one's own go to the network alone.
    case needsNetwork

    /// Names the stub that met most of its conditions.
    public struct Nearest: Sendable, Hashable {
        /// What it matches.
        public let stub: String
        /// Why it does not match the request.
        public let reason: String

        /// Makes one.
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

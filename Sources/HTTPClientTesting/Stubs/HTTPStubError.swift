public import HTTPClient

/// An error of stubs or of a cassette that could not answer a request.
///
/// The call fails with `.dialerFailed`, and this error is `HTTPError.underlying`:
///
///     catch let error where error.stubError?.reason == .needsNetwork { … }
public struct HTTPStubError: Error, Sendable, CustomStringConvertible {
    /// The reason.
    public let reason: HTTPStubFailureReason
    /// The error that the closure of a stub threw; otherwise nil.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(_ reason: HTTPStubFailureReason, underlying: (any Error)? = nil) {
        self.reason = reason
        self.underlying = underlying
    }

    /// A one-line description.
    public var description: String { reason.description }
}

extension HTTPError {
    /// The error of the stubs that could not answer the request; nil if the call failed otherwise.
    public var stubError: HTTPStubError? { underlying as? HTTPStubError }
}

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
        /// The reason why it does not match the request.
        public let reason: String

        /// Creates a value.
        public init(stub: String, reason: String) {
            self.stub = stub
            self.reason = reason
        }
    }

    /// A one-line description.
    public var description: String {
        switch self {
        case .unmatched(nil): "no stub matches the request: there are no stubs"
        case .unmatched(let nearest?):
            "no stub matches the request; the nearest is \"\(nearest.stub)\", but \(nearest.reason)"
        case .sequenceEnded(let stub, let count):
            "all \(count) responses of the stub \"\(stub)\" were already used"
        case .invalidStub(let stub, let reason): "the stub \"\(stub)\" is invalid: \(reason)"
        case .answerFailed(let stub, let reason):
            "the stub \"\(stub)\" could not produce a response: \(reason)"
        case .notRecorded(let cassette):
            "the cassette \(cassette) has no unused response to the request"
        case .needsNetwork: "upgrades, tunnels and dedicated connections cannot be stubbed"
        }
    }
}

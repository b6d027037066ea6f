internal import HTTPClient

/// What a run does.
struct LoadPlan: Sendable {
    let request: HTTPRequest
    let configuration: HTTPClient.Configuration
    let connections: Int
    let threads: Int
    /// When requests are due; nil for a closed load.
    let schedule: Schedule?
    /// The time in which the connections of a closed load start.
    let closedRamp: Duration
    /// The time before ``duration`` that is not counted.
    let warmUp: Duration
    /// How long requests are sent; nil for no limit.
    let duration: Duration?
    /// The maximum number of requests, those of the warm-up included.
    let maxRequests: Int?
    /// How long requests that were due within ``duration`` are sent after it.
    let grace: Duration
    let accepted: StatusArgument
    /// The length that each body must have; nil for any.
    let expectedBytes: Int?

    /// What is wrong with a response; nil if nothing is.
    func reason(toReject response: HTTPResponse) -> String? {
        if !accepted.contains(response.status.code) { return "status \(response.status.code)" }
        guard let expectedBytes, response.body.count != expectedBytes else { return nil }
        return "a body of \(response.body.count) bytes instead of \(expectedBytes)"
    }
}

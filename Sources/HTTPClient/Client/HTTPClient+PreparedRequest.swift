/// Keeps a request as the engine takes it: checked, completed and encoded.
@_spi(Measuring) public struct PreparedRequest: Sendable {
    fileprivate let plan: Plan
}

/// What the benchmarks ask of the engine, to tell its cost from that of the calls above it.
@_spi(Measuring) extension HTTPClient {
    /// Prepares a request once, for many exchanges.
    ///
    /// - Parameter request: what to ask; its body is in memory.
    /// - Returns: what ``exchange(_:)`` takes.
    /// - Throws: `.invalidRequest`.
    public func prepared(_ request: HTTPRequest) throws(HTTPError) -> PreparedRequest {
        PreparedRequest(plan: try plan(request))
    }

    /// Has the engine send a prepared request and collect the body of the response.
    ///
    /// Without what the call of a user adds: no request is checked and completed, no response made.
    ///
    /// - Parameter request: what ``prepared(_:)`` returned.
    /// - Returns: the bytes of body.
    /// - Throws: as ``send(_:)-(HTTPRequest)``.
    public func exchange(_ request: PreparedRequest) async throws(HTTPError) -> Int {
        let call = Attempt(request.plan)
        try await collect(call).get()
        return call.body.count
    }
}

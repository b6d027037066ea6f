#if DEBUG
package import SocketTransport
#else
internal import SocketTransport
#endif

// Entry points of the benchmarks and the tests.

/// A request in the form that the engine takes: checked, completed and encoded.
@_spi(Measuring) public struct PreparedRequest: Sendable {
    fileprivate let plan: Plan
}

/// Entry points of the benchmarks, to measure the engine without the layers above it.
@_spi(Measuring) extension HTTPClient {
    /// Prepares a request once, for many exchanges.
    ///
    /// - Parameter request: the request; its body must be in memory.
    /// - Returns: a value to pass to ``exchange(_:)``.
    /// - Throws: `.invalidRequest`.
    public func prepared(_ request: HTTPRequest) throws(HTTPError) -> PreparedRequest {
        PreparedRequest(plan: try core.plan(request))
    }

    /// Sends a prepared request on the engine and collects the response body.
    ///
    /// It skips the work of a client call: it neither checks and completes a request nor creates a
    /// response.
    ///
    /// - Parameter request: a request that ``prepared(_:)`` returned.
    /// - Returns: the number of body bytes.
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``.
    public func exchange(_ request: PreparedRequest) async throws(HTTPError) -> Int {
        let attempt = RequestAttempt(request.plan)
        try await core.collect(attempt, on: core.engine).get()
        return attempt.received.body.count
    }
}

extension HTTPClient {
    /// Creates a client whose policies use another clock.
    package convenience init(_ configuration: Configuration, clock: PolicyClock, seed: UInt64) {
        self.init(configuration, loop: .threaded(), random: SplitMix64(seed: seed), clock: clock)
    }

    #if DEBUG
    /// Creates a client on a loop that a simulation drives; in debug builds only.
    package convenience init(
        _ configuration: Configuration,
        simulatedOn loop: EventLoop,
        seed: UInt64
    ) {
        self.init(configuration, loop: loop, random: SplitMix64(seed: seed))
    }
    #endif
}

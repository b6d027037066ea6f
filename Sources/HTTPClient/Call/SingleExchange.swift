internal import SocketTransport
internal import Wire

/// A call that is one exchange, to which no policies apply: on a dedicated connection, an upgrade or a tunnel.
///
/// The observers of the client are notified of it as of other calls.
struct SingleExchange: Sendable {
    let attempt: RequestAttempt
    private let core: ClientCore
    /// The context for the observers; nil if there are none.
    private let context: HTTPContext?

    /// The attempt, for a driver that continues after it.
    var first: FirstAttempt { FirstAttempt(attempt, seenIn: context) }

    /// Begins an exchange.
    ///
    /// - Parameters:
    ///   - request: the request, as the caller passed it.
    ///   - core: the client.
    ///   - isTunnel: whether the request is not sent, because the caller wants only a tunnel. Default false.
    ///   - makeAttempt: creates the attempt. If it throws, the observers are notified of the error.
    /// - Throws: the error of `makeAttempt`; `.invalidRequest`, if the URL of the request is invalid.
    init(
        _ request: HTTPRequest,
        _ core: ClientCore,
        isTunnel: Bool = false,
        _ makeAttempt: () throws(HTTPError) -> RequestAttempt
    ) throws(HTTPError) {
        self.core = core
        let policies = core.policies
        let handler = request.onInformational
        guard policies.hasObservers else {
            context = nil
            attempt = try makeAttempt()
            if let handler { _ = attempt.onStep(watchesPhases: false) { $0.pass(to: handler) } }
            return
        }
        var request = request
        try core.settle(&request)
        let context = HTTPContext(request, core)
        self.context = context
        policies.notify(.began, context)
        do throws(HTTPError) {
            attempt = try makeAttempt()
        } catch {
            policies.notify(.failed(error), context)
            policies.notify(.ended(.failure(error)), context)
            throw error
        }
        if !isTunnel {
            policies.notify(.prepared(request), context)
            policies.notify(.sending(attempt.plan.head), context)
        }
        _ = attempt.onStep(watchesPhases: !policies.phaseObservers.isEmpty) { step in
            policies.notifyLive(step, context)
            step.pass(to: handler)
        }
    }

    /// Runs an operation of the engine on its loop, and notifies the observers if it fails.
    ///
    /// - Returns: what the operation returns. Then call ``end(_:)``, or ``end(with:)`` for a stream.
    /// - Throws: the error of the operation.
    func perform<Value: Sendable>(
        _ operation: @Sendable (Engine) async -> Result<Value, HTTPError>
    ) async throws(HTTPError) -> Value {
        do throws(HTTPError) {
            return try await core.perform(attempt, operation)
        } catch {
            try fail(error)
        }
    }

    /// Notifies the observers that the exchange has ended with a stream.
    func end(with stream: HTTPDuplexStream) {
        notify(.upgraded(stream.head, stream.metrics))
    }

    /// Notifies the observers of the end of the exchange.
    ///
    /// - Parameter response: returns the response, or throws the error of the exchange.
    /// - Returns: the response.
    /// - Throws: the error.
    @discardableResult func end(
        _ response: () throws(HTTPError) -> HTTPResponse
    ) throws(HTTPError) -> HTTPResponse {
        do throws(HTTPError) {
            let response = try response()
            notify(.received(response))
            if let challenge = HTTPStep.Challenge(response.head) { notify(.challenged(challenge)) }
            notify(.ended(.success(response)))
            return response
        } catch {
            try fail(error)
        }
    }

    private func fail(_ error: HTTPError) throws(HTTPError) -> Never {
        notify(.failed(error))
        notify(.ended(.failure(error)))
        throw error
    }

    /// Notifies the observers when a streamed body has ended; see ``Policies/observeEnd(of:_:_:)``.
    func observeEnd(of body: StreamingBody, _ delivered: ResponseBodySource) {
        guard let context, !core.policies.observers.isEmpty else { return }
        core.policies.observeEnd(of: body, delivered, context)
    }

    private func notify(_ step: @autoclosure () -> HTTPStep) {
        if let context { core.policies.notify(step(), context) }
    }
}

extension HTTPStep {
    /// Passes the head of a 1xx response to the closure of a request.
    fileprivate func pass(to handler: (@Sendable (ResponseHead) -> Void)?) {
        if case .informational(let head) = self { handler?(head) }
    }
}

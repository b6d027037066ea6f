internal import SocketTransport

extension HTTPClient {
    /// Waits until it is the call's turn, when the client has a queue.
    ///
    /// The place is in the call then, which is still its maker's.
    ///
    /// - Parameters:
    ///   - call: has not begun.
    ///   - loop: where it will be carried out.
    /// - Throws: `.cancelled`; `.timedOut`, for the bounds of the queue and of the whole call.
    func enterQueue(_ call: Attempt, on loop: EventLoop) async throws(HTTPError) {
        guard let queue else { return }
        call.phase = .queue
        let admission = await queue.enter(
            priority: call.plan.priority,
            until: call.deadline(PhaseTimeouts.nanoseconds(queue.waitLimit)),
            on: loop
        )
        let permit: HTTPClientQueue.Permit
        switch admission {
        case .admitted(let entered): permit = entered
        case .cancelled: throw call.error(HTTPError.Kind.cancelled)
        case .timedOut:
            throw call.error(HTTPError.Kind.timedOut(call.exceededTimeout(in: .queue)))
        }
        call.queuePermit = permit
        permit.onCancel { [weak call] in call?.cancel(on: loop) }
    }

    /// Sends a call and collects the response when it is its turn.
    func collectQueued(_ call: Attempt) async throws(HTTPError) {
        try await enterQueue(call, on: engine.loop)
        defer { call.queuePermit?.release() }
        try await collect(call).get()
    }

    /// Sends a call and opens its body when it is its turn.
    func openQueued(_ call: Attempt) async throws(HTTPError) -> HTTPStreamedResponse {
        try await enterQueue(call, on: engine.loop)
        return try await opened(call)
    }

    /// Sends a call whose turn it is and opens its body, which gives the place back.
    func opened(_ call: Attempt) async throws(HTTPError) -> HTTPStreamedResponse {
        let engine = engine
        let result = await withTaskCancellationHandler {
            if isConfined(to: engine.loop) { return await engine.opened(call) }
            return await onLoop(engine.loop) { await engine.opened(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
        switch result {
        case .success(let source): return HTTPStreamedResponse(url: call.plan.url, source: source)
        case .failure(let error):
            call.queuePermit?.release()
            throw error
        }
    }

    /// The same, and gives what it came to.
    func openedResult(_ call: Attempt) async -> Result<HTTPStreamedResponse, HTTPError> {
        do throws(HTTPError) {
            return .success(try await opened(call))
        } catch {
            return .failure(error)
        }
    }

    /// Carries a blocking call out on its own loop when it is its turn, wherever that is asked: an
    /// interceptor may have gone to an actor, or into a task of its own.
    nonisolated(nonsending) func runQueued(
        _ call: Attempt,
        by engine: Engine
    ) async -> Result<Void, HTTPError> {
        do throws(HTTPError) {
            try await enterQueue(call, on: engine.loop)
        } catch {
            return .failure(error)
        }
        defer { call.queuePermit?.release() }
        if isConfined(to: engine.loop) { return await engine.collected(call) }
        return await onLoop(engine.loop) { await engine.collected(call) }
    }
}

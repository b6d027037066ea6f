internal import SocketTransport
internal import Wire

/// The way in which the attempts of a call run and its response is delivered.
///
/// Collected, streamed, blocking and observed calls, uploads and downloads differ only in this value.
struct Transfer: Sendable {
    /// The engine that runs the attempts: the client's, or that of a blocking call.
    let engine: Engine
    /// Whether the body is delivered as it arrives.
    let isStreamed: Bool
    /// The observer of the attempts; nil if there is none.
    var observer: (any AttemptObserver)?
    /// A function that plans each attempt; nil for the client's plan.
    var planning: (@Sendable (HTTPRequest) throws(HTTPError) -> Plan)?

    init(
        isStreamed: Bool,
        on engine: Engine,
        observer: (any AttemptObserver)? = nil,
        planning: (@Sendable (HTTPRequest) throws(HTTPError) -> Plan)? = nil
    ) {
        self.engine = engine
        self.isStreamed = isStreamed
        self.observer = observer
        self.planning = planning
    }

    /// Waits in the queue, then runs the attempt up to the end of the body, or of the head if the body is
    /// streamed.
    ///
    /// - Returns: the body, if it is streamed.
    func run(
        _ attempt: RequestAttempt,
        of core: ClientCore
    ) async -> Result<StreamingBody?, HTTPError> {
        if core.queue != nil {
            do throws(HTTPError) {
                try await core.enterQueue(attempt, on: engine.loop)
            } catch {
                return .failure(error)
            }
        }
        observer?.attemptWillRun(attempt, on: engine)
        let result: Result<StreamingBody?, HTTPError>
        if isStreamed {
            let opened = await core.open(attempt, on: engine)
            if case .failure = opened { attempt.queuePermit?.release() }
            result = opened.map { $0 }
        } else {
            let collected = await core.collect(attempt, on: engine)
            // Wait for the dialer's stream: no thread drives the loop of a blocking call after its end.
            if engine !== core.engine { await attempt.plan.dialed?.isOver() }
            attempt.queuePermit?.release()
            result = collected.map { nil }
        }
        return result
    }
}

/// An observer of the attempts of a call.
protocol AttemptObserver: Sendable {
    /// The reporter of the call's progress.
    var progress: ProgressReporter? { get }

    /// The pause of the call; nil if it cannot be paused.
    var gate: PauseGate? { get }

    /// Called off the loop after the queue has admitted an attempt, before it runs.
    func attemptWillRun(_ attempt: RequestAttempt, on engine: Engine)

    /// Called off the loop when the client neither answers a proxy's challenge nor sends the request again.
    func headIsFinal(_ head: ResponseHead)
}

extension AttemptObserver {
    func headIsFinal(_ head: ResponseHead) {}
}

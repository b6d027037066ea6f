internal import SocketTransport

/// Runs a task when requests are refused, and has them sent again: once, however many were.
///
///     let session = Session()
///     let silentLogin = HTTPRefreshTaskValidator(task: { _, _, _ in
///         try await session.signIn()
///     }, apply: { token, request in
///         request.headers["X-Session"] = token
///     })
///     let client = client.with { $0.validators.append(silentLogin) }
///
/// Calls that are refused while the task runs wait for it, and those that were sent before it ended
/// take what it gave: a hundred calls that are refused at the same time make it run once. What it throws
/// is the error of all who waited. A call that is refused again makes it run again, as often as
/// ``HTTPRetryOptions/maxRetries`` lets that call be retried; then its response goes to the next validator.
///
/// Calls that the task makes itself are not judged by this validator. The task has no bound but its own
/// and is not cancelled with those who wait for it.
///
/// For bearer tokens there is ``HTTPTokenSource``, which sends them, too.
public final class HTTPRefreshTaskValidator<Value: Sendable>: HTTPResponseValidator {
    /// The task: gets the outcome that started it, its request and context.
    public typealias Work =
        @concurrent @Sendable (
            Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext
        ) async throws -> Value

    /// Changes a refused request by what the task gave, before it is sent again.
    public typealias Apply = @concurrent @Sendable (Value, inout HTTPRequest) async throws -> Void

    /// Which statuses start the task.
    public let statuses: HTTPStatusSet

    /// Whether calls that brought no response start it, too.
    public let includesFailures: Bool

    /// How long a call waits before it waits for the task.
    public let delay: Duration

    private let flight: SingleFlight<Value>
    private let work: Work
    private let apply: Apply?

    /// Makes a validator.
    ///
    /// - Parameters:
    ///   - statuses: which statuses start the task; default 401 and 403.
    ///   - includesFailures: whether calls that brought no response start it, too; default no. A
    ///     cancelled call never does.
    ///   - delay: how long a call waits before it waits for the task; default not at all.
    ///   - limit: how often the task may run until ``reset()``; behind that responses stand as they are.
    ///     Default nil, as often as it is needed.
    ///   - task: does what the requests lacked.
    ///   - apply: changes each refused request; default nil, it is sent as it was.
    public init(
        on statuses: HTTPStatusSet = [.unauthorized, .forbidden],
        includesFailures: Bool = false,
        delay: Duration = .zero,
        limit: Int? = nil,
        task: @escaping Work,
        apply: Apply? = nil
    ) {
        self.statuses = statuses
        self.includesFailures = includesFailures
        self.delay = delay
        flight = SingleFlight(limit: limit)
        work = task
        self.apply = apply
    }

    /// Forgets how often the task has run, and what came of it.
    public func reset() { flight.reset() }

    /// Asks for a retry behind the task when the outcome is one of those that start it.
    public func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        guard shouldRefresh(outcome), !ActiveCredentialSources.contains(flight),
            flight.isAvailable(since: context.begin)
        else { return .accept }
        let (flight, work, apply) = (flight, work, apply)
        return .retry(
            .afterTask(delay: delay) { retried in
                let value = try await flight.value(since: context.begin) {
                    try await work(outcome, request, context)
                }
                try await apply?(value, &retried)
            }
        )
    }

    private func shouldRefresh(_ outcome: Result<HTTPResponse, HTTPError>) -> Bool {
        switch outcome {
        case .success(let response): statuses.contains(response.status)
        case .failure(let error):
            error.head.map { statuses.contains($0.status) } ?? false
                || includesFailures && !error.isCancellation
        }
    }
}

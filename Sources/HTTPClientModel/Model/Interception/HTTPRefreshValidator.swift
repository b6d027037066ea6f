internal import SocketTransport

/// A validator that runs a refresh task once and then retries all requests that were rejected.
///
///     let session = Session()
///     let silentLogin = HTTPRefreshValidator(task: { _, _, _ in
///         try await session.signIn()
///     }, apply: { token, request in
///         request.headers["X-Session"] = token
///     })
///     let client = client.with { $0.validators.append(silentLogin) }
///
/// The task is single-flight: if a hundred calls are rejected at the same time, it runs once. Calls
/// that are rejected during the task wait for it. Calls that were sent before it ended use its
/// result. If the task throws, all waiting calls fail with its error.
///
/// A call that is rejected again starts the task again, as often as ``HTTPRetryOptions/maxRetries``
/// lets the call be retried. After that, the next validator gets its response.
///
/// This validator does not check calls that the task makes. The task has no timeout other than its
/// own, and continues when waiting calls are canceled.
///
/// If the task is one request, pass it with ``init(on:includesFailures:delay:limit:request:onReceive:)``. For bearer
/// tokens use ``HTTPTokenSource``, which also sends them.
public final class HTTPRefreshValidator<Value: Sendable>: HTTPResponseValidator {
    /// The refresh task.
    ///
    /// It gets the result that started it, its request and its context.
    public typealias Work =
        @concurrent @Sendable (
            Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext
        ) async throws -> Value

    /// A closure that modifies a rejected request with the value of the task before the retry.
    public typealias Apply = @concurrent @Sendable (Value, inout HTTPRequest) async throws -> Void

    /// The statuses that start the task.
    public let statuses: HTTPStatusSet

    /// Whether calls without a response also start the task.
    public let includesFailures: Bool

    /// The delay before a rejected call starts or joins the task.
    public let delay: Duration

    private typealias End = Result<Value, any Error>

    private struct Runs: Sendable {
        /// The result of the last run, and the time it ended.
        var last: (end: End, time: Deadline)?
        var count = 0

        /// Returns the last result if the run ended after an attempt began.
        func end(since begin: Deadline) -> End? {
            last.flatMap { $0.time > begin ? $0.end : nil }
        }
    }

    /// The maximum number of runs until ``reset()``; nil for no limit.
    private let limit: Int?
    private let flight = SingleFlight<Runs, End>(Runs())
    private let work: Work
    private let apply: Apply?

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - statuses: the statuses that start the task. Default 401 and 403.
    ///   - includesFailures: whether calls without a response also start the task. Default false.
    ///     A canceled call never does.
    ///   - delay: the delay before a rejected call starts or joins the task. Default zero.
    ///   - limit: the maximum number of runs until ``reset()``. Afterwards responses are accepted
    ///     unchanged. Default nil: no limit.
    ///   - task: the refresh task.
    ///   - apply: a closure that modifies each rejected request. Default nil: it is retried
    ///     unchanged.
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
        self.limit = limit
        work = task
        self.apply = apply
    }

    /// Resets the count of runs and discards the last result.
    public func reset() {
        flight.withState { runs, _ in runs = Runs() }
    }

    /// Requests a retry after the task if the result is one of those that start the task.
    public func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        guard shouldRefresh(outcome), !ActiveCredentialSources.contains(flight),
            isAvailable(since: context.begin)
        else { return .accept }
        return .retry(
            .afterTask(delay: delay) { [self] retried in
                let value = try await value(since: context.begin) { [work] in
                    try await work(outcome, request, context)
                }
                try await apply?(value, &retried)
            }
        )
    }

    /// Returns whether a call whose attempt began then can get a result; false if the limit is reached.
    private func isAvailable(since begin: Deadline) -> Bool {
        flight.withState { [limit] runs, isRunning in
            isRunning || runs.end(since: begin) != nil || runs.count < limit ?? .max
        }
    }

    /// Returns the value of a run that ended after `begin`, or starts one.
    private func value(
        since begin: Deadline,
        _ task: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = await flight.end(ifCancelled: .failure(CancellationError())) { runs, isRunning in
            if isRunning { return .wait }
            if let end = runs.end(since: begin) { return .end(end) }
            runs.count += 1
            return .run { [flight] in
                let end: End
                do {
                    end = .success(try await ActiveCredentialSources.withActive(flight, task))
                } catch {
                    end = .failure(error)
                }
                return { runs in
                    runs.last = (end, .now())
                    return end
                }
            }
        }
        return try end.get()
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

extension HTTPRefreshValidator where Value == HTTPResponse {
    /// A closure that creates the refresh request.
    ///
    /// It gets the result that requires the refresh, its request and its context.
    public typealias Provide =
        @concurrent @Sendable (
            Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext
        ) async throws -> HTTPRequest

    /// Creates a validator whose task sends one request.
    ///
    ///     let silentLogin = HTTPRefreshValidator { _, _, _ in
    ///         HTTPRequest("https://api.example.com/login", method: .post)
    ///     } onReceive: { response, request in
    ///         request.headers["X-Session"] = try response.decode(Login.self).session
    ///     }
    ///     let client = client.with { $0.validators.append(silentLogin) }
    ///
    /// The request uses the same connections, but no credentials, validators, interceptors and retries
    /// (``HTTPContext/send(_:)``). If it fails, all calls that waited for it fail with its error. If its status is not
    /// 2xx, they fail with `.rejectedStatus`.
    ///
    /// - Parameters:
    ///   - statuses: the statuses that start a refresh. Default 401 and 403.
    ///   - includesFailures: whether calls without a response also start a refresh. Default false.
    ///     A canceled call never does.
    ///   - delay: the delay before a rejected call starts or joins the refresh. Default zero.
    ///   - limit: the maximum number of refresh requests until ``reset()``. Afterwards responses
    ///     are accepted unchanged. Default nil: no limit.
    ///   - request: a closure that creates the refresh request.
    ///   - receive: a closure that modifies each rejected request with the response before the retry.
    public convenience init(
        on statuses: HTTPStatusSet = [.unauthorized, .forbidden],
        includesFailures: Bool = false,
        delay: Duration = .zero,
        limit: Int? = nil,
        request: @escaping Provide,
        onReceive receive: @escaping Apply
    ) {
        self.init(
            on: statuses,
            includesFailures: includesFailures,
            delay: delay,
            limit: limit,
            task: { outcome, refused, context in
                let other = try await request(outcome, refused, context)
                let response = try await context.send(other)
                guard response.isSuccess else {
                    throw response.error(.rejectedStatus(response.status), in: .validating)
                }
                return response
            },
            apply: receive
        )
    }
}

#if Logging
public import Logging
internal import Wire

/// An observer that logs the steps of calls with swift-log.
///
///     var configuration = HTTPClientConfiguration()
///     configuration.observers.append(HTTPLogObserver(Logger(label: "api")))
///
/// The message names the step. The metadata has its details under OpenTelemetry's names:
/// `http.request.method`, `url.full`, `http.response.status_code`, `error.type` and so on. The
/// observer creates no metadata for levels that the logger does not log. `duration` and `delay` are seconds,
/// such as `1.043984`. `http.retry` is the number of retries so far; it is absent if there were none.
///
/// It never logs bodies, or the user name and password of a URL. Query parameters with secret names
/// are logged as `***`. Header fields are logged according to ``HeaderLogging``, with credentials
/// redacted. For failures of custom code, and failures that quote sent or received data, only
/// ``HTTPError/Kind/label`` is logged. The caller gets the full error.
public struct HTTPLogObserver: HTTPObserver {
    /// The log levels of the messages.
    public struct Levels: Sendable, Hashable {
        /// The level of sent requests, received responses, redirects, retries and failed attempts.
        ///
        /// Default `.debug`, because one call can have many.
        public var step: Logger.Level
        /// The level of calls that end with a response, unless its status is 400 or above.
        ///
        /// Default `.info`: one line per call.
        public var ended: Logger.Level
        /// The level of calls that end with a status from 400 to 499, also if a validator rejects it.
        ///
        /// Default `.notice`: many are expected, such as a 404 for something that may not exist.
        public var clientError: Logger.Level
        /// The level of calls that end with a status of 500 or above, also if a validator rejects it.
        ///
        /// Default `.warning`, as for calls without a response: the server has failed.
        public var serverError: Logger.Level
        /// The level of calls that fail for another reason than their status.
        ///
        /// Default `.warning`: the caller also gets the failure, and decides whether it is an
        /// error.
        public var failed: Logger.Level

        /// Returns the level of a call that failed.
        fileprivate func level(of error: HTTPError) -> Logger.Level {
            guard case .rejectedStatus(let status) = error.kind, status.code >= 400 else {
                return failed
            }
            return level(of: status)
        }

        /// Returns the level of a call that ended with this status.
        fileprivate func level(of status: HTTPStatus) -> Logger.Level {
            switch status.code {
            case 500...: serverError
            case 400...: clientError
            default: ended
            }
        }

        /// Creates log levels.
        public init(
            step: Logger.Level = .debug,
            ended: Logger.Level = .info,
            clientError: Logger.Level = .notice,
            serverError: Logger.Level = .warning,
            failed: Logger.Level = .warning
        ) {
            self.step = step
            self.ended = ended
            self.clientError = clientError
            self.serverError = serverError
            self.failed = failed
        }
    }

    /// Whether header fields are logged.
    public enum HeaderLogging: Sendable, Hashable {
        /// Header fields are not logged.
        case omitted
        /// All header fields of sent requests and received responses are logged, with secrets as
        /// `***`.
        ///
        /// The names are `http.request.header.accept` and so on.
        case all
    }

    /// The steps that are logged.
    public let interests: HTTPStep.Interests

    private let logger: Logger
    private let levels: Levels
    private let headers: HeaderLogging
    private let secrets: SecretNames

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - logger: the logger. Its metadata provider, if any, runs in the task of the call.
    ///   - levels: the levels. Default: steps at `.debug`; calls that end with a response at `.info`, with a
    ///     status from 400 at `.notice` and from 500 at `.warning`; failures at `.warning`.
    ///   - headers: whether to log header fields. Default ``HeaderLogging/omitted``.
    ///   - names: the names of header fields and query parameters to redact, in any case, in
    ///     addition to the known ones (Authorization, Cookie, `access_token`, …).
    ///   - interests: the steps to log. Default ``HTTPStep/Interests/calls``; ``HTTPStep/Interests/all`` adds the phases
    ///     of attempts.
    public init(
        _ logger: Logger,
        levels: Levels = Levels(),
        headers: HeaderLogging = .omitted,
        redacting names: [String] = [],
        interests: HTTPStep.Interests = .calls
    ) {
        self.interests = interests
        self.logger = logger
        self.levels = levels
        self.headers = headers
        secrets = SecretNames(names)
    }

    /// Logs a step if its level is enabled.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        // A body that was read to its end is not logged.
        case .began, .streamed(_, nil): break
        case .queued: log("waiting in the queue", context)
        case .dequeued(let delay):
            log("admitted by the queue", context, ["delay": "\(Self.seconds(delay))"])
        case .entered(let phase, let metrics): log(phase, metrics, context)
        case .challenged(let challenge): log(challenge, context)
        case .upgraded(let head, _):
            let status: Logger.Metadata =
                head.map { [TelemetryInfo.Name.status: "\($0.status.code)"] } ?? [:]
            log("call ended with a stream", context, status, level: levels.ended)
        case .prepared(let request): log(request, context)
        case .sending(let head): log(head)
        case .informational(let head): log(head)
        case .received(let response): log(response, "response received", levels.step, context)
        case .failed(let error): log(error, "attempt failed", levels.step, context)
        case .redirected(let redirect): log(redirect)
        case .retrying(let number, let delay): logRetry(number, delay, context)
        case .ended(.success(let response)):
            log(response, "call ended", levels.level(of: response.status), context)
        case .ended(.failure(let error)):
            log(error, "call failed", levels.level(of: error), context)
        case .streamed(_, let error?): log(error, "body failed", levels.failed, context)
        }
    }

    // MARK: - Steps

    private func log(_ request: HTTPRequest, _ context: HTTPContext) {
        logger.log(
            level: levels.step,
            "sending request",
            metadata: {
                var metadata = metadata(TelemetryInfo(request))
                if context.retryCount > 0 { metadata["http.retry"] = "\(context.retryCount)" }
                return metadata
            }()
        )
    }

    /// Logs the header fields, including those that the client adds.
    private func log(_ head: RequestHead) {
        guard headers == .all else { return }
        logger.log(
            level: levels.step,
            "request head",
            metadata: {
                var metadata: Logger.Metadata = [TelemetryInfo.Name.method: "\(head.method)"]
                add(head.headers, "http.request.header.", to: &metadata)
                return metadata
            }()
        )
    }

    /// Logs a 1xx response.
    private func log(_ head: ResponseHead) {
        logger.log(
            level: levels.step,
            "interim response received",
            metadata: {
                var metadata: Logger.Metadata = [
                    TelemetryInfo.Name.status: "\(head.status.code)"
                ]
                add(head.headers, "http.response.header.", to: &metadata)
                return metadata
            }()
        )
    }

    private func log(
        _ response: HTTPResponse,
        _ message: Logger.Message,
        _ level: Logger.Level,
        _ context: HTTPContext
    ) {
        logger.log(
            level: level,
            message,
            metadata: {
                var metadata = metadata(TelemetryInfo(response))
                metadata[TelemetryInfo.Name.status] = "\(response.status.code)"
                let metrics = response.metrics
                if let time = metrics.total ?? metrics.headReceived {
                    metadata["duration"] = "\(Self.seconds(time))"
                }
                if context.retryCount > 0 { metadata["http.retry"] = "\(context.retryCount)" }
                if let address = metrics.remoteAddress {
                    metadata[TelemetryInfo.Name.peerAddress] = "\(address)"
                }
                if level == levels.step {
                    add(response.headers, "http.response.header.", to: &metadata)
                }
                return metadata
            }()
        )
    }

    private func log(
        _ error: HTTPError,
        _ message: Logger.Message,
        _ level: Logger.Level,
        _ context: HTTPContext
    ) {
        logger.log(
            level: level,
            message,
            metadata: {
                var metadata = metadata(TelemetryInfo(error, of: context.originalRequest))
                metadata[TelemetryInfo.Name.errorType] = "\(error.kind.label)"
                metadata["phase"] = "\(error.phase)"
                if let reason = error.kind.publicReason { metadata["reason"] = "\(reason)" }
                if context.retryCount > 0 { metadata["http.retry"] = "\(context.retryCount)" }
                if let status = error.head?.status {
                    metadata[TelemetryInfo.Name.status] = "\(status.code)"
                }
                return metadata
            }()
        )
    }

    /// Logs a phase, with what the metrics tell about the connection so far.
    private func log(_ phase: HTTPPhase, _ metrics: HTTPMetrics.Attempt, _ context: HTTPContext) {
        var details: Logger.Metadata = ["phase": "\(phase)"]
        if let address = metrics.remoteAddress {
            details[TelemetryInfo.Name.peerAddress] = "\(address)"
        }
        if metrics.connectionID != 0 { details["connection"] = "\(metrics.connectionID)" }
        if let version = metrics.tls?.version { details["tls.protocol.version"] = "\(version)" }
        log("phase entered", context, details)
    }

    /// Logs a challenge, without its parameters.
    private func log(_ challenge: HTTPStep.Challenge, _ context: HTTPContext) {
        switch challenge {
        case .origin(let head), .proxy(let head):
            log("credentials required", context, [TelemetryInfo.Name.status: "\(head.status.code)"])
        case .trust(let peer):
            log("evaluating the certificate", context, ["host": "\(LogText.line(peer.host))"])
        }
    }

    private func log(
        _ message: Logger.Message,
        _ context: HTTPContext,
        _ details: @autoclosure () -> Logger.Metadata = [:],
        level: Logger.Level? = nil
    ) {
        logger.log(
            level: level ?? levels.step,
            message,
            metadata: metadata(TelemetryInfo(context.originalRequest)).merging(details()) { $1 }
        )
    }

    private func log(_ redirect: HTTPRedirect) {
        logger.log(
            level: levels.step,
            "following redirect",
            metadata: {
                let location = redirect.location
                return [
                    TelemetryInfo.Name.status: "\(redirect.status.code)",
                    TelemetryInfo.Name.fullURL:
                        "\(secrets.redacted(redirect.url, or: redirect.url.text))",
                    "location": "\(secrets.redacted(location, or: location.text))",
                ]
            }()
        )
    }

    private func logRetry(_ number: Int, _ delay: Duration, _ context: HTTPContext) {
        logger.log(
            level: levels.step,
            "retrying",
            metadata: {
                var metadata = metadata(TelemetryInfo(context.originalRequest))
                metadata["http.retry"] = "\(number)"
                metadata["delay"] = "\(Self.seconds(delay))"
                return metadata
            }()
        )
    }

    // MARK: - Metadata

    /// Returns seconds with six decimal places, so that other programs can compute with the text.
    private static func seconds(_ time: Duration) -> String {
        let microseconds = max(time.wholeNanoseconds, 0) / 1000
        let decimals = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)."
            + String(repeating: "0", count: 6 - decimals.utf8.count)
            + decimals
    }

    private func metadata(_ info: TelemetryInfo) -> Logger.Metadata {
        var metadata: Logger.Metadata = [TelemetryInfo.Name.method: "\(info.sentMethod)"]
        if let url = info.fullURL(secrets) { metadata[TelemetryInfo.Name.fullURL] = "\(url)" }
        return metadata
    }

    private func add(_ headers: HTTPHeaders, _ prefix: String, to metadata: inout Logger.Metadata) {
        guard self.headers == .all else { return }
        for field in headers {
            let name = FieldName(field.name)
            var value = secrets.redacted(field.value, of: name)
            // The values of these fields are URLs, whose queries can contain secrets.
            if [.location, .contentLocation, .referer].contains(name) {
                value = secrets.redacted(nil, or: value)
            }
            value = LogText.line(value)
            let key = LogText.line(prefix + field.name.lowercased())
            if case .array(let values) = metadata[key] {
                metadata[key] = .array(values + ["\(value)"])
            } else {
                metadata[key] = .array(["\(value)"])
            }
        }
    }
}
#endif

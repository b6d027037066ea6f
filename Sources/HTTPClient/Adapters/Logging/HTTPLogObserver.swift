#if Logging
public import Logging
internal import Wire

/// Logs the steps of calls through swift-log.
///
///     var configuration = HTTPClient.Configuration()
///     configuration.observers.append(HTTPLogObserver(Logger(label: "api")))
///
/// The message says what happened; the metadata says to what, in the names that OpenTelemetry has
/// for it: `http.request.method`, `url.full`, `http.response.status_code`, `error.type` and so on.
/// What is made only for the log is not made when the logger's level is above it.
///
/// No body is logged, no user name or password of a URL, and `***` instead of each parameter of a
/// query that is a secret by its name. Header fields are logged where ``HeaderLogging`` say so, those that
/// prove who asks without their values. Of failures of your own code, and of those that quote what
/// was sent or received, only ``HTTPError/Kind/label`` is logged: the error itself goes to the
/// caller.
public struct HTTPLogObserver: HTTPObserver {
    /// Says at which level what is logged.
    public struct Levels: Sendable, Hashable {
        /// Requests that are sent, responses that come, redirects, retries and attempts that fail.
        ///
        /// Default `.debug`: one call may have many.
        public var step: Logger.Level
        /// Calls that end with a response, whatever its status.
        ///
        /// Default `.info`: one line a call.
        public var ended: Logger.Level
        /// Calls that end without a response.
        ///
        /// Default `.warning`: whether it is an error, the caller knows, who gets it too.
        public var failed: Logger.Level

        /// Makes levels.
        public init(
            step: Logger.Level = .debug,
            ended: Logger.Level = .info,
            failed: Logger.Level = .warning
        ) {
            self.step = step
            self.ended = ended
            self.failed = failed
        }
    }

    /// Says whether header fields are logged.
    public enum HeaderLogging: Sendable, Hashable {
        /// Header fields are not logged.
        case omitted
        /// All header fields are logged, with requests that are sent and responses that come, as
        /// `http.request.header.accept` and the like; secrets as `***`.
        case all
    }

    private let logger: Logger
    private let levels: Levels
    private let headers: HeaderLogging
    private let secrets: SecretNames

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - logger: where to; a provider of metadata in it is asked in the task of the call.
    ///   - levels: default steps at `.debug`, responses at `.info`, failures at `.warning`.
    ///   - headers: default ``HeaderLogging/omitted``.
    ///   - names: header fields and parameters of queries that are secrets besides those which are
    ///     known as such (Authorization, Cookie, `access_token`, …); any case.
    public init(
        _ logger: Logger,
        levels: Levels = Levels(),
        headers: HeaderLogging = .omitted,
        redacting names: [String] = []
    ) {
        self.logger = logger
        self.levels = levels
        self.headers = headers
        secrets = SecretNames(names)
    }

    /// Logs a step, if its level is on.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        // The end of a body that was read tells its reader.
        case .began, .streamed(_, nil): break
        case .prepared(let request): log(request, context)
        case .sending(let head): log(head)
        case .received(let response): log(response, "response received", levels.step)
        case .failed(let error): log(error, "attempt failed", levels.step, context)
        case .redirected(let redirect): log(redirect)
        case .retrying(let number, let delay): logRetry(number, delay, context)
        case .ended(.success(let response)): log(response, "call ended", levels.ended)
        case .ended(.failure(let error)): log(error, "call failed", levels.failed, context)
        case .streamed(_, let error?): log(error, "body broke off", levels.failed, context)
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

    /// Logs the fields, with those that the client adds.
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

    private func log(
        _ response: HTTPResponse,
        _ message: Logger.Message,
        _ level: Logger.Level
    ) {
        logger.log(
            level: level,
            message,
            metadata: {
                var metadata = metadata(TelemetryInfo(response))
                metadata[TelemetryInfo.Name.status] = "\(response.status.code)"
                let metrics = response.metrics
                if let time = metrics.total ?? metrics.headReceived {
                    metadata["duration"] = "\(time)"
                }
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
                if let status = error.head?.status {
                    metadata[TelemetryInfo.Name.status] = "\(status.code)"
                }
                return metadata
            }()
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
                metadata["delay"] = "\(delay)"
                return metadata
            }()
        )
    }

    // MARK: - Metadata

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
            // These hold URLs, whose queries may hold secrets.
            if [.location, .contentLocation, .referer].contains(name) {
                value = secrets.redacted(nil, or: value)
            }
            let key = prefix + field.name.lowercased()
            if case .array(let values) = metadata[key] {
                metadata[key] = .array(values + ["\(value)"])
            } else {
                metadata[key] = .array(["\(value)"])
            }
        }
    }
}
#endif

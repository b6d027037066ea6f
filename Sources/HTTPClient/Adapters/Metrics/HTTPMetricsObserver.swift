#if Metrics
public import CoreMetrics
internal import Wire

/// An observer that records request metrics with swift-metrics, following OpenTelemetry's
/// conventions for HTTP clients.
///
///     var configuration = HTTPClientConfiguration()
///     configuration.observers.append(HTTPMetricsObserver())
///
/// Each request that is sent counts separately, including redirects, retries and responses to
/// challenges. This also applies to requests that the client sends again after a lost connection or
/// a proxy's challenge.
///
/// | label | kind, unit | what |
/// |---|---|---|
/// | `http.client.request.duration` | timer, seconds | time to the end of the response, or to the head if streamed |
/// | `http.client.request.body.size` | recorder, bytes | sent body, including chunked framing |
/// | `http.client.response.body.size` | recorder, bytes | received body before content decoding; not if streamed |
///
/// The dimensions are `http.request.method` (one of nine methods, or `_OTHER`), `server.address`,
/// `server.port` and `url.scheme`. Responses add `http.response.status_code` and
/// `network.protocol.version`. `error.type` is the status if it is 400 or above, or
/// ``HTTPError/Kind/label`` if there is no response.
///
/// Paths are not among the dimensions. A client that sends requests to hosts chosen by its users
/// has as many dimensions as hosts. For such a client, use a factory that drops `server.address`.
public struct HTTPMetricsObserver: HTTPObserver {
    private let factory: (any MetricsFactory)?

    /// Creates an observer.
    ///
    /// - Parameter factory: the metrics factory. Default nil: the current one of `MetricsSystem`.
    public init(factory: (any MetricsFactory)? = nil) {
        self.factory = factory
    }

    /// Records finished attempts and ignores other steps.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .received(let response):
            record(
                TelemetryInfo(response),
                response.metrics,
                .response(response.status),
                response.head,
                isStreamed: response.isStreamed
            )
        case .failed(let error):
            record(
                TelemetryInfo(error, of: context.originalRequest),
                error.metrics,
                .failure(error.kind),
                error.head,
                isStreamed: false
            )
        default: break
        }
    }

    /// Records the last attempt, and the attempts before it that the engine repeated by itself.
    private func record(
        _ info: TelemetryInfo,
        _ metrics: HTTPMetrics,
        _ outcome: TelemetryInfo.Outcome,
        _ head: ResponseHead?,
        isStreamed: Bool
    ) {
        var attempts = metrics.attempts[...]
        guard let last = attempts.popLast() else { return }
        record(last, dimensions(info, outcome, head), isStreamed: isStreamed)
        var reason = last.reason
        while reason == .lostConnection || reason == .proxyChallenge {
            guard let attempt = attempts.popLast() else { return }
            let outcome: TelemetryInfo.Outcome =
                if case .lost(let kind) = attempt.outcome { .failure(kind) } else {
                    .response(.proxyAuthenticationRequired)
                }
            record(attempt, dimensions(info, outcome, nil), isStreamed: false)
            reason = attempt.reason
        }
    }

    private func record(
        _ attempt: HTTPMetrics.Attempt,
        _ dimensions: [(String, String)],
        isStreamed: Bool
    ) {
        if let duration = attempt.duration {
            let timer =
                factory.map {
                    Timer(
                        label: TelemetryInfo.Name.duration,
                        dimensions: dimensions,
                        factory: $0
                    )
                } ?? Timer(label: TelemetryInfo.Name.duration, dimensions: dimensions)
            timer.recordNanoseconds(duration.wholeNanoseconds)
        }
        record(attempt.bodyBytesSent, TelemetryInfo.Name.requestBodySize, dimensions)
        if !isStreamed {
            record(attempt.bodyBytesReceived, TelemetryInfo.Name.responseBodySize, dimensions)
        }
    }

    private func record(_ bytes: Int, _ label: String, _ dimensions: [(String, String)]) {
        let recorder =
            factory.map { Recorder(label: label, dimensions: dimensions, factory: $0) }
            ?? Recorder(label: label, dimensions: dimensions)
        recorder.record(bytes)
    }

    private func dimensions(
        _ info: TelemetryInfo,
        _ outcome: TelemetryInfo.Outcome,
        _ head: ResponseHead?
    ) -> [(String, String)] {
        var dimensions = [(TelemetryInfo.Name.method, info.method)]
        if let server = info.server {
            dimensions.append((TelemetryInfo.Name.serverAddress, server.host))
            dimensions.append((TelemetryInfo.Name.serverPort, "\(server.port)"))
            dimensions.append((TelemetryInfo.Name.scheme, server.scheme.rawValue))
        }
        // A failed attempt can have a head too, such as that of a truncated response. The head of a proxy's
        // challenge is not kept, so the outcome has its status.
        var status = head?.status
        if case .response(let answered) = outcome { status = answered }
        if let status {
            dimensions.append((TelemetryInfo.Name.status, "\(status.code)"))
        }
        if let version = head?.version {
            let number = "\(version.major).\(version.minor)"
            dimensions.append((TelemetryInfo.Name.version, number))
        }
        if let type = outcome.errorType {
            dimensions.append((TelemetryInfo.Name.errorType, type))
        }
        return dimensions
    }
}

extension HTTPMetrics.Attempt {
    /// The time from the start to the end of the attempt, or to the head if the body is still
    /// unread.
    fileprivate var duration: Duration? {
        guard let start = elapsed(beginMark), let end = ended ?? headReceived else { return nil }
        return end - start
    }
}
#endif

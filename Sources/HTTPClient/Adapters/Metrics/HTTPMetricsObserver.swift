#if Metrics
public import CoreMetrics
internal import Wire

/// Measures requests through swift-metrics, by OpenTelemetry's conventions for HTTP clients.
///
///     var configuration = HTTPClient.Configuration()
///     configuration.observers.append(HTTPMetricsObserver())
///
/// Each request that is sent counts by itself: those of redirects, retries and challenges, and one
/// that a lost connection or a proxy that wanted credentials made the client send again.
///
/// | label | kind, unit | what |
/// |---|---|---|
/// | `http.client.request.duration` | timer; exported in seconds | until the end of the response; of a streamed one, until its head |
/// | `http.client.request.body.size` | recorder, bytes | the content that was sent, as framed |
/// | `http.client.response.body.size` | recorder, bytes | the content that came, as framed; not of streamed responses |
///
/// The dimensions are `http.request.method` (one of the nine, else `_OTHER`), `server.address`,
/// `server.port`, `url.scheme`, `http.response.status_code` and `network.protocol.version` where
/// there is a response, and `error.type` where the status is 400 or above (the status) or there is
/// no response (``HTTPError/Kind/label``). Paths are not among them. A client that asks whatever
/// hosts its users name has as many dimensions as there are hosts: measure such a one through a
/// factory that drops `server.address`.
public struct HTTPMetricsObserver: HTTPObserver {
    private let factory: (any MetricsFactory)?

    /// Makes an observer.
    ///
    /// - Parameter factory: where to; default nil: the one of `MetricsSystem` at the time.
    public init(factory: (any MetricsFactory)? = nil) {
        self.factory = factory
    }

    /// Measures what has just ended, and nothing else.
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

    /// Measures the last attempt, and those that the engine made before it on its own.
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
        // That of a proxy's challenge, whose head is not kept, or of a response that broke off.
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
    /// From its beginning to its end, or to the head where the body is still to be read.
    fileprivate var duration: Duration? {
        guard let start = elapsed(beginMark), let end = ended ?? headReceived else { return nil }
        return end - start
    }
}
#endif

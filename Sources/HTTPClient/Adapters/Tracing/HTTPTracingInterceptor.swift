#if Tracing
public import Tracing
internal import Wire

/// An interceptor that creates a span for each request and propagates it to the server.
///
///     var configuration = HTTPClientConfiguration()
///     configuration.interceptors.append(HTTPTracingInterceptor())
///
/// Names follow OpenTelemetry's conventions for HTTP clients. Redirects and retries have separate
/// spans, with `http.request.resend_count` from the second on. The parent is the span in which the
/// call was made.
///
/// The tracer chooses the propagated fields, such as `traceparent` and `tracestate` (W3C Trace
/// Context). They replace fields of the same name. Add this interceptor after the others. Then it
/// sees their changes to the request, and spans that they create enclose its span.
///
/// | attribute | value |
/// |---|---|
/// | `http.request.method`, `http.request.method_original` | one of nine methods, or `_OTHER` and the original |
/// | `url.full` | the URL without user name and password, and with `***` for parameters with secret names |
/// | `server.address`, `server.port` | the origin server |
/// | `network.peer.address`, `network.peer.port` | the connected peer; the proxy, if one was used |
/// | `http.response.status_code`, `network.protocol.version` | the response |
/// | `http.request.resend_count` | the number of requests that the call had sent before this one |
/// | `error.type` | a status of 400 or above, or ``HTTPError/Kind/label`` |
///
/// A span ends when the response is complete, or when the head of a streamed response has arrived.
/// Its status is an error if it has an `error.type`. One span includes the requests that the client
/// repeats by itself: after a challenge, and after a lost connection.
public struct HTTPTracingInterceptor: HTTPInterceptor {
    private let tracer: (any Tracer)?
    private let secrets: SecretNames

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - tracer: the tracer. Default nil: the current one of `InstrumentationSystem`.
    ///   - names: the names of further query parameters to redact, in any case.
    public init(tracer: (any Tracer)? = nil, redacting names: [String] = []) {
        self.tracer = tracer
        secrets = SecretNames(names)
    }

    /// Sends the request in a new span.
    ///
    /// - Throws: the errors that `next` throws.
    public func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let info = TelemetryInfo(request)
        // The conventions require names with few distinct values, so the name has no path.
        let name = info.method == TelemetryInfo.otherMethod ? "HTTP" : info.method
        let span = tracer.startSpan(name, ofKind: .client)
        defer { span.end() }
        span.updateAttributes { setAttributes(info, in: &$0) }
        var traced = request
        tracer.inject(span.context, into: &traced.headers, using: FieldInjector())
        let sent = traced
        do {
            let result = try await ServiceContext.$current.withValue(span.context) {
                try await next(sent)
            }
            record(result.outcome, in: span)
            return result
        } catch let error as HTTPError {
            record(.failure(error), in: span)
            throw error
        } catch {
            span.attributes[TelemetryInfo.Name.errorType] = "\(type(of: error))"
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }

    private func setAttributes(_ info: TelemetryInfo, in attributes: inout SpanAttributes) {
        attributes[TelemetryInfo.Name.method] = info.method
        if info.method == TelemetryInfo.otherMethod {
            attributes[TelemetryInfo.Name.originalMethod] = info.sentMethod.rawValue
        }
        if let url = info.fullURL(secrets) { attributes[TelemetryInfo.Name.fullURL] = url }
        guard let server = info.server else { return }
        attributes[TelemetryInfo.Name.serverAddress] = server.host
        attributes[TelemetryInfo.Name.serverPort] = server.port
    }

    private func record(_ outcome: Result<HTTPResponse, HTTPError>, in span: any Span) {
        let metrics: HTTPMetrics
        let head: ResponseHead?
        let error: String?
        var reason: String?
        switch outcome {
        case .success(let response):
            metrics = response.metrics
            head = response.head
            error = TelemetryInfo.Outcome.response(response.status).errorType
        case .failure(let failure):
            metrics = failure.metrics
            head = failure.head
            error = failure.kind.label
            reason = failure.kind.publicReason
        }
        span.updateAttributes { attributes in
            if let head {
                let version = "\(head.version.major).\(head.version.minor)"
                attributes[TelemetryInfo.Name.status] = head.status.code
                attributes[TelemetryInfo.Name.version] = version
            }
            if let address = metrics.remoteAddress {
                attributes[TelemetryInfo.Name.peerAddress] = address
                if let port = metrics.remotePort {
                    attributes[TelemetryInfo.Name.peerPort] = port
                }
            }
            let resent = metrics.attempts.count - 1
            if resent > 0 { attributes[TelemetryInfo.Name.resendCount] = resent }
            if let error { attributes[TelemetryInfo.Name.errorType] = error }
        }
        if error != nil { span.setStatus(SpanStatus(code: .error, message: reason)) }
    }
}

/// An injector that writes propagated values to header fields.
private struct FieldInjector: Injector {
    /// Sets a header field, unless it could not be sent: tracing must not make a request fail.
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        let name = FieldName(key)
        let isText = value.utf8.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != 0x7f }
        guard name.isToken, isText else { return }
        headers.replace(name, with: value)
    }
}
#endif

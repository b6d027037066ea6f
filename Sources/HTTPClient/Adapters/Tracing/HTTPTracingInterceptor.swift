#if Tracing
public import Tracing
internal import Wire

/// Makes a span of each request that is sent, and tells the server of it.
///
///     var configuration = HTTPClient.Configuration()
///     configuration.interceptors.append(HTTPTracingInterceptor())
///
/// Names are those of OpenTelemetry's conventions for HTTP clients. Redirects and retries have
/// spans of their own, with `http.request.resend_count` from the second on. The parent is the span
/// in which the call was made. What goes into the header is the tracer's choice, such as
/// `traceparent` and `tracestate` (W3C Trace Context), and takes the place of a field of that name.
/// Put the interceptor behind the others: it sees then what they make of the request, and spans
/// that they begin enclose its own.
///
/// | attribute | what |
/// |---|---|
/// | `http.request.method`, `http.request.method_original` | one of the nine, else `_OTHER`, and what it is then |
/// | `url.full` | without user name and password, and `***` for what is secret by its name |
/// | `server.address`, `server.port` | whom the request is for |
/// | `network.peer.address`, `network.peer.port` | who was spoken to; a proxy, where one was used |
/// | `http.response.status_code`, `network.protocol.version` | what came |
/// | `http.request.resend_count` | how often the call had sent a request before this one |
/// | `error.type` | a status of 400 or above, or ``HTTPError/Kind/label`` |
///
/// A span ends when the response is there, of a streamed one its head, and its status is an error
/// where there is an `error.type`. Inside of it are what the client does on its own: to answer a
/// challenge, and to send again what a lost connection had swallowed.
public struct HTTPTracingInterceptor: HTTPInterceptor {
    private let tracer: (any Tracer)?
    private let secrets: SecretNames

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - tracer: who makes spans; default nil: the one of `InstrumentationSystem` at the time.
    ///   - names: parameters of queries that are secrets besides those which are known as such; any
    ///     case.
    public init(tracer: (any Tracer)? = nil, redacting names: [String] = []) {
        self.tracer = tracer
        secrets = SecretNames(names)
    }

    /// Sends the request in a span of its own.
    ///
    /// - Throws: what `next` throws.
    public func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPResponse {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let info = TelemetryInfo(request)
        // A name of few values, as the conventions want it: a path would be another for each thing.
        let name = info.method == TelemetryInfo.otherMethod ? "HTTP" : info.method
        let span = tracer.startSpan(name, ofKind: .client)
        defer { span.end() }
        span.updateAttributes { setAttributes(info, in: &$0) }
        var traced = request
        tracer.inject(span.context, into: &traced.headers, using: FieldInjector())
        let sent = traced
        do {
            let response = try await ServiceContext.$current.withValue(span.context) {
                try await next(sent)
            }
            record(.success(response), in: span)
            return response
        } catch let demand as RetryRequest {
            record(demand.outcome, in: span)
            throw demand
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

/// Writes what a tracer propagates into a header.
private struct FieldInjector: Injector {
    /// Leaves out what could not be sent: tracing makes no request fail.
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        let name = FieldName(key)
        let isText = value.utf8.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != 0x7f }
        guard name.isToken, isText else { return }
        headers.replace(name, with: value)
    }
}
#endif

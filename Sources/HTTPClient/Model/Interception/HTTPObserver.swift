public import Wire

/// A type that is notified of each step of every call.
///
/// An observer cannot change the call.
///
/// Exchanges on an ``HTTPDedicatedConnection``, upgrades and tunnels are not calls in this sense.
/// Their owner sees each exchange.
///
/// The client calls an observer synchronously, in order for each call, so it must be fast and must
/// not block. It waits for ``HTTPStep/informational(_:)`` too, but only before the next step. Several
/// calls may notify an observer concurrently.
public protocol HTTPObserver: Sendable {
    /// Records a step of a call.
    func observe(_ step: HTTPStep, _ context: HTTPContext)
}

/// A step of a call.
@nonexhaustive public enum HTTPStep: Sendable {
    /// The call has started.
    case began
    /// This request is about to be sent, after the interceptors, with its cookies and credentials.
    case prepared(HTTPRequest)
    /// This request head is sent, with the client's fields and the fields that describe the body.
    ///
    /// A proxy may receive additional fields.
    case sending(RequestHead)
    /// A 1xx response has arrived, such as 103 (Early Hints); the final response follows.
    ///
    /// 100 (Continue) is reported too, and 101 (Switching Protocols) never. An attempt reports at most
    /// ``WireLimits/informationalCount`` of them, also before a redirect or a challenge. The client calls
    /// the observer while the attempt runs, on another thread than that of the call. The next step of the
    /// call follows when the observer has returned.
    case informational(ResponseHead)
    /// An attempt received this response; interceptors have not seen it yet.
    case received(HTTPResponse)
    /// An attempt failed; interceptors have not seen the error yet.
    case failed(HTTPError)
    /// The client follows a redirect.
    case redirected(HTTPRedirect)
    /// The request will be retried after this delay; `number` counts retries from 1.
    case retrying(number: Int, after: Duration)
    /// The call has ended.
    ///
    /// Only ``streamed(_:_:)`` can follow, if the response ``HTTPResponse/isStreamed``.
    case ended(Result<HTTPResponse, HTTPError>)
    /// The body of a streamed response has ended.
    ///
    /// It was read to its end, failed with this error, or was dropped. If it was dropped, there is
    /// no error, and the outcome of the last attempt is `.inProgress`.
    case streamed(HTTPMetrics, HTTPError?)
}

extension HTTPStep {
    /// The step with requests, responses and errors that have no body.
    package var withoutBodies: HTTPStep {
        switch self {
        case .prepared(var request):
            request.body = .empty
            return .prepared(request)
        case .received(let response): return .received(response.withoutBody)
        case .failed(let error): return .failed(error.withoutBody)
        case .ended(let result):
            return .ended(result.map(\.withoutBody).mapError(\.withoutBody))
        case .streamed(let metrics, let error): return .streamed(metrics, error?.withoutBody)
        case .began, .sending, .informational, .redirected, .retrying: return self
        }
    }
}

extension HTTPResponse {
    fileprivate var withoutBody: HTTPResponse {
        var copy = self
        copy.body = []
        copy.isStreamed = isStreamed
        return copy
    }
}

extension HTTPError {
    fileprivate var withoutBody: HTTPError {
        partialBody.isEmpty ? self : changed { $0.partialBody = [] }
    }
}

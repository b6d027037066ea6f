public import Wire

/// Is told of each step of every call, and changes nothing.
///
/// An ``HTTPDedicatedConnection``, an upgrade and a tunnel are no calls in that sense: who holds one sees each
/// exchange.
///
/// Called where the step happens, in order for one call: it must be quick and must not block. Several
/// calls may tell at the same time.
public protocol HTTPObserver: Sendable {
    /// Takes note of a step.
    func observe(_ step: HTTPStep, _ context: HTTPContext)
}

/// Names a step of a call.
@nonexhaustive public enum HTTPStep: Sendable {
    /// The call begins.
    case began
    /// This request is about to be sent: as the interceptors left it, with its cookies and
    /// credentials.
    case prepared(HTTPRequest)
    /// This head goes out for it: with the client's fields, and those that follow from the body.
    ///
    /// A proxy may be sent other fields besides.
    case sending(RequestHead)
    /// An attempt brought this response, before interceptors saw it.
    case received(HTTPResponse)
    /// An attempt failed, before interceptors saw it.
    case failed(HTTPError)
    /// A redirect is followed.
    case redirected(HTTPRedirect)
    /// The request is sent again after this delay, for the so-manieth time.
    case retrying(number: Int, after: Duration)
    /// The call is over; nothing follows but ``streamed(_:_:)``, when the response
    /// ``HTTPResponse/isStreamed``.
    case ended(Result<HTTPResponse, HTTPError>)
    /// The body of a streamed response was read to its end, broke off with this error, or was given
    /// up: then there is no error, and the last attempt is still under way.
    case streamed(HTTPMetrics, HTTPError?)
}

/// Tells of a step that some call made, without the bodies.
public struct HTTPEvent: Sendable {
    /// Which call; see ``HTTPContext/callID``.
    public let callID: UInt64
    /// How often the call's request had been sent again by then.
    public let retryCount: Int
    /// What the program noted about the request.
    public let tags: HTTPTags
    /// When it happened.
    public let instant: ContinuousClock.Instant
    /// What happened.
    ///
    /// Requests, responses and errors in it have no body.
    public let step: HTTPStep

    init(_ step: HTTPStep, _ context: HTTPContext) {
        callID = context.callID
        retryCount = context.retryCount
        tags = context.tags
        instant = .now
        self.step = step.withoutBodies
    }
}

extension HTTPStep {
    fileprivate var withoutBodies: HTTPStep {
        switch self {
        case .prepared(var request):
            request.body = .empty
            return .prepared(request)
        case .received(let response): return .received(response.withoutBody)
        case .failed(let error): return .failed(error.withoutBody)
        case .ended(let result):
            return .ended(result.map(\.withoutBody).mapError(\.withoutBody))
        case .streamed(let metrics, let error): return .streamed(metrics, error?.withoutBody)
        case .began, .sending, .redirected, .retrying: return self
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

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

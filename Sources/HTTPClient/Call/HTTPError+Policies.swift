extension HTTPError {
    /// Creates the public error for an error that an interceptor, a transformer or a retry threw.
    init(interceptor error: any Error, _ request: HTTPRequest) {
        if let error = error as? HTTPError {
            self = error
            return
        }
        let kind: Kind =
            error is CancellationError ? .cancelled : .interceptorFailed(reason: "\(error)")
        self = HTTPError(kind, phase: .validating)
            .naming(request.method, request.publicURL)
            .changed { $0.underlying = error }
    }

    /// Returns the same error with the received parts of a response, unless it already has a response.
    func keeping(_ response: HTTPResponse?) -> HTTPError {
        guard let response, head == nil else { return self }
        return changed { info in
            info.head = response.head
            info.informational = response.informational
            info.partialBody = response.body
            if info.metrics.attempts.isEmpty { info.metrics = response.metrics }
        }
    }
}

extension HTTPError {
    /// Creates the public error for an error that a validator threw or returned.
    init(
        validator error: any Error,
        _ outcome: Result<HTTPResponse, HTTPError>,
        _ request: HTTPRequest
    ) {
        if let error = error as? HTTPError {
            self = error
            return
        }
        let kind: Kind =
            error is CancellationError ? .cancelled : .rejectedResponse(reason: "\(error)")
        switch outcome {
        case .success(let response):
            self = response.error(kind).changed { $0.underlying = error }
        case .failure(let failure):
            self = failure.changed {
                $0.kind = kind
                $0.underlying = error
            }
        }
    }
}

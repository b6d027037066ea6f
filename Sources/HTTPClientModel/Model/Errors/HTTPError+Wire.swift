package import Wire

extension HTTPError.Kind {
    /// Translates an error in a message; the only place where Wire's errors become public.
    package init(_ error: WireError) {
        switch error.kind {
        case .uri, .outgoing: self = .invalidRequest(.refused(error))
        case .head, .framing, .body: self = .malformedResponse(error)
        case .truncated: self = .truncatedResponse(error)
        case .coding: self = .codingFailed(error)
        case .limit: self = .limitExceeded(error)
        }
    }
}

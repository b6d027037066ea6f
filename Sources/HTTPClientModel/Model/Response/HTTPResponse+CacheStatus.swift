extension HTTPResponse {
    /// The part that the client's cache had in a response, in the terms of RFC 9211.
    public struct CacheStatus: Sendable, Hashable {
        /// The way in which a response was obtained.
        @nonexhaustive public enum Outcome: Sendable, Hashable {
            /// A fresh stored response; no request was sent.
            case hit
            /// A stored response that is stale, which the request, the response or an error of the origin permits.
            case staleHit
            /// A stored response that the origin has just confirmed with a 304.
            case revalidated
            /// A stored response that another request has just fetched (``HTTPCache/coalesces``).
            case collapsed
            /// A response of the origin.
            case miss
            /// A response of the origin to a request that the cache could not answer, such as a POST.
            case bypassed
            /// No response: only the cache might answer, and it could not. The status is 504.
            case unavailable
        }

        /// The way in which the response was obtained.
        public let outcome: Outcome
        /// The reason in the words of RFC 9211: the value of its parameter `fwd`, such as `uri-miss`, or the permission
        /// to use a stale response; nil for a fresh one.
        public let reason: String?
        /// The reason why the response was not stored, such as `no-permission`; nil if it is stored or came from
        /// the cache.
        public let refusal: String?
        /// The status of the origin's response that the stored one replaces, such as 304; nil if there was none.
        public let originStatus: HTTPStatus?
        /// The number of seconds that the response stays fresh, negative if it is stale; nil if no stored response was
        /// used.
        public let secondsFresh: Int?

        /// Whether the response is a stored one, with or without a question to the origin.
        public var usesStoredResponse: Bool {
            switch outcome {
            case .hit, .staleHit, .revalidated, .collapsed: true
            case .miss, .bypassed, .unavailable: false
            }
        }

        /// Returns the status of a response that could not be stored.
        package func refused(because reason: String) -> Self {
            Self(
                outcome,
                self.reason,
                refusal: reason,
                originStatus: originStatus,
                secondsFresh: secondsFresh
            )
        }

        /// Whether the cache has answered, with a stored response or with a 504.
        ///
        /// The metrics of such a response have the attempts of earlier responses of the call.
        package var isAnswerOfCache: Bool { usesStoredResponse || outcome == .unavailable }

        package init(
            _ outcome: Outcome,
            _ reason: String? = nil,
            refusal: String? = nil,
            originStatus: HTTPStatus? = nil,
            secondsFresh: Int? = nil
        ) {
            self.outcome = outcome
            self.reason = reason
            self.refusal = refusal
            self.originStatus = originStatus
            self.secondsFresh = secondsFresh
        }
    }
}

extension HTTPResponse.CacheStatus: CustomStringConvertible {
    /// The text of a Cache-Status field (RFC 9211 §2), such as `HTTPClient; hit; ttl=30`.
    public var description: String {
        var text = "HTTPClient"
        switch outcome {
        // The origin was asked before.
        case .staleHit where reason == "stale-if-error": text += "; fwd=stale"
        case .hit, .staleHit: text += "; hit"
        case .revalidated: text += "; fwd=\(reason ?? "stale")"
        case .collapsed: text += "; fwd=\(reason ?? "uri-miss"); collapsed"
        case .miss, .bypassed: text += "; fwd=\(reason ?? "bypass")"
        case .unavailable: break
        }
        if let originStatus { text += "; fwd-status=\(originStatus.code)" }
        if let secondsFresh { text += "; ttl=\(secondsFresh)" }
        switch outcome {
        // A reload bypasses the stored responses, but its own response is stored.
        case .miss where refusal == nil, .bypassed where refusal == nil: text += "; stored"
        case .staleHit, .unavailable: if let reason { text += "; detail=\(reason)" }
        default: if let refusal { text += "; detail=\(refusal)" }
        }
        return text
    }
}

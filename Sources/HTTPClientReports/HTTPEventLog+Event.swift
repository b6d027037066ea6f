public import HTTPClient

extension HTTPEventLog {
    /// A step of a call with its context, without bodies.
    public struct Event: Sendable {
        /// The number of the call; see `HTTPContext.callID`.
        public let callID: UInt64
        /// The number of retries so far.
        public let retryCount: Int
        /// The tags that the caller attached to the request.
        public let tags: HTTPTags
        /// The time of the step.
        public let instant: ContinuousClock.Instant
        /// The step.
        ///
        /// Its requests, responses and errors have no body.
        public let step: HTTPStep

        init(_ step: HTTPStep, _ context: HTTPContext) {
            callID = context.callID
            retryCount = context.retryCount
            tags = context.tags
            instant = .now
            self.step = step.withoutBodies
        }
    }
}

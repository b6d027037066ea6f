extension HTTPCall {
    /// How far the bytes are, as a sequence; each loop over it begins with the newest there is.
    ///
    ///     for await progress in call.progress {
    ///         print(progress.percentage ?? 0)
    ///     }
    ///
    /// What ``events`` tells of progress and nothing else: a slow reader misses what is outdated, but
    /// never the last of a direction. Ends with the call, or when the task that loops is cancelled,
    /// which does not cancel the call.
    public var progress: Progress { Progress(events: events) }

    /// Gives the progress of a call.
    public struct Progress: AsyncSequence, Sendable {
        /// How far the bytes of a direction are.
        public typealias Element = HTTPProgress
        /// Nothing goes wrong here.
        public typealias Failure = Never

        fileprivate let events: Events

        /// Makes an iterator that begins with the newest progress there is.
        public func makeAsyncIterator() -> Iterator {
            Iterator(events: events.makeAsyncIterator())
        }

        /// Gives one piece of news after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var events: Events.Iterator

            /// Returns the next news, or nil when the call is over.
            public mutating func next() async -> HTTPProgress? {
                await next(isolation: #isolation)
            }

            /// Returns the next news, or nil when the call is over.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async -> HTTPProgress? {
                while let event = await events.next(isolation: actor) {
                    if case .progress(let progress) = event { return progress }
                }
                return nil
            }
        }
    }
}

internal import SocketTransport
public import Wire

/// Is one running execution of a request: watch it, wait for it, or end it.
///
///     let call = HTTPRequest("https://example.com/big").run()
///         .onProgress { print($0.fraction ?? 0) }
///         .onResult { print($0) }
///     let response = try await call.value
///
/// It starts when it is made and goes on until it is over, also when nobody holds it any more. The
/// request itself is a value and can be run again; that makes another call.
///
/// Any number of observers of a kind may be added, at any time: one that comes late is told what has
/// happened already, of progress the newest. Each is called in order, one at a time, where it wants
/// to be (``HTTPCallbackExecutor``).
///
/// ## Topics
/// ### Watching
/// - ``onResult(on:as:_:)``
/// - ``onResponse(on:as:_:)``
/// - ``onProgress(on:as:_:)``
/// - ``removeObservers(_:)``
/// - ``events``
/// - ``progress``
/// - ``state``
/// ### Waiting
/// - ``value``
/// - ``result``
/// ### Ending
/// - ``cancel()``
/// - ``cancel(byProducingResumeData:)``
public final class HTTPCall<Value: Sendable>: Sendable {
    /// Says how far a call is.
    public enum State: Sendable, Hashable {
        /// It waits for its turn in the client's queue.
        case waiting
        /// It is under way.
        case running
        /// It ended, well or with an error.
        case finished
        /// It was cancelled.
        case cancelled
    }

    /// Tells what happened to a call.
    ///
    /// They come in the order of the cases, but for the progress of an upload, which may come on both
    /// sides of the head. What a call does not reach is missing: one that cannot begin is never
    /// `.running`. The last progress and `.result` come always.
    public enum Event: Sendable {
        /// The call is under way: it has left the client's queue, or there is none.
        case running
        /// The head of the final response has come, whatever its status; its body is still to come.
        case head(ResponseHead)
        /// Bytes have moved.
        case progress(HTTPProgress)
        /// The response is complete; whether it is what was wanted is still to be seen.
        ///
        /// Of a download to a file it has no body.
        case response(HTTPResponse)
        /// The call is over. The last event.
        case result(Result<Value, HTTPError>)
    }

    let record: CallRecord<Value>
    private let task: Task<Result<Value, HTTPError>, Never>

    /// Starts a call.
    ///
    /// - Parameters:
    ///   - client: whose queue it waits in, if that has one.
    ///   - request: what is sent, before a parser or a download adds to it.
    ///   - execute: does it, in a task of its own, and tells the record what happens.
    init(
        in client: HTTPClient,
        of request: HTTPRequest,
        _ execute:
            @escaping @concurrent @Sendable (CallRecord<Value>) async -> Result<
                Value, HTTPError
            >
    ) {
        let record = CallRecord<Value>(client.queue == nil ? .running : .waiting)
        self.record = record
        task = Task {
            let result = await execute(record)
            await record.finish(result, of: request, in: client)
            return result
        }
    }

    /// How far the call is.
    public var state: State { record.state }

    // MARK: - Waiting

    /// The value, as soon as the call is over.
    ///
    /// Cancelling the task that waits does not cancel the call.
    ///
    /// - Throws: what went wrong; `.cancelled` after ``cancel()``.
    public var value: Value {
        get async throws(HTTPError) { try await task.value.get() }
    }

    /// The value or what went wrong, as soon as the call is over.
    public var result: Result<Value, HTTPError> {
        get async { await task.value }
    }

    // MARK: - Ending

    /// Ends the call early, waiting or under way; without effect when it is over.
    ///
    /// Idempotent. Its connection is closed when something was sent. The result is `.cancelled`, unless it was
    /// there already. A download to a file leaves nothing behind.
    public func cancel() {
        task.cancel()
    }

    /// Ends a download early and keeps what it can be continued with.
    ///
    /// - Parameter produce: called once, when the call is over, with nil when it cannot be continued:
    ///   it was complete, nothing had come, or the server names no state of the resource. See
    ///   ``HTTPResumeData``.
    public func cancel(
        byProducingResumeData produce: @escaping @Sendable (HTTPResumeData?) -> Void
    ) {
        record.keepPartialFile()
        cancel()
        onResult { result in
            guard case .failure(let error) = result else { return produce(nil) }
            produce(error.resumeData)
        }
    }

    /// Ends a download early and returns what it can be continued with.
    ///
    /// - Returns: nil when it cannot be; as in ``cancel(byProducingResumeData:)``.
    public func cancelProducingResumeData() async -> HTTPResumeData? {
        record.keepPartialFile()
        cancel()
        guard case .failure(let error) = await task.value else { return nil }
        return error.resumeData
    }

    // MARK: - Watching

    /// Calls `body` with the value, or what went wrong; once.
    ///
    /// - Parameters:
    ///   - executor: where it is called. Default ``HTTPCallbackExecutor/inline``.
    ///   - token: names the observer, so that it can be removed. Default nil.
    ///   - body: gets the result.
    /// - Returns: the call, for the next observer.
    @discardableResult
    public func onResult(
        on executor: HTTPCallbackExecutor = .inline,
        as token: HTTPObserverToken? = nil,
        _ body: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> HTTPCall {
        record.add(.result, executor, token) { event in
            if case .result(let result) = event { body(result) }
        }
        return self
    }

    /// Calls `body` with the complete response, whatever its status and whether or not it can be
    /// read as a value; once, or never when none came.
    ///
    /// - Parameters:
    ///   - executor: where it is called. Default ``HTTPCallbackExecutor/inline``.
    ///   - token: names the observer, so that it can be removed. Default nil.
    ///   - body: gets the response.
    /// - Returns: the call, for the next observer.
    @discardableResult
    public func onResponse(
        on executor: HTTPCallbackExecutor = .inline,
        as token: HTTPObserverToken? = nil,
        _ body: @escaping @Sendable (HTTPResponse) -> Void
    ) -> HTTPCall {
        record.add(.response, executor, token) { event in
            if case .response(let response) = event { body(response) }
        }
        return self
    }

    /// Calls `body` whenever bytes have moved.
    ///
    /// News of the upload, if the request has content, and of the download; both end with one that
    /// ``HTTPProgress/isFinal``, in front of the result, also when the call fails before it begins. An observer that takes its time misses what is outdated when it
    /// is ready again, but never the last.
    ///
    /// - Parameters:
    ///   - executor: where it is called. Default ``HTTPCallbackExecutor/inline``.
    ///   - token: names the observer, so that it can be removed. Default nil.
    ///   - body: gets the progress.
    /// - Returns: the call, for the next observer.
    @discardableResult
    public func onProgress(
        on executor: HTTPCallbackExecutor = .inline,
        as token: HTTPObserverToken? = nil,
        _ body: @escaping @Sendable (HTTPProgress) -> Void
    ) -> HTTPCall {
        record.add(.progress, executor, token) { event in
            if case .progress(let progress) = event { body(progress) }
        }
        return self
    }

    /// Removes the observers of this name; they are not called again.
    ///
    /// One that is being called on another thread at the moment finishes that.
    public func removeObservers(_ token: HTTPObserverToken) {
        record.removeObservers(token)
    }

    /// All that happens, as a sequence; each loop over it begins with what has happened already.
    ///
    ///     for await event in call.events {
    ///         switch event {
    ///         case .running: bar.show()
    ///         case .head(let head): print(head.status)
    ///         case .progress(let progress): bar.draw(progress)
    ///         case .response(let response): print(response.body.count)
    ///         case .result(let result): print(result)
    ///         }
    ///     }
    ///
    /// Ends behind `.result`, or when the task that loops is cancelled, which does not cancel the
    /// call. A slow reader misses outdated progress and nothing else.
    public var events: Events { Events(record: record) }

    /// Gives the events of a call.
    public struct Events: AsyncSequence, Sendable {
        /// What happened.
        public typealias Element = Event
        /// Nothing goes wrong here.
        public typealias Failure = Never

        fileprivate let record: CallRecord<Value>

        /// Makes an iterator that begins with what has happened already.
        public func makeAsyncIterator() -> Iterator {
            Iterator(record)
        }

        /// Gives one event after the other.
        public struct Iterator: AsyncIteratorProtocol {
            private let waiting: EventBuffer<Event>
            private var signals: AsyncStream<Void>.Iterator

            fileprivate init(_ record: CallRecord<Value>) {
                waiting = EventBuffer()
                signals = waiting.signals.makeAsyncIterator()
                record.add(waiting)
            }

            /// Returns the next event, or nil behind the last.
            public mutating func next() async -> Event? {
                await next(isolation: #isolation)
            }

            /// Returns the next event, or nil behind the last.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
                while true {
                    if let event = waiting.takeFirst() { return event }
                    guard await signals.next(isolation: actor) != nil else {
                        return waiting.takeFirst()
                    }
                }
            }
        }
    }
}

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

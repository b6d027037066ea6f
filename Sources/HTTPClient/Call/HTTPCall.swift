internal import SocketTransport
public import Wire

/// A running execution of a request, which can be observed, awaited and canceled.
///
///     let call = HTTPRequest("https://example.com/big").start()
///         .onProgress { print($0.fraction ?? 0) }
///         .onResult { print($0) }
///     let response = try await call.value
///
/// A call starts when it is created. It runs to its end even if the program keeps no reference to it. The request is
/// a value and can be run again, which creates another call.
///
/// You can add any number of observers at any time. A late observer first gets the past events, with only the newest
/// progress of each direction. Each observer is called in order, by one thread at a time, on its
/// ``HTTPCallbackExecutor``.
///
/// ## Topics
/// ### Observing
/// - ``onResult(on:as:_:)``
/// - ``onResponse(on:as:_:)``
/// - ``onProgress(of:on:as:_:)``
/// - ``onInformational(on:as:_:)``
/// - ``removeObservers(_:)``
/// - ``events``
/// - ``progress``
/// - ``state``
/// ### Waiting
/// - ``value``
/// - ``result``
/// - ``wait()``
/// ### Pausing
/// - ``pause()``
/// - ``resume()``
/// - ``isPaused``
/// ### Canceling
/// - ``cancel()``
/// - ``cancelProducingResumeData()``
public final class HTTPCall<Value: Sendable>: Sendable {
    /// The state of a call.
    public enum State: Sendable, Hashable {
        /// The call waits in the client's queue.
        case waiting
        /// The call is running.
        case running
        /// The call ended, with a value or an error.
        case finished
        /// The call was canceled.
        case cancelled
    }

    /// An event of a call.
    ///
    /// The order of the events is the order of the cases, except that progress can also precede the head.
    /// If the call makes several attempts, heads and progress are repeated.
    /// A call that fails early skips events: for example, a call that cannot begin does not report `.running`.
    /// Every call reports its last progress and `.result`. A call whose value is an ``HTTPStreamedResponse`` ends
    /// before the body: it reports neither `.response` nor the progress of the download.
    public enum Event: Sendable {
        /// The call is running: it has left the client's queue, or there is no queue.
        case running
        /// A 1xx response has arrived, such as 103 (Early Hints), 102 (Processing) or 100 (Continue).
        ///
        /// Each attempt can report several, at most ``WireLimits/informationalCount``. An attempt reports
        /// them even if the client then follows its redirect or answers its challenge. A late observer gets
        /// only the newest ones, up to the default of this limit.
        case informational(ResponseHead)
        /// The head of a response has arrived, with any status. The body follows.
        ///
        /// Each attempt can report one. If the client answers a 401 or retries, it also reports the head of
        /// the 401 or of the rejected response. The last head belongs to the final response. The client
        /// reports neither the redirects that it follows, nor the challenges of a proxy that it answers.
        /// A download to a file and a streamed call report only the last head.
        case head(ResponseHead)
        /// Bytes were sent or received, or the ``HTTPProgress/phase`` has changed.
        case progress(HTTPProgress)
        /// The response is complete. It is not yet parsed into the value.
        ///
        /// In a download to a file, the response has no body.
        case response(HTTPResponse)
        /// The call is over. This is the last event.
        case result(Result<Value, HTTPError>)
    }

    let record: CallRecord<Value>
    private let task: Task<Result<Value, HTTPError>, Never>

    /// Starts a call.
    ///
    /// - Parameters:
    ///   - client: the client; the call waits in its queue if it has one.
    ///   - request: the request, without the fields that a parser or a download adds.
    ///   - directions: the directions whose progress the call reports. Default both.
    ///   - execute: a closure that runs the call in a separate task and reports its events to the record.
    init(
        in client: ClientCore,
        of request: HTTPRequest,
        reporting directions: [HTTPProgress.Direction] = [.upload, .download],
        _ execute:
            @escaping @concurrent @Sendable (CallRecord<Value>) async -> Result<
                Value, HTTPError
            >
    ) {
        let record = CallRecord<Value>(request, in: client, directions)
        self.record = record
        if let body = request.onProgress {
            record.add(.progress, .inline, nil) { event in
                if case .progress(let progress) = event { body(progress) }
            }
        }
        task = Task(executorPreference: client.engine.loop.simulatedExecutor) {
            let result = await execute(record)
            await record.finish(result, of: request, in: client)
            return result
        }
    }

    /// The state of the call.
    public var state: State { record.state }

    // MARK: - Waiting

    /// The value, available when the call is over.
    ///
    /// Canceling the waiting task does not cancel the call.
    ///
    /// - Throws: the error of the call; `.cancelled` after ``cancel()``.
    public var value: Value {
        get async throws(HTTPError) { try await task.value.get() }
    }

    /// The value or the error, available when the call is over.
    public var result: Result<Value, HTTPError> {
        get async { await task.value }
    }

    /// Blocks the calling thread until the call is over, and returns the value.
    ///
    ///     let call = client.start(request).onProgress { print($0.completed) }
    ///     let response = try call.wait()
    ///
    /// It is for threads that run no task. Another thread can end the wait with ``cancel()``.
    ///
    /// - Throws: the error of the call; `.cancelled` after ``cancel()``; `.invalidRequest(.blockingInsideTask)`
    ///   inside a Swift task or on the client's event loop, as ``HTTPClient/Blocking`` describes. The call
    ///   continues then.
    public func wait() throws(HTTPError) -> Value {
        if let (engine, request) = record.running {
            return try engine.wait(naming: (request.method, request.publicURL)) { [task] in
                await task.value
            }
        }
        guard !isInsideTask() else {
            throw HTTPError(.invalidRequest(.blockingInsideTask), phase: .preparing)
        }
        guard let result = record.result else { preconditionFailure("the call is over") }
        return try result.get()
    }

    // MARK: - Pausing

    /// Pauses the transfer of content, in both directions; does nothing if the call is paused or over.
    ///
    ///     call.pause()
    ///     call.resume()
    ///
    /// The client stops reading and writing content at the socket, so that TCP stops the server. It keeps the
    /// connection and the bytes that have arrived. A paused call still waits in the queue, connects, sends the head of
    /// its request and waits for the head of the response. It is not complete before it continues. If the call has
    /// returned a streamed response, the pause applies to reading its body.
    ///
    /// ``HTTPTimeouts/readIdle``, ``HTTPTimeouts/writeIdle`` and ``HTTPTimeouts/minimumThroughput`` do not run during
    /// a pause. ``HTTPTimeouts/total`` and ``HTTPTimeouts/requestBody`` continue. A paused call can be canceled. The
    /// server may close a connection that stands still for long; for a pause of minutes, cancel a download and resume
    /// it later (``cancelProducingResumeData()``).
    public func pause() {
        if record.gate.set(.paused) { record.progress.recordPause(of: record.gate) }
    }

    /// Continues the transfer of content after ``pause()``; does nothing if the call is not paused.
    public func resume() {
        if record.gate.set(.running) { record.progress.recordPause(of: record.gate) }
    }

    /// Whether the transfer of content is paused.
    public var isPaused: Bool { record.gate.isPaused }

    // MARK: - Canceling

    /// Cancels the call, whether it waits or runs; does nothing if it is over.
    ///
    /// The client closes the connection if something was sent. The result is `.cancelled` unless the call already
    /// had a result. A download to a file removes its partial file.
    public func cancel() {
        task.cancel()
    }

    /// Cancels a download and returns the data for resuming it.
    ///
    /// - Returns: nil if the download cannot be resumed: it was complete, no bytes had arrived, or the server sent no
    ///   validator and you expect no digest (``HTTPDownloadOptions/expectedDigest``). See ``HTTPResumeData``.
    public func cancelProducingResumeData() async -> HTTPResumeData? {
        record.keepPartialFile()
        cancel()
        guard case .failure(let error) = await task.value else { return nil }
        return error.resumeData
    }

    // MARK: - Observing

    /// Calls `body` once, with the value or the error.
    ///
    /// - Parameters:
    ///   - executor: the executor of the callback. Default ``HTTPCallbackExecutor/inline``.
    ///   - token: a token for removing the observer. Default nil.
    ///   - body: the callback; it gets the result.
    /// - Returns: the call, for chaining.
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

    /// Calls `body` once with the complete response; does not call it if the call receives none.
    ///
    /// It calls `body` for any status, and also if the response cannot be parsed into the value.
    ///
    /// - Parameters:
    ///   - executor: the executor of the callback. Default ``HTTPCallbackExecutor/inline``.
    ///   - token: a token for removing the observer. Default nil.
    ///   - body: the callback; it gets the response.
    /// - Returns: the call, for chaining.
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

    /// Calls `body` when bytes were sent or received, and when the phase changes.
    ///
    /// The observer gets the progress of the upload, if the request has content, and of the download. The last progress
    /// of each direction has ``HTTPProgress/isFinal`` set. It is reported before the result, even if the call fails
    /// before it begins. A slow observer misses outdated progress, but never the last one.
    ///
    /// - Parameters:
    ///   - direction: the direction whose progress the observer gets, such as `.upload` for the bar of an upload.
    ///     Default nil: both.
    ///   - executor: the executor of the callback. Default ``HTTPCallbackExecutor/inline``.
    ///   - token: a token for removing the observer. Default nil.
    ///   - body: the callback; it gets the progress.
    /// - Returns: the call, for chaining.
    @discardableResult
    public func onProgress(
        of direction: HTTPProgress.Direction? = nil,
        on executor: HTTPCallbackExecutor = .inline,
        as token: HTTPObserverToken? = nil,
        _ body: @escaping @Sendable (HTTPProgress) -> Void
    ) -> HTTPCall {
        record.add(.progress, executor, token) { event in
            if case .progress(let progress) = event, progress.isOf(direction) { body(progress) }
        }
        return self
    }

    /// Calls `body` with each 1xx response as it arrives, such as 103 (Early Hints).
    ///
    ///     let call = client.start("https://example.com/").onInformational { head in
    ///         for link in head.earlyHints { print(link.target) }
    ///     }
    ///
    /// - Parameters:
    ///   - executor: the executor of the callback. Default ``HTTPCallbackExecutor/inline``.
    ///   - token: a token for removing the observer. Default nil.
    ///   - body: the callback; it gets the head.
    /// - Returns: the call, for chaining.
    @discardableResult
    public func onInformational(
        on executor: HTTPCallbackExecutor = .inline,
        as token: HTTPObserverToken? = nil,
        _ body: @escaping @Sendable (ResponseHead) -> Void
    ) -> HTTPCall {
        record.add(.informational, executor, token) { event in
            if case .informational(let head) = event { body(head) }
        }
        return self
    }

    /// Removes the observers with this token; they are not called again.
    ///
    /// An observer that is running on another thread at that moment finishes.
    public func removeObservers(_ token: HTTPObserverToken) {
        record.removeObservers(token)
    }

    /// The events of the call, as a sequence; each iteration begins with the past events.
    ///
    ///     for await event in call.events {
    ///         switch event {
    ///         case .running: bar.show()
    ///         case .informational(let head): print(head.status)
    ///         case .head(let head): print(head.status)
    ///         case .progress(let progress): bar.draw(progress)
    ///         case .response(let response): print(response.body.count)
    ///         case .result(let result): print(result)
    ///         }
    ///     }
    ///
    /// The sequence ends after `.result`, or when the iterating task is canceled, which does not cancel the call.
    /// A slow reader misses only outdated progress.
    public var events: Events { Events(record: record) }

    /// The sequence of the events of a call.
    public struct Events: AsyncSequence, Sendable {
        /// An event of the call.
        public typealias Element = Event
        /// The sequence does not fail.
        public typealias Failure = Never

        fileprivate let record: CallRecord<Value>

        /// Creates an iterator that begins with the past events.
        public func makeAsyncIterator() -> Iterator {
            Iterator(record)
        }

        /// An iterator over the events.
        public struct Iterator: AsyncIteratorProtocol {
            private let waiting: EventBuffer<Event>
            private var signals: AsyncStream<Void>.Iterator

            fileprivate init(_ record: CallRecord<Value>) {
                waiting = EventBuffer()
                signals = waiting.signals.makeAsyncIterator()
                record.add(waiting)
            }

            /// Returns the next event; nil after the last.
            public mutating func next() async -> Event? {
                await next(isolation: #isolation)
            }

            /// Returns the next event; nil after the last.
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
    /// The progress of the call, as a sequence; each iteration begins with the newest progress.
    ///
    ///     for await progress in call.progress {
    ///         print(progress.percentage ?? 0)
    ///     }
    ///
    /// A slow reader misses outdated progress, but never the last one of a direction. The sequence ends with the call,
    /// or when the iterating task is canceled, which does not cancel the call.
    public var progress: some AsyncSequence<HTTPProgress, Never> & Sendable {
        events.compactMap { event in
            if case .progress(let progress) = event { progress } else { nil }
        }
    }
}

extension HTTPCall: CustomReflectable {
    /// Nothing: the state of a call has its request and its response with their secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

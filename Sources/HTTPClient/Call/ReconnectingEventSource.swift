internal import SocketTransport
internal import Wire

/// The events of a server; it reconnects (WHATWG HTML §9.2).
final class ReconnectingEventSource: RecordSource, @unchecked Sendable {
    // `@unchecked Sendable`: only an admitted read uses the variables. Other threads use only `running`.
    private let core: ClientCore
    private let eventRequest: HTTPRequest
    private let options: HTTPEventOptions
    private var records: RecordBuffer<EventParser>
    private var reconnection: EventReconnection
    /// The end of the total timeout, which begins with the first request.
    private var deadline: Deadline?
    /// The total timeout; nil if there is none.
    private var total: Duration?
    private var stage = Stage.unconnected(after: .zero)
    private let running = Locked(Running())

    private enum Stage {
        /// The next request is sent after this delay.
        case unconnected(after: Duration)
        case connected(HTTPStreamedResponse)
        case ended
    }

    /// The operation that a cancellation ends.
    private struct Running: Sendable {
        var isCancelled = false
        var connecting: Task<HTTPStreamedResponse, any Error>?
        var response: HTTPStreamedResponse?
    }

    init(_ core: ClientCore, _ request: HTTPRequest, _ options: HTTPEventOptions) {
        self.core = core
        self.options = options
        eventRequest = request
        records = RecordBuffer(
            EventParser(maxLength: options.maxLength, lastEventID: options.lastEventID)
        )
        reconnection = EventReconnection(options, method: request.method)
    }

    var engine: Engine { core.engine }
    var request: (method: HTTPMethod, url: String) {
        (eventRequest.method, eventRequest.publicURL)
    }

    func parse(into batch: inout [HTTPServerSentEvent]) throws(HTTPError) {
        do throws(RecordFailure) {
            defer { if !batch.isEmpty { reconnection.received() } }
            try records.read(into: &batch)
        } catch {
            guard case .connected(let response) = stage else { return }
            end()
            throw response.bodySource.error(error)
        }
    }

    func fill() async throws(HTTPError) -> Bool {
        let failure: HTTPError?
        do throws(HTTPError) {
            switch stage {
            case .ended: return false
            case .unconnected(let delay):
                guard let response = try await connect(after: delay) else {
                    end()
                    return false
                }
                reconnection.connected(at: core.policies.shared.clock.now())
                stage = .connected(response)
                return true
            case .connected(let response):
                let chunk = try await response.bodySource.next()
                if !chunk.isEmpty {
                    records.append(chunk)
                    return true
                }
                failure = nil
            }
        } catch {
            failure = error
        }
        return try disconnect(failure)
    }

    func cancel() {
        let running = running.withLock { running in
            running.isCancelled = true
            return running
        }
        running.connecting?.cancel()
        running.response?.cancel()
    }

    /// Releases the response, so that ``HTTPClientConfiguration/unreadBodyPolicy`` applies to the rest.
    func finish() { end() }

    // MARK: - Connections

    /// Sends the request and checks the response; nil if the server wants no further requests.
    private func connect(after delay: Duration) async throws(HTTPError) -> HTTPStreamedResponse? {
        var request = try identified(eventRequest)
        let clock = core.policies.shared.clock
        let start = clock.now()
        let deadline = deadline ?? core.totalDeadline(of: request, from: start)
        if self.deadline == nil, deadline != .never {
            total = .nanoseconds(deadline.nanoseconds - start.nanoseconds)
        }
        self.deadline = deadline
        let begin = clock.now().advanced(by: delay)
        if deadline != .never {
            request.timeout = .nanoseconds(deadline.nanoseconds - begin.nanoseconds)
        }
        let isTooLate = begin >= deadline
        let pause = isTooLate ? .nanoseconds(deadline.nanoseconds - clock.now().nanoseconds) : delay
        guard !running.withLock({ $0.isCancelled }) else { throw canceledError() }
        let loop = core.engine.loop
        let task = Task(executorPreference: isConfined(to: loop) ? loop : nil) { [core, request] in
            if pause > .zero { try await clock.pause(pause) }
            guard !isTooLate else { throw HTTPError(.timedOut(.total), phase: .queue) }
            return try await core.stream(request)
        }
        let isCancelled = running.withLock { running in
            running.connecting = task
            return running.isCancelled
        }
        if isCancelled { task.cancel() }
        defer { running.withLock { $0.connecting = nil } }
        let response: HTTPStreamedResponse
        do {
            response = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch let error as HTTPError {
            // The timeout of the delay names no request yet, and the timeout of a request is what was left.
            let named =
                error.request.isEmpty
                ? error.naming(eventRequest.method, eventRequest.publicURL) : error
            guard error.kind == .timedOut(.total), let total else { throw named }
            throw named.changed { $0.detail = "timeouts.total is \(total.secondsText)" }
        } catch {
            throw canceledError()
        }
        let isLate = running.withLock { running in
            running.response = response
            return running.isCancelled
        }
        if isLate { response.cancel() }
        if response.status == .noContent { return nil }
        guard response.status == .ok else { throw await response.statusError(bodyLimit: 64 << 10) }
        guard response.contentType?.essence == "text/event-stream" else {
            let type = response.headers[.contentType]
            response.cancel()
            throw response.bodySource.error(.recordFailed(.notEventStream(contentType: type)))
        }
        return response
    }

    /// Returns the request with the fields of an event stream.
    private func identified(_ request: HTTPRequest) throws(HTTPError) -> HTTPRequest {
        var request = request
        if !request.headers.contains(.accept) { request.headers[.accept] = "text/event-stream" }
        if !request.headers.contains(.cacheControl) { request.headers[.cacheControl] = "no-cache" }
        let lastEventID = records.parser.lastEventID
        guard !lastEventID.isEmpty else { return request }
        guard lastEventID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw HTTPError(.recordFailed(.unsendableEventID), phase: .preparing)
                .naming(request.method, request.publicURL)
        }
        request.headers.replace("Last-Event-ID", with: Array(lastEventID.utf8))
        return request
    }

    /// Ends a connection, and prepares the next one; returns whether there is one.
    private func disconnect(_ failure: HTTPError?) throws(HTTPError) -> Bool {
        let parser = records.parser
        let clock = core.policies.shared.clock
        var reconnection = reconnection
        let action = core.policies.shared.random.withLock { random in
            reconnection.ended(
                failure,
                retryDelay: parser.retryDelay,
                at: clock.now(),
                &random
            )
        }
        self.reconnection = reconnection
        switch action {
        case .reconnect(let delay):
            // An event that the end of the connection has cut off is discarded.
            records = RecordBuffer(
                EventParser(maxLength: options.maxLength, lastEventID: parser.lastEventID)
            )
            stage = .unconnected(after: delay)
            return true
        case .end:
            end()
            return false
        case .fail(let error):
            end()
            throw error
        case .stop(let error):
            let kind = HTTPError.Kind.recordFailed(.tooManyReconnects(limit: options.maxReconnects))
            let failure = error?.changed { $0.kind = kind } ?? closedError(kind)
            end()
            throw failure.changed { $0.underlying = error }
        }
    }

    /// Returns the error of a cancellation between two connections.
    private func canceledError() -> HTTPError {
        HTTPError(CancellationError()).naming(eventRequest.method, eventRequest.publicURL)
    }

    /// Returns an error for a response that the server has ended.
    private func closedError(_ kind: HTTPError.Kind) -> HTTPError {
        if case .connected(let response) = stage { return response.bodySource.error(kind) }
        return HTTPError(kind, phase: .body).naming(request.method, request.url)
    }

    private func end() {
        stage = .ended
        records.end()
        running.withLock { $0.response = nil }
    }
}

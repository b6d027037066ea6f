internal import SocketTransport
internal import Wire

// Calls whose progress is observed.
extension ClientCore {
    /// Sends the request of an endpoint, records its events, and parses the response.
    @concurrent func run<Value>(
        _ endpoint: HTTPEndpoint<Value>,
        _ record: CallRecord<Value>
    ) async -> Result<Value, HTTPError> {
        do throws(HTTPError) {
            let transfer = Transfer(
                isStreamed: false,
                on: engine,
                observer: RecordedAttempts(record, policies)
            )
            let response = try await CallDriver(endpoint.sentRequest, self, transfer).run()
            await record.endSampling()
            record.notify(.response(response))
            return .success(try endpoint.parser.parse(response))
        } catch {
            return .failure(error)
        }
    }

    /// Sends a request, reports the progress of its upload, and returns when the head of the response has
    /// arrived.
    func stream(
        _ unencoded: HTTPRequest,
        onUpload notify: @escaping @Sendable (HTTPProgress) -> Void
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        let uploads = UploadProgress(notify)
        var request = unencoded
        request.encodeBody(with: configuration.settings.coders)
        let result: Result<HTTPStreamedResponse, HTTPError>
        do throws(HTTPError) {
            let transfer = Transfer(isStreamed: true, on: engine, observer: uploads)
            result = .success(try await CallDriver(request, self, transfer).runStreamed())
        } catch {
            result = .failure(error)
        }
        uploads.notifyLast(of: request, in: self)
        return try result.get()
    }
}

/// An observer that records the attempts of a call for its ``HTTPCall``.
struct RecordedAttempts<Value: Sendable>: AttemptObserver {
    private let record: CallRecord<Value>
    /// The policies that decide which head is final; nil to record no head and no download.
    private let policies: Policies?

    init(_ record: CallRecord<Value>, _ policies: Policies?) {
        self.record = record
        self.policies = policies
    }

    func attemptWillRun(_ attempt: Attempt, on engine: Engine) {
        record.begin()
        guard let policies else {
            return record.sample(ProgressSampler(attempt, on: engine, [.upload]))
        }
        attempt.onHead = { [record, weak attempt] head in
            if policies.isFinal(head.status, isForwarded: attempt?.forwarded != nil) {
                record.notifyOffLoop(.head(head))
            }
        }
        record.sample(ProgressSampler(attempt, on: engine))
    }

    func attemptDidRun(_ attempt: Attempt, on engine: Engine) async {
        // The attempt belongs to the caller again only when no sampler reads it on the loop.
        await record.pauseSampling()
    }

    func proxyChallengeIsFinal(_ head: ResponseHead) {
        if policies != nil { record.notify(.head(head)) }
    }
}

/// An observer that reports the progress of the upload of each attempt.
final class UploadProgress: AttemptObserver {
    private let notify: @Sendable (HTTPProgress) -> Void
    private let sampling = Locked<(sampler: ProgressSampler, task: Task<Void, Never>)?>(nil)
    /// The final progress of the last attempt.
    private let last = Locked<[HTTPProgress]>([])

    init(_ notify: @escaping @Sendable (HTTPProgress) -> Void) {
        self.notify = notify
    }

    func attemptWillRun(_ attempt: Attempt, on engine: Engine) {
        let sampler = ProgressSampler(attempt, on: engine, [.upload])
        let task = Task { [notify] in await sampler.run(notify) }
        sampling.withLock { $0 = (sampler, task) }
    }

    func attemptDidRun(_ attempt: Attempt, on engine: Engine) async {
        guard let (sampler, task) = sampling.withLock({ $0.take() }) else { return }
        task.cancel()
        await task.value
        // A server that responds early may still be receiving content, so the loop owns the attempt.
        let end = await onLoop(engine.loop) { .success(sampler.last()) }
        last.withLock { $0 = (try? end.get()) ?? [] }
    }

    /// Reports the final progress of the last attempt, or of a call that made none.
    func notifyLast(of request: HTTPRequest, in core: ClientCore) {
        let progress = last.withLock { $0 }
        if progress.isEmpty, let nothing = HTTPProgress.nothingSent(of: request, in: core) {
            notify(nothing)
        }
        for progress in progress { notify(progress) }
    }
}

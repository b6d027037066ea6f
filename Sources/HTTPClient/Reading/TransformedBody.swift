internal import SocketTransport
internal import Wire

/// A body that passes through stages as the caller reads it.
final class TransformedBody: Sendable {
    /// The body before the first stage.
    let source: ResponseBodySource
    /// Whether every stage delivers as many bytes as it gets.
    let keepsLength: Bool
    private let state: Locked<State>
    private let report = Locked(Report())

    private enum State: Sendable {
        case ready(OwnedPipeline)
        /// A read has taken the pipeline.
        case reading
        /// A read failed; the body has no further bytes.
        case failed
    }

    /// A pipeline that one read at a time takes out of the state.
    private struct OwnedPipeline: @unchecked Sendable {
        // Sendable: only the read that has taken it from the state uses it.
        let pipeline: BodyPipeline

        nonisolated(nonsending) func next(
            from source: ResponseBodySource
        ) async throws(BodyPipeline.Failure) -> [UInt8] {
            try await pipeline.next { () async throws(HTTPError) in
                try await source.next()
            } _: {
                source.trailers
            }
        }
    }

    /// What is known outside a read.
    private struct Report: Sendable {
        /// The number of bytes that the content decoder has returned; nil without a decoder.
        var decodedCount: Int?
        /// A callback for the end of reading.
        var handler: (@Sendable (HTTPMetrics, HTTPError?) -> Void)?
    }

    init(_ source: ResponseBodySource, through stages: [BodyStageFactory]) {
        self.source = source
        let pipeline = BodyPipeline(stages)
        keepsLength = pipeline.keepsLength
        state = Locked(.ready(OwnedPipeline(pipeline: pipeline)))
    }

    deinit {
        notifyEnd(nil)
    }

    /// The metrics of the source.
    ///
    /// The source cannot count decoded bytes if a stage decodes them.
    var metrics: HTTPMetrics {
        var metrics = source.metrics
        if let count = report.withLock(\.decodedCount) { metrics.recordDecodedBytes(count) }
        return metrics
    }

    /// Sets a closure to call once when the body was read to its end, failed or was abandoned.
    ///
    /// The end of the source is not the end of the body: the last stage can still fail.
    func onBodyEnd(
        of body: some EndingBody,
        _ handler: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void
    ) {
        report.withLock { $0.handler = handler }
        // Weak, because the source keeps the closure, and the body keeps the source.
        body.onBodyEnd { [weak self] _, error in
            if let error { self?.notifyEnd(error) }
        }
    }

    private func notifyEnd(_ error: HTTPError?) {
        let handler = report.withLock { $0.handler.take() }
        handler?(metrics, error)
    }

    /// Returns the next bytes; empty at the end of the body.
    ///
    /// - Throws: `.overlappingRead`; the errors of the source; once, the error of a stage, which also
    ///   ends the source.
    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        guard let owned = try take() else { return [] }
        do throws(BodyPipeline.Failure) {
            let chunk =
                owned.pipeline.mayBlock
                ? try await nextOnFileThread(owned) : try await owned.next(from: source)
            record(owned)
            if chunk.isEmpty { notifyEnd(nil) }
            return chunk
        } catch {
            record(owned, hasFailed: true)
            switch error {
            case .source(let error): throw error
            case .stage(let error): throw failure(error)
            }
        }
    }

    private func nextOnFileThread(
        _ owned: OwnedPipeline
    ) async throws(BodyPipeline.Failure) -> [UInt8] {
        typealias Chunk = Result<[UInt8], BodyPipeline.Failure>
        let result: Result<Chunk, HTTPError> = await onFileThread(source.engine.files) { [source] in
            do throws(BodyPipeline.Failure) {
                return .success(.success(try await owned.next(from: source)))
            } catch {
                return .success(.failure(error))
            }
        }
        // If no thread can be started, the disk must block this one.
        guard case .success(let chunk) = result else { return try await owned.next(from: source) }
        return try chunk.get()
    }

    /// Returns the pipeline after a read.
    private func record(_ owned: OwnedPipeline, hasFailed: Bool = false) {
        let count = owned.pipeline.decodedCount
        report.withLock { $0.decodedCount = count }
        state.withLock { $0 = hasFailed ? .failed : .ready(owned) }
    }

    /// Ends the source, and returns the error of the read.
    private func failure(_ error: BodyStageError) -> HTTPError {
        let error = HTTPError(
            error.kind,
            phase: .body,
            metrics: metrics,
            head: source.head,
            informational: source.informational,
            proxyHeads: source.proxyHeads,
            underlying: error.underlying
        ).naming(source.method, source.publicURL).carrying(source.coders)
        // Before the source ends with another error, because only the first one is reported.
        notifyEnd(error)
        source.cancel()
        return error
    }

    /// Takes the pipeline; nil after a failure.
    private func take() throws(HTTPError) -> OwnedPipeline? {
        let taken = state.withLock { state in
            defer { if case .ready = state { state = .reading } }
            return state
        }
        switch taken {
        case .ready(let owned): return owned
        case .failed: return nil
        case .reading:
            throw HTTPError(.invalidRequest(.overlappingRead), phase: .body)
                .naming(source.method, source.publicURL)
        }
    }
}

extension HTTPStreamedResponse {
    /// Returns a response whose body passes through stages.
    func passing(through stages: [BodyStageFactory]) -> HTTPStreamedResponse {
        HTTPStreamedResponse(self, body: .transformed(TransformedBody(bodySource, through: stages)))
    }
}

extension HTTPStreamedResponse {
    /// Returns a response whose unread body passes through a transformer as it is read.
    ///
    /// Do not read the original response afterwards: both share one read position.
    ///
    /// - Parameter transformer: the transformer in its initial state.
    /// - Returns: the same response with another body.
    public func transformingBody(_ transformer: some HTTPBodyTransformer) -> HTTPStreamedResponse {
        passing(through: [{ TransformerStage(transformer) }])
    }
}

internal import SocketTransport
internal import Wire

/// A body that passes through stages as the caller reads it.
final class TransformedBody: Sendable {
    /// The body before the first stage.
    let source: ResponseBodySource
    /// Whether every stage delivers as many bytes as it gets.
    let keepsLength: Bool
    private let state: Locked<State>

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
    }

    init(_ source: ResponseBodySource, through stages: [BodyStageFactory]) {
        self.source = source
        let pipeline = BodyPipeline(stages)
        keepsLength = pipeline.keepsLength
        state = Locked(.ready(OwnedPipeline(pipeline: pipeline)))
    }

    /// Returns the next bytes; empty at the end of the body.
    ///
    /// - Throws: `.overlappingRead`; the errors of the source; once, the error of a stage, which also
    ///   ends the source.
    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        guard let owned = try take() else { return [] }
        do throws(BodyPipeline.Failure) {
            let source = source
            let chunk = try await owned.pipeline.next {
                () async throws(HTTPError) in
                try await source.next()
            } _: {
                source.trailers
            }
            state.withLock { $0 = .ready(owned) }
            return chunk
        } catch {
            state.withLock { $0 = .failed }
            switch error {
            case .source(let error): throw error
            case .stage(let error): throw failure(error)
            }
        }
    }

    /// Ends the source, and returns the error of the read.
    private func failure(_ error: BodyStageError) -> HTTPError {
        source.cancel()
        return HTTPError(
            error.kind,
            phase: .body,
            metrics: source.metrics,
            head: source.head,
            informational: source.informational,
            proxyHeads: source.proxyHeads,
            underlying: error.underlying
        ).naming(source.method, source.publicURL).carrying(source.coders)
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
    /// Read the body of the returned response only; both share one position.
    ///
    /// - Parameter transformer: the transformer in its initial state.
    /// - Returns: the same response with another body.
    public func transformingBody(_ transformer: some HTTPBodyTransformer) -> HTTPStreamedResponse {
        passing(through: [{ TransformerStage(transformer) }])
    }
}

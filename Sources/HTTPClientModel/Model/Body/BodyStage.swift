internal import SocketTransport
internal import Wire

// To add a step between the received body and the caller, add a stage, as in this file; `TransformedBody` runs it for
// streams. The test is `HTTPBodyTransformerTests`.

/// A step that changes or checks the body of a response on its way to the caller.
package protocol BodyStage: AnyObject {
    /// Whether the output has as many bytes as the input.
    var keepsLength: Bool { get }

    /// Whether the stage is left out if a stage before it has failed.
    var needsValidBody: Bool { get }

    /// The number of bytes that a content decoder has returned; nil for other stages.
    var decodedCount: Int? { get }

    /// Whether the stage may wait for a disk, so that the body must be read on a thread for files.
    var mayBlock: Bool { get }

    /// Takes bytes of the body, and returns output; empty if there is none yet.
    func transform(_ chunk: [UInt8]) throws(BodyStageError) -> [UInt8]

    /// Returns further output of the bytes taken so far; empty if there is none, or as long as ``hasMore`` is true.
    ///
    /// It limits the memory of a stage whose output is much longer than its input.
    func more() throws(BodyStageError) -> [UInt8]

    /// Whether ``more()`` must be called again, although the output was empty.
    ///
    /// A stage stops like that after some work, so that its caller can look for a cancellation.
    var hasMore: Bool { get }

    /// Ends the body after all output was returned, and returns its last bytes.
    func finish(_ trailers: HTTPHeaders) throws(BodyStageError) -> [UInt8]
}

extension BodyStage {
    package var keepsLength: Bool { false }
    package var needsValidBody: Bool { false }
    package var decodedCount: Int? { nil }
    package var mayBlock: Bool { false }
    package var hasMore: Bool { false }

    package func more() throws(BodyStageError) -> [UInt8] { [] }
}

/// A closure that creates a stage for one body.
///
/// A response contains these and no stages, because a response can be copied.
package typealias BodyStageFactory = @Sendable () -> any BodyStage

/// The error of a stage.
package struct BodyStageError: Error {
    package let kind: HTTPError.Kind
    package let underlying: (any Error)?

    package init(_ kind: HTTPError.Kind) {
        self.kind = kind
        underlying = nil
    }

    /// Creates the error for an error that code of the caller threw.
    package init(thrown error: any Error) {
        if let error = error as? HTTPError {
            kind = error.kind
            underlying = error.underlying
        } else {
            kind = error is CancellationError ? .cancelled : .interceptorFailed(reason: "\(error)")
            underlying = error
        }
    }
}

/// A sequence of stages for one body.
///
/// It has no lock: one reader at a time uses it.
package final class BodyPipeline {
    private let stages: [any BodyStage]
    /// Whether the stage with the same index has taken its last chunk.
    private var hasEnded: [Bool]

    package init(_ factories: [BodyStageFactory]) {
        stages = factories.map { $0() }
        hasEnded = Array(repeating: false, count: stages.count)
    }

    /// Whether the output has as many bytes as the body.
    package var keepsLength: Bool { stages.allSatisfy(\.keepsLength) }

    /// The number of bytes that the content decoder has returned; nil if no stage decodes.
    package var decodedCount: Int? { stages.lazy.compactMap(\.decodedCount).first }

    /// Whether a stage may wait for a disk.
    package var mayBlock: Bool { stages.contains(where: \.mayBlock) }

    /// An error of the source, or of a stage.
    package enum Failure: Error {
        case source(HTTPError)
        case stage(BodyStageError)
    }

    /// Returns the next bytes, reading from the source only as needed; empty at the end of the body.
    ///
    /// - Parameters:
    ///   - source: the body before the first stage; returns an empty chunk at its end.
    ///   - trailers: returns the trailers of the body; called after its end.
    /// - Returns: the output of the last stage.
    /// - Throws: the error of the source or of a stage.
    package nonisolated(nonsending) func next(
        from source: nonisolated(nonsending) () async throws(HTTPError) -> [UInt8],
        _ trailers: () -> HTTPHeaders?
    ) async throws(Failure) -> [UInt8] {
        try await pull(stages.count - 1, source, trailers)
    }

    /// Returns the next output of a stage; empty after its end.
    private nonisolated(nonsending) func pull(
        _ index: Int,
        _ source: nonisolated(nonsending) () async throws(HTTPError) -> [UInt8],
        _ trailers: () -> HTTPHeaders?
    ) async throws(Failure) -> [UInt8] {
        guard index >= 0 else {
            do {
                return try await source()
            } catch {
                throw .source(error)
            }
        }
        guard !hasEnded[index] else { return [] }
        let stage = stages[index]
        var output = try checked { () throws(BodyStageError) in try stage.more() }
        while output.isEmpty {
            if stage.hasMore {
                await Task.yield()
                output = try checked { () throws(BodyStageError) in
                    guard !Task.isCancelled else { throw BodyStageError(.cancelled) }
                    return try stage.more()
                }
                continue
            }
            let chunk = try await pull(index - 1, source, trailers)
            output = try checked { () throws(BodyStageError) in
                guard chunk.isEmpty else { return try stage.transform(chunk) }
                hasEnded[index] = true
                return try stage.finish(trailers() ?? HTTPHeaders())
            }
            if hasEnded[index] { break }
        }
        return output
    }

    private func checked(
        _ step: () throws(BodyStageError) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        do {
            return try step()
        } catch {
            throw .stage(error)
        }
    }

    /// Passes a complete body through all stages.
    ///
    /// Every stage gets the whole output of the stage before it, even if that one has failed at its
    /// end. So the error of a digest comes with the decoded body.
    ///
    /// - Parameters:
    ///   - body: the body, which is replaced by the output.
    ///   - trailers: the trailers of the body.
    ///   - limit: the maximum length of the output in bytes.
    ///   - deadline: the end of the call.
    /// - Throws: the first error of a stage; `.bodyTooLarge`; `.timedOut` after the deadline; `.cancelled`.
    package func apply(
        to body: inout [UInt8],
        _ trailers: HTTPHeaders,
        upTo limit: Int,
        until deadline: Deadline
    ) throws(BodyStageError) {
        var failure: BodyStageError?
        for stage in stages where failure == nil || !stage.needsValidBody {
            var output: [UInt8] = []
            do throws(BodyStageError) {
                if !body.isEmpty { output = try stage.transform(body) }
                while output.count <= limit {
                    let more = try stage.more()
                    if more.isEmpty, !stage.hasMore { break }
                    output += more
                    guard !Task.isCancelled else { throw BodyStageError(.cancelled) }
                    guard deadline == .never || .now() < deadline else {
                        throw BodyStageError(.timedOut(.total))
                    }
                }
                if output.count > limit {
                    output.removeLast(output.count - limit)
                    throw BodyStageError(.bodyTooLarge(limit: limit))
                }
                output += try stage.finish(trailers)
            } catch {
                failure = failure ?? error
            }
            body = output
        }
        if let failure { throw failure }
    }
}

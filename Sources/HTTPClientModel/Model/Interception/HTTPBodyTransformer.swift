internal import Wire

/// A transformation of the bytes of a response body on their way to the caller.
///
///     struct Unmasking: HTTPBodyTransformer {
///         let key: UInt8
///
///         mutating func transform(_ chunk: [UInt8]) -> [UInt8] { chunk.map { $0 ^ key } }
///     }
///
///     configuration.transformers = [
///         HTTPResponseTransformer { response, _ in
///             try response.transformBody(Unmasking(key: 7))
///         }
///     ]
///
/// The body of a streamed response is transformed as the caller reads it, so back-pressure reaches
/// the server. A collected body is transformed at once, as one chunk.
///
/// A transformer is a value with the state of one body. An ``HTTPError`` that it throws ends the body
/// unchanged; any other error ends it as `.interceptorFailed`, with the error in
/// ``HTTPError/underlying``. The client then closes the connection.
public protocol HTTPBodyTransformer: Sendable {
    /// Transforms the next bytes of the body.
    ///
    /// - Parameter chunk: bytes as they arrived, after content decoding; never empty.
    /// - Returns: the bytes to deliver; empty if the transformer needs more input first.
    /// - Throws: any error, which ends the body.
    mutating func transform(_ chunk: [UInt8]) throws -> [UInt8]

    /// Ends the body, which was received completely.
    ///
    /// - Returns: the last bytes to deliver. By default none.
    /// - Throws: any error, such as for an incomplete format.
    mutating func finish() throws -> [UInt8]
}

extension HTTPBodyTransformer {
    /// Adds no bytes.
    public mutating func finish() throws -> [UInt8] { [] }
}

extension HTTPResponse {
    /// Passes the body through a transformer: a collected one at once, a streamed one as it is read.
    ///
    /// Several transformers apply in the order of these calls. Content-Length and other fields of the
    /// head stay as they are.
    ///
    /// - Parameter transformer: the transformer in its initial state.
    /// - Throws: for a collected body, the errors of the transformer. Those of a streamed body end the
    ///   stream.
    public mutating func transformBody(_ transformer: some HTTPBodyTransformer) throws {
        guard !isStreamed else {
            bodyStages.append { TransformerStage(transformer) }
            return
        }
        var transformer = transformer
        let input = body
        let output = input.isEmpty ? [] : try transformer.transform(input)
        body = try output + transformer.finish()
    }
}

/// A stage that runs a transformer of the caller.
package final class TransformerStage: BodyStage {
    private var transformer: any HTTPBodyTransformer

    package init(_ transformer: some HTTPBodyTransformer) { self.transformer = transformer }

    package func transform(_ chunk: [UInt8]) throws(BodyStageError) -> [UInt8] {
        do {
            return try transformer.transform(chunk)
        } catch {
            throw BodyStageError(thrown: error)
        }
    }

    package func finish(_ trailers: HTTPHeaders) throws(BodyStageError) -> [UInt8] {
        do {
            return try transformer.finish()
        } catch {
            throw BodyStageError(thrown: error)
        }
    }
}

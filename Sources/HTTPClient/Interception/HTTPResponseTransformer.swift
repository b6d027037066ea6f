/// Changes responses before validators see them.
public struct HTTPResponseTransformer: Sendable {
    let transform: @Sendable (inout HTTPResponse, HTTPRequest) async throws -> Void

    /// Makes a transformer.
    ///
    /// - Parameter transform: gets the response, and the request that it answers. What it throws ends the
    ///   call: an ``HTTPError`` as it is, all else as `.interceptorFailed`.
    public init(
        _ transform: @escaping @Sendable (inout HTTPResponse, HTTPRequest) async throws -> Void
    ) {
        self.transform = transform
    }
}

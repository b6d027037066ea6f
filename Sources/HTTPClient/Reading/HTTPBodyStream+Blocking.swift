extension HTTPBodyStream {
    /// The functions of the stream that block the calling thread, for threads that run no Swift task.
    ///
    ///     while let chunk = try part.body.blocking.next() { count += chunk.count }
    ///
    /// For the body of a whole response, ``HTTPStreamedResponse/blocking`` has the same functions.
    public var blocking: Blocking { Blocking(stream: self) }

    /// The functions of a body stream for threads that run no Swift task.
    ///
    /// Each function blocks the calling thread. It throws `.invalidRequest(.blockingInsideTask)` inside a
    /// Swift task and on the client's event loop.
    public struct Blocking: Sendable {
        fileprivate let stream: HTTPBodyStream

        /// Returns the next chunk, or nil at the end of the body.
        ///
        /// - Throws: the error that ended the body early, once; the connection is closed.
        public func next() throws(HTTPError) -> [UInt8]? {
            try wait { stream async throws(HTTPError) in
                var chunks = stream.makeAsyncIterator()
                return try await chunks.next()
            }
        }

        /// Collects the unread rest of the body, as ``HTTPBodyStream/collect(upTo:)`` does.
        ///
        /// - Parameter limit: the maximum number of bytes to collect. Default 10 MiB.
        /// - Returns: all bytes that had not been read before.
        /// - Throws: `.bodyTooLarge` beyond the limit, with the bytes collected so far; any error of
        ///   reading.
        public func collect(upTo limit: Int = 10 << 20) throws(HTTPError) -> [UInt8] {
            try wait { stream async throws(HTTPError) in
                try await stream.collect(upTo: limit)
            }
        }

        private func wait<Value: Sendable>(
            _ operation: @escaping @Sendable (HTTPBodyStream) async throws(HTTPError) -> Value
        ) throws(HTTPError) -> Value {
            let source = stream.bodySource
            return try source.engine.wait(naming: (source.method, source.publicURL)) { [stream] in
                do throws(HTTPError) {
                    return .success(try await operation(stream))
                } catch {
                    return .failure(error)
                }
            }
        }
    }
}

extension HTTPStreamedResponse {
    /// The functions of the response that block the calling thread, for threads that run no Swift task.
    ///
    ///     while let chunk = try response.blocking.next() { count += chunk.count }
    ///
    /// It shares its position in the body with ``body``.
    public var blocking: Blocking { Blocking(response: self) }

    /// The functions of a streamed response for threads that run no Swift task.
    ///
    /// Each function blocks the calling thread. It throws `.invalidRequest(.blockingInsideTask)` inside a Swift
    /// task and on the client's event loop. To end a function that blocks another thread, call
    /// ``HTTPStreamedResponse/cancel()``.
    public struct Blocking: Sendable {
        fileprivate let response: HTTPStreamedResponse

        /// Returns the next chunk of the body, 1 byte to 512 KiB; nil at the end of the body.
        ///
        /// - Throws: the error that ended the body early, once; the connection is closed.
        public func next() throws(HTTPError) -> [UInt8]? {
            try wait { response async throws(HTTPError) in
                let chunk = try await response.bodySource.next()
                return chunk.isEmpty ? nil : chunk
            }
        }

        /// Collects the unread rest of the body, as ``HTTPBodyStream/collect(upTo:)`` does.
        ///
        /// - Parameter limit: the maximum number of bytes to collect. Default 10 MiB.
        /// - Returns: all bytes that had not been read before.
        /// - Throws: `.bodyTooLarge` beyond the limit, with the bytes collected so far; any error of
        ///   reading.
        public func collect(upTo limit: Int = 10 << 20) throws(HTTPError) -> [UInt8] {
            try wait { response async throws(HTTPError) in
                try await response.body.collect(upTo: limit)
            }
        }

        /// Returns the response itself if its status is 2xx, as
        /// ``HTTPStreamedResponse/requireSuccess(bodyLimit:)`` does.
        ///
        /// - Parameter limit: the maximum number of bytes of an error body that the error contains. Default 64 KiB.
        /// - Returns: the response, with the body unread.
        /// - Throws: `.rejectedStatus` for any other status.
        @discardableResult
        public func requireSuccess(
            bodyLimit limit: Int = 64 << 10
        ) throws(HTTPError) -> HTTPStreamedResponse {
            try wait { response async throws(HTTPError) in
                try await response.requireSuccess(bodyLimit: limit)
            }
        }

        /// Writes the unread rest of the body into a file, as ``HTTPStreamedResponse/write(to:)`` does.
        ///
        /// - Parameter path: the path of the file; its directory must exist.
        /// - Returns: the complete file.
        /// - Throws: any error of reading the body; `.fileFailed`.
        @discardableResult
        public func write(to path: some HTTPFilePath) throws(HTTPError) -> HTTPDownloadedFile {
            let path = try path.httpFilePath
            return try wait { response async throws(HTTPError) in
                try await response.write(to: path)
            }
        }

        /// Writes the unread rest of the body to an open descriptor, as
        /// ``HTTPStreamedResponse/write(toDescriptor:)`` does.
        ///
        /// - Parameter descriptor: a descriptor that is open for writing and stays open.
        /// - Returns: the number of bytes written.
        /// - Throws: `.descriptorFailed`; any error of reading the body.
        @discardableResult
        public func write(toDescriptor descriptor: Int32) throws(HTTPError) -> Int {
            try wait { response async throws(HTTPError) in
                try await response.write(toDescriptor: descriptor)
            }
        }

        private func wait<Value: Sendable>(
            _ operation:
                @escaping @Sendable (HTTPStreamedResponse) async throws(HTTPError) -> Value
        ) throws(HTTPError) -> Value {
            let source = response.bodySource
            return try source.engine.wait(naming: (source.method, source.publicURL)) { [response] in
                do throws(HTTPError) {
                    return .success(try await operation(response))
                } catch {
                    return .failure(error)
                }
            }
        }
    }
}

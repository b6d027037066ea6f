internal import SocketTransport

extension HTTPStreamedResponse {
    /// Writes the unread rest of the body to an open descriptor, such as standard output.
    ///
    ///     let response = try await client.stream("https://example.com/export.tar").requireSuccess()
    ///     let count = try await response.write(toDescriptor: STDOUT_FILENO)
    ///
    /// The descriptor refers to a file, a pipe, a socket or a device. The bytes are written at its current position,
    /// in as many parts as necessary. On a connection without TLS, the kernel moves a large body that nothing
    /// has to look at (splice(2)); other bodies go through one buffer. The client reads at most 1 MiB before it has
    /// written the bytes read earlier.
    ///
    /// The client neither closes, truncates nor synchronizes the descriptor, and does not change its flags. It
    /// may be non-blocking. While the reader of a pipe or a socket pauses, only this function waits: it occupies
    /// neither the event loop nor the threads of downloads. Canceling the task, ``cancel()`` and
    /// ``HTTPTimeouts/total`` also end that wait.
    ///
    /// Bytes that arrived before an error are written. After any error, the connection is closed and the rest of
    /// the body is lost. The status is not checked; see ``requireSuccess(bodyLimit:)``. For a file that never has
    /// an incomplete content, use ``write(to:)``.
    ///
    /// - Parameter descriptor: a descriptor that is open for writing. It must stay open until the function returns.
    /// - Returns: the number of bytes written.
    /// - Throws: ``HTTPError/Kind/descriptorFailed(errno:written:)`` with the number of bytes written before, for
    ///   example with `ENOSPC` for a full disk, `EPIPE` if the reader of a pipe or the peer of a socket has closed
    ///   it (without the signal SIGPIPE), or `EBADF`; any error of reading the body.
    @discardableResult
    public func write(toDescriptor descriptor: Int32) async throws(HTTPError) -> Int {
        let output: OutputDescriptor
        do throws(Errno) {
            output = try OutputDescriptor(descriptor)
        } catch {
            throw end(after: bodySource.error(.descriptorFailed(errno: error.rawValue, written: 0)))
        }
        // A reader may never read again. The transfer therefore gets a separate thread, which ends with it. It does
        // not end before: without descriptors for another one, SIGPIPE would not be blocked.
        let own = output.kind == .file ? nil : FileThreads(idleTime: -1)
        defer { own?.stop() }
        let result = await onFileThread(own ?? bodySource.engine.files) {
            await self.written(to: output)
        }
        return try result.get()
    }

    private nonisolated(nonsending) func written(
        to output: OutputDescriptor
    ) async -> Result<Int, HTTPError> {
        let transfer = FileTransfer(isInspected: !output.takesPipes)
        do throws(HTTPError) {
            while case .bytes = try await next(into: transfer) {
                do throws(Errno) {
                    try transfer.write { pipe throws(Errno) in
                        try output.write(pipe) { endOfWait != nil }
                    } orBytes: { bytes throws(Errno) in
                        try output.write(bytes) { endOfWait != nil }
                    }
                } catch {
                    throw bodySource.error(
                        (error == .cancelled ? endOfWait : nil)
                            ?? .descriptorFailed(errno: error.rawValue, written: output.written)
                    )
                }
            }
            return .success(output.written)
        } catch {
            return .failure(end(after: error))
        }
    }

    /// Why a wait for the reader of a descriptor has to end; nil if it may go on.
    private var endOfWait: HTTPError.Kind? {
        let received = bodySource.received
        if Task.isCancelled || received?.isCancelled == true { return .cancelled }
        guard let received, received.attempt.limits.totalDeadline <= .now() else { return nil }
        return .timedOut(.total)
    }

    /// Closes the connection of a body whose bytes are lost, and returns the error.
    private func end(after error: HTTPError) -> HTTPError {
        cancel()
        return error
    }
}

internal import SocketTransport

extension HTTPStreamedResponse {
    /// Reads the next bytes of the body for a file: at least one, or the end.
    ///
    /// Without TLS, a body that nothing has to look at goes from the socket into a pipe inside the
    /// kernel (splice(2)). Chunked, coded, transformed and verified bodies, and those of TLS, go
    /// through one buffer. In both cases, at most 1 MiB is on its way: the connection is read only
    /// when the caller asks for more. A stored response in a file is copied from there in steps of 16 MiB.
    ///
    /// Call it on a thread that may wait for a disk, such as ``Engine/files``, and write the bytes
    /// there. It waits for the event loop, but never blocks it. The time in which the caller writes
    /// counts for no timeout of the peer.
    ///
    /// - Parameters:
    ///   - transfer: the buffers; all bytes of the step before must have been written.
    ///   - limit: the maximum number of bytes from a server. Default: the size of the buffers, or 256 KiB
    ///     if the client has more transfers than threads for files.
    /// - Returns: whether there are bytes.
    /// - Throws: any error of reading the body, after the bytes before it.
    package nonisolated(nonsending) func next(
        into transfer: FileTransfer,
        atMost limit: Int = .max
    ) async throws(HTTPError) -> FileTransfer.Batch {
        if case .streaming(let body) = bodySource {
            return try await body.next(into: transfer, atMost: limit)
        }
        transfer.clear()
        if transfer.takesExtents, case .buffered(let body) = bodySource {
            transfer.extent = try body.nextExtent()
            if transfer.extent != nil { return .bytes }
        }
        transfer.bytes = try await bodySource.next()
        return transfer.bytes.isEmpty ? .end : .bytes
    }

    /// Writes the unread rest of the body into an empty file; call on a file thread.
    ///
    /// - Returns: the number of bytes.
    /// - Throws: any error of reading the body; the error that `failure` returns for one of the file.
    nonisolated(nonsending) func fill(
        _ file: OutputFile,
        _ failure: (Errno) -> HTTPError
    ) async throws(HTTPError) -> Int {
        let transfer = FileTransfer(takesExtents: true)
        var size = 0
        while case .bytes = try await next(into: transfer) {
            let count = transfer.count
            if let extent = transfer.extent {
                do throws(FileExtent.CopyError) {
                    try file.write(extent, at: size)
                } catch {
                    switch error {
                    case .source(let error):
                        let reason = error.description
                        throw bodySource.error(
                            .fileFailed(path: extent.path, .read, reason: reason)
                        )
                    case .target(let error): throw failure(error)
                    }
                }
            } else {
                do throws(Errno) {
                    try transfer.write { pipe throws(Errno) in
                        try file.write(pipe, at: size)
                    } orBytes: { bytes throws(Errno) in
                        try file.write(bytes, at: size)
                    }
                } catch {
                    throw failure(error)
                }
            }
            size += count
        }
        return size
    }
}

extension StreamingBody {
    /// Reads the next bytes on the loop, from any thread; a task cancellation reaches the socket.
    fileprivate nonisolated(nonsending) func next(
        into transfer: FileTransfer,
        atMost limit: Int
    ) async throws(HTTPError) -> FileTransfer.Batch {
        let loop = engine.loop
        let attempt = attempt
        let sharesThreads = transfer.sharesThreads(with: engine.fileTransfers)
        let step = sharesThreads ? FileTransfer.sharedStep : TransferPipe.defaultCapacity
        let limit = min(limit, step)
        // A thread that other transfers wait for is given back after each step.
        if !sharesThreads, !Task.isCancelled {
            var (transfer, hasBytes) = (transfer, false)
            _ = loop.runInline { hasBytes = readArrived(into: &transfer, atMost: limit) }
            if hasBytes { return .bytes }
        }
        let result = await withTaskCancellationHandler {
            await onLoop(loop) { await self.result(into: transfer, atMost: limit) }
        } onCancel: {
            attempt.cancel(on: loop)
        }
        return try result.get()
    }

    private nonisolated(nonsending) func result(
        into transfer: FileTransfer,
        atMost limit: Int
    ) async -> Result<FileTransfer.Batch, HTTPError> {
        do throws(HTTPError) {
            var transfer = transfer
            transfer.clear()
            try await read(into: &transfer, atMost: limit)
            return .success(transfer.count > 0 ? .bytes : .end)
        } catch {
            return .failure(error)
        }
    }
}

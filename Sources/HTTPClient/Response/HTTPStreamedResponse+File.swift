internal import SocketTransport

extension HTTPStreamedResponse {
    /// Writes what is left of the body into a file.
    ///
    ///     let report = try await client.stream("https://example.com/report").requireSuccess()
    ///     let file = try await report.write(to: "/tmp/\(report.suggestedFileName ?? "report")")
    ///
    /// The bytes go into a hidden file beside the target, which takes the target's place when it is
    /// complete: nobody ever sees half a file, and one that was there before stays until then. When
    /// it fails, or the task is cancelled, nothing is left. Partial files of the same target that
    /// killed processes have left behind are removed.
    ///
    /// A target that is a device, a pipe or a socket is refused: `.fileFailed` with
    /// ``HTTPFileOperation/replace``.
    ///
    /// The status does not matter; see ``requireSuccess(bodyLimit:)``. What was read of the body before
    /// is not in the file. To be able to go on after a failure, download the file instead
    /// (``HTTPClient/download(_:to:resuming:onFailure:)``).
    ///
    /// - Parameter path: where the file is to be; its directory must exist.
    /// - Returns: the file, which is complete.
    /// - Throws: what reading the body throws; `.fileFailed`.
    @discardableResult
    public func write(to path: String) async throws(HTTPError) -> HTTPDownloadedFile {
        // On the thread for files: the loop must not wait for a disk, nor one of Swift's pool.
        let result = await onLoop(bodySource.engine.files) { await self.written(to: path) }
        return try result.get()
    }

    /// On the thread for files.
    private nonisolated(nonsending) func written(
        to path: String
    ) async -> Result<HTTPDownloadedFile, HTTPError> {
        let file: OutputFile
        do throws(OutputFile.OutputError) {
            file = try OutputFile.create(beside: path)
        } catch {
            return .failure(fault(error == .notRegularFile ? .replace : .create, path, error))
        }
        OutputFile.removeLeftovers(beside: path)
        do throws(HTTPError) {
            let size = try await fill(file)
            do throws(OutputFile.OutputError) {
                try file.move(to: path)
            } catch {
                throw fault(error == .notRegularFile ? .replace : .rename, path, error)
            }
            return .success(
                HTTPDownloadedFile(
                    path: path,
                    size: size,
                    resumedOffset: 0,
                    head: head,
                    url: url,
                    metrics: metrics
                )
            )
        } catch {
            // The first fault is the one to tell; that a file is left behind follows from it.
            try? file.remove()
            return .failure(error)
        }
    }

    private nonisolated(nonsending) func fill(_ file: OutputFile) async throws(HTTPError) -> Int {
        var size = 0
        var body = body.makeAsyncIterator()
        while let chunk = try await body.next() {
            do throws(Errno) {
                try file.write(chunk, at: size)
            } catch {
                throw fault(.write, file.path, .system(error))
            }
            size += chunk.count
        }
        return size
    }

    private func fault(
        _ step: HTTPFileOperation,
        _ path: String,
        _ fault: OutputFile.OutputError
    ) -> HTTPError {
        HTTPError(
            .fileFailed(path: path, step, reason: fault.description),
            phase: .body,
            metrics: metrics,
            head: head
        ).naming(bodySource.method, bodySource.publicURL)
    }
}

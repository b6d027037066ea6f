internal import HTTPClient

// Downloads of `--resume` and `--segments`, which the library writes to the file.
extension Transfer {
    /// Downloads to a file, and with a journal continues the bytes of an earlier run.
    mutating func download(_ request: HTTPRequest, to path: String) async throws(FetchError) {
        do {
            if settings.createsDirectories { try SystemFile.makeDirectories(for: path) }
        } catch {
            throw FetchError(.writeFailed, "Failed to open the file \(path): \(error.reason)")
        }
        var options = HTTPDownloadOptions.resume
        if !settings.hasJournal {
            // As without --segments: nothing to continue, and no wait for the disk.
            options.journal = .off
            options.failureAction = .removePartialFile
            options.syncPolicy = settings.synchronizes ? .beforeRename : .never
        }
        options.segments = settings.segments ?? .off
        options.maxSize = settings.maxFileSize
        let call = client.startDownload(request, to: path, options: options)
        let result = await withTaskCancellationHandler {
            await call.result
        } onCancel: {
            call.cancel()
        }
        switch result {
        case .success(let file):
            let recorded = settings.headRecorder.takeRecord()
            record.head = file.head
            if let last = recorded.redirects.last { record.effectiveURL = last.location.text }
            record.redirects = recorded.redirects.count
            record.headBytes = recorded.heads.reduce(0) { $0 + $1.rawBytes.count }
            record.downloadedBytes = file.size - file.resumedOffset
            recordMetrics(file.metrics)
            try writeHeads(recorded.heads, alsoToDestination: false)
            if file.resumedOffset > 0 {
                console.info("Resumed after \(file.resumedOffset) bytes of an earlier run")
            }
        case .failure(let error):
            let failure = failure(error)
            try writeHeads(recordFailure(to: error), alsoToDestination: false)
            throw failure
        }
    }
}

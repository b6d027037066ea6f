public import Wire

/// A completely downloaded file.
public struct HTTPDownloadedFile: Sendable {
    /// The path of the file.
    public let path: String

    /// The size of the file in bytes.
    public let size: Int

    /// The number of bytes that an earlier call had downloaded; 0 if the download was not resumed.
    ///
    /// A download starts over if the resource has changed, or if the partial bytes are gone.
    public let resumedOffset: Int

    /// The head of the response with the last bytes.
    ///
    /// Its status is 416 if the file turned out to be complete already.
    public let head: ResponseHead

    /// The requested URL.
    public let url: URI

    /// The metrics of the call: the times of its steps, and its connections.
    public let metrics: HTTPMetrics
}

/// The handling of received bytes when a download fails.
public enum HTTPDownloadFailureAction: Sendable, Hashable {
    /// Keeps the bytes in a hidden file next to the target if the download can be resumed
    /// (``HTTPError/resumeData``); otherwise deletes them.
    ///
    /// A later download of the same target deletes the file unless it resumes it.
    case keepPartialFile
    /// Deletes the bytes.
    ///
    /// Bytes of an earlier call are kept if no response has continued or replaced them.
    case removePartialFile
}

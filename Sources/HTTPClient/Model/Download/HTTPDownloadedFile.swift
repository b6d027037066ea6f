public import Wire

/// Tells of a file that was downloaded whole.
public struct HTTPDownloadedFile: Sendable {
    /// Where it is.
    public let path: String

    /// Its bytes.
    public let size: Int

    /// Bytes that were there before this call; 0 when the download began anew.
    ///
    /// A download that was to be continued begins anew when the resource has changed, or the bytes
    /// are gone.
    public let resumedOffset: Int

    /// The head of the response that the last bytes came with.
    ///
    /// Of a file that turned out to be complete already its status is 416.
    public let head: ResponseHead

    /// The URL that was asked.
    public let url: URI

    /// When each step ended, and on which connection.
    public let metrics: HTTPMetrics
}

/// Says what becomes of the bytes of a download that fails.
public enum HTTPDownloadFailureAction: Sendable, Hashable {
    /// They are kept in a hidden file beside the target if the download can be continued with them
    /// (``HTTPError/resumeData``); else they are deleted. A later download of the same target removes
    /// the file if it does not resume it.
    case keepPartialFile
    /// They are deleted. Bytes of an earlier call stay if no response has continued or replaced them.
    case removePartialFile
}

/// The options of a download to a file.
///
///     try await client.download(url, to: path, options: .resuming(error.resumeData))
///     try await client.download(url, to: path, options: HTTPDownloadOptions(failureAction: .removePartialFile))
public struct HTTPDownloadOptions: Sendable {
    /// The download to resume, which must have the same URL and the same target.
    ///
    /// Default nil: the download starts from the beginning.
    public var resumeData: HTTPResumeData?

    /// The handling of received bytes when the call fails.
    ///
    /// Default ``HTTPDownloadFailureAction/keepPartialFile``.
    public var failureAction: HTTPDownloadFailureAction

    /// Creates options.
    ///
    /// - Parameters:
    ///   - resumeData: the download to resume. Default nil: none.
    ///   - failureAction: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadFailureAction/keepPartialFile``.
    public init(
        resumeData: HTTPResumeData? = nil,
        failureAction: HTTPDownloadFailureAction = .keepPartialFile
    ) {
        self.resumeData = resumeData
        self.failureAction = failureAction
    }

    /// Returns options that resume a download, such as ``HTTPError/resumeData``; nil starts from the beginning.
    public static func resuming(_ data: HTTPResumeData?) -> HTTPDownloadOptions {
        HTTPDownloadOptions(resumeData: data)
    }
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

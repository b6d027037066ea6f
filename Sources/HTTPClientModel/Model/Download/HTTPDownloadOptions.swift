// To add an option, add it here, and read it in `DownloadWriter` or `FileDownload`. The test is `DownloadOptionsTests`.

/// The options of a download to a file.
///
///     try await client.download(url, to: path, options: .resume)
///     try await client.download(url, to: path, options: HTTPDownloadOptions(syncPolicy: .never))
public struct HTTPDownloadOptions: Sendable {
    /// Whether the download has a journal, so that a later call or process continues it by itself.
    ///
    /// Default ``HTTPDownloadOptions/Journal/off``.
    public var journal: Journal

    /// The download to resume, which must have the same URL and the same target.
    ///
    /// Default nil: the download starts from the beginning, or where its ``journal`` ends. A download with
    /// resume data has no journal, unless the data come from a download with one.
    public var resumeData: HTTPResumeData?

    /// The handling of received bytes when the call fails.
    ///
    /// Default ``HTTPDownloadOptions/FailureAction/keepPartialFile``.
    public var failureAction: FailureAction

    /// Whether the file must survive a power failure when the call returns.
    ///
    /// Default ``HTTPDownloadOptions/SyncPolicy/beforeRename``, because the caller may delete the original.
    public var syncPolicy: SyncPolicy

    /// Whether the path is that of the file, or of a directory in which the server names the file.
    ///
    /// Default ``HTTPDownloadOptions/Naming/path``, because a name from a server should be a decision.
    public var naming: Naming

    /// The handling of a file that has the name of the target already.
    ///
    /// Default ``HTTPDownloadOptions/ExistingFilePolicy/replace``.
    public var existingFile: ExistingFilePolicy

    /// Whether disk space is reserved when the server has announced the size.
    ///
    /// Default ``HTTPDownloadOptions/Preallocation/off``, because any server can announce any size.
    public var preallocation: Preallocation

    /// The maximum size of the file in bytes; nil sets no limit.
    ///
    /// A larger file fails with ``HTTPError/Kind/fileTooLarge(limit:)``: before its body is read, if the
    /// server announces the size. Default nil, because the caller may want all of a large file.
    public var maxSize: Int?

    /// The digest that the complete file must have; nil means any.
    ///
    /// The client hashes the bytes as they arrive, and those of a resumed file when it is continued. A
    /// difference is ``HTTPError/Kind/digestMismatch(expected:received:)``, and the target is not changed.
    /// Default nil: ``HTTPRequest/expectedDigest``, unless the request has its own Range.
    public var expectedDigest: HTTPDigest?

    /// The number of connections that download parts of the file at the same time.
    ///
    /// Default ``HTTPDownloadOptions/Segments/off``, because most files are small, and servers dislike clients with
    /// many connections.
    public var segments: Segments

    /// Creates options.
    ///
    /// - Parameters:
    ///   - journal: whether the download has a journal. Default ``HTTPDownloadOptions/Journal/off``.
    ///   - resumeData: the download to resume. Default nil: none.
    ///   - failureAction: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadOptions/FailureAction/keepPartialFile``.
    ///   - syncPolicy: whether the file must survive a power failure. Default
    ///     ``HTTPDownloadOptions/SyncPolicy/beforeRename``.
    ///   - naming: whether the path names the file or its directory. Default
    ///     ``HTTPDownloadOptions/Naming/path``.
    ///   - existingFile: the handling of an existing target. Default
    ///     ``HTTPDownloadOptions/ExistingFilePolicy/replace``.
    ///   - preallocation: whether disk space is reserved. Default ``HTTPDownloadOptions/Preallocation/off``.
    ///   - maxSize: the maximum size of the file in bytes. Default nil: no limit.
    ///   - expectedDigest: the digest of the complete file. Default nil: that of the request.
    ///   - segments: the number of connections. Default ``HTTPDownloadOptions/Segments/off``.
    public init(
        journal: Journal = .off,
        resumeData: HTTPResumeData? = nil,
        failureAction: FailureAction = .keepPartialFile,
        syncPolicy: SyncPolicy = .beforeRename,
        naming: Naming = .path,
        existingFile: ExistingFilePolicy = .replace,
        preallocation: Preallocation = .off,
        maxSize: Int? = nil,
        expectedDigest: HTTPDigest? = nil,
        segments: Segments = .off
    ) {
        self.journal = journal
        self.resumeData = resumeData
        self.failureAction = failureAction
        self.syncPolicy = syncPolicy
        self.naming = naming
        self.existingFile = existingFile
        self.preallocation = preallocation
        self.maxSize = maxSize
        self.expectedDigest = expectedDigest
        self.segments = segments
    }

    /// The options of a download that continues by itself; see ``HTTPDownloadOptions/Journal/on``.
    public static var resume: HTTPDownloadOptions { HTTPDownloadOptions(journal: .on) }

    /// Returns options that resume a download, such as ``HTTPError/resumeData``; nil starts from the beginning.
    public static func resuming(_ data: HTTPResumeData?) -> HTTPDownloadOptions {
        HTTPDownloadOptions(resumeData: data)
    }
}

extension HTTPDownloadOptions {
    /// Whether a download has a journal beside its partial file.
    public enum Journal: Sendable, Hashable {
        /// No journal: only ``HTTPResumeData`` resumes the download.
        case off
        /// A journal: the next call with the same target continues the download.
        ///
        /// That works after a failure, a cancellation, `kill -9` and a power failure. The next call must have
        /// the same URL; signatures in its query may differ. The download starts over if the server sent no
        /// strong validator, unless the caller gives ``HTTPDownloadOptions/expectedDigest``. It also starts
        /// over if the journal is missing or damaged, or does not belong to the partial file.
        ///
        /// A request other than a GET without a Range field fails with
        /// ``HTTPResumeData/ResumeError/requestNotResumable``. A target that another process is downloading fails
        /// with ``HTTPResumeData/ResumeError/fileInUse``.
        case on
    }

    /// The handling of received bytes when a download fails.
    public enum FailureAction: Sendable, Hashable {
        /// Keeps the bytes in a hidden file next to the target if the download can be resumed
        /// (``HTTPError/resumeData``, ``HTTPDownloadOptions/Journal``); otherwise deletes them.
        ///
        /// A file with a wrong digest is kept too (``HTTPError/partialFile``). A later download of the same target
        /// deletes the file unless it resumes it.
        case keepPartialFile
        /// Deletes the bytes.
        ///
        /// Bytes of an earlier call are kept if no response has continued or replaced them.
        case removePartialFile
    }

    /// Whether a downloaded file must survive a power failure.
    public enum SyncPolicy: Sendable, Hashable {
        /// The client synchronizes the file before it renames it, and the directory afterwards (fsync).
        ///
        /// With a journal, it also synchronizes the partial file from time to time, so that the next call can
        /// continue after a power failure.
        case beforeRename
        /// The client leaves it to the system when the bytes reach the disk.
        ///
        /// After a power failure the file may be empty or incomplete. A journal is used only until then.
        case never
    }

    /// The origin of the name of a downloaded file.
    public enum Naming: Sendable, Hashable {
        /// The path is that of the file.
        case path
        /// The path is an existing directory. The file gets the name that the response suggests
        /// (``HTTPStreamedResponse/suggestedFileName``): that of Content-Disposition, or else the last
        /// segment of the URL, or else `download`.
        ///
        /// The name is made safe: it has no directory and does not begin with a dot. Combine it with
        /// ``HTTPDownloadOptions/ExistingFilePolicy/keep`` if no existing file may be replaced.
        /// ``HTTPDownloadedFile/path`` has the name.
        case suggested
    }

    /// The handling of a file that has the name of a download's target already.
    ///
    /// The check is part of the rename, so it covers files that are created during the download.
    public enum ExistingFilePolicy: Sendable, Hashable {
        /// The new file replaces it when it is complete.
        case replace
        /// The call fails with `.fileFailed` and ``HTTPError/FileOperation/replace``, before it sends a request if
        /// the file exists then.
        case fail
        /// The existing file stays, and the new one gets a free name such as `big-2.iso`.
        ///
        /// ``HTTPDownloadedFile/path`` has the name.
        case keep
    }

    /// Whether disk space is reserved for a download.
    public enum Preallocation: Sendable, Hashable {
        /// No space is reserved.
        case off
        /// Space for the whole file is reserved when its size is known (fallocate).
        ///
        /// Files are less fragmented then. A file system that does not support it, or that has too little
        /// space, is no error: the bytes are written as far as there is space.
        case whenSizeIsKnown
    }
}

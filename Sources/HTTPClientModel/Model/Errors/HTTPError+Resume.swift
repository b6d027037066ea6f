public import Wire

extension HTTPResumeData {
    /// The reason why a download cannot start with its resume data; nothing was sent.
    @nonexhaustive public enum ResumeError: Error, Sendable, Hashable {
        /// The text was not created by ``HTTPResumeData/text``.
        case notResumeData
        /// The text has another version of the format; start the download from the beginning.
        case unknownVersion
        /// This line, counted from 1, cannot be parsed.
        case malformed(line: Int)
        /// The text was changed: it does not match its last line.
        case damaged
        /// A line is missing, or its value is impossible.
        case incomplete
        /// The data belongs to a download from another URL.
        case urlMismatch
        /// The data belongs to a download to another path: the absolute path of the target is different.
        case targetMismatch
        /// The file is not a partial file of the target.
        ///
        /// Its name does not belong to the target, or it is not a regular file that this process's user owns and
        /// that has no other links.
        case notPartialFile
        /// Another download is using the partial file.
        case fileInUse
        /// The request cannot be resumed: only a GET without a Range field can.
        case requestNotResumable
    }
}

extension HTTPResumeData.ResumeError: CustomStringConvertible {
    /// A one-line description, with the change that is needed if the caller can make one.
    public var description: String {
        switch self {
        case .notResumeData: "this is not resume data: start the download from the beginning"
        case .unknownVersion:
            "the resume data has another version: start the download from the beginning"
        case .malformed(let line):
            "line \(line) of the resume data is invalid: start the download from the beginning"
        case .damaged: "the resume data was changed: start the download from the beginning"
        case .incomplete: "the resume data is incomplete: start the download from the beginning"
        case .urlMismatch: "the resume data belongs to a download from another URL"
        case .targetMismatch: "the resume data belongs to a download to another file"
        case .notPartialFile: "the file of the resume data is not a partial file of this target"
        case .fileInUse: "another download is using the partial file"
        case .requestNotResumable:
            "only a GET without a Range field can be resumed: omit the resume data or the field"
        }
    }
}

extension HTTPError {
    /// The reason why the server's response does not continue a download.
    @nonexhaustive public enum ResumeReason: Sendable, Hashable {
        /// The range does not start at the end of the file or does not extend to the end of the resource.
        ///
        /// The end of the resource is known only if a response has stated its size.
        ///
        /// `received` is nil if the response does not state its range.
        case rangeMismatch(requested: Int, received: ContentRange?)
        /// The range belongs to another version of the resource than the file.
        case representationChanged
        /// The range belongs to a resource of another size.
        case totalMismatch(known: Int, received: Int)
        /// The response is a range, although the client requested the complete resource.
        case unexpectedPartialContent
        /// No bytes follow this offset, and the resource has another size or an unknown one.
        case noRemainingBytes(offset: Int, total: Int?)
        /// The range has this content coding, but the file has bytes without one.
        case contentEncoded(String)
    }
}

extension HTTPError.ResumeReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .rangeMismatch(let asked, let range?):
            "bytes from \(asked) on were requested, but the server sent \"\(range)\""
        case .rangeMismatch(let asked, nil):
            "bytes from \(asked) on were requested, but the response does not state its range"
        case .representationChanged: "the resource has changed"
        case .totalMismatch(let known, let answered):
            "the size of the resource has changed from \(known) to \(answered) bytes"
        case .unexpectedPartialContent:
            "the server sent a range, but the complete resource was requested"
        case .noRemainingBytes(let offset, let total):
            "no bytes remain after offset \(offset) of \(total.map { "\($0)" } ?? "?")"
        case .contentEncoded(let coding):
            "the server sent a range with the coding \(coding.debugDescription), which was not requested"
        }
    }
}

extension HTTPError {
    /// An operation on a file.
    @nonexhaustive public enum FileOperation: Sendable, Hashable, CustomStringConvertible {
        /// Creating the file.
        case create
        /// Opening an existing file.
        case open
        /// Reading the file.
        case read
        /// Writing to the file.
        case write
        /// Renaming the finished file.
        case rename
        /// Replacing the target, which is a device, a pipe or a socket, or which must not be replaced.
        case replace
        /// Deleting the file.
        case remove
        /// Waiting until the file and its name would survive a power failure.
        case synchronize

        /// The verb, such as `writing`.
        public var description: String {
            switch self {
            case .create: "creating"
            case .open: "opening"
            case .read: "reading"
            case .write: "writing"
            case .rename: "renaming"
            case .replace: "replacing"
            case .remove: "deleting"
            case .synchronize: "synchronizing"
            }
        }
    }
}

public import Wire

/// The reason why a download cannot start with its resume data; nothing was sent.
@nonexhaustive public enum HTTPResumeDataError: Error, Sendable, Hashable {
    /// The text was not created by ``HTTPResumeData/text``.
    case notResumeData
    /// The text has another version of the format; start the download from the beginning.
    case unknownVersion
    /// This line, counted from 1, cannot be parsed.
    case malformed(line: Int)
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

extension HTTPResumeDataError: CustomStringConvertible {
    /// One line that says what to change.
    public var description: String {
        switch self {
        case .notResumeData: "this is no resume data: begin the download anew"
        case .unknownVersion: "the resume data is of another version: begin the download anew"
        case .malformed(let line): "line \(line) of the resume data is damaged: begin anew"
        case .incomplete: "the resume data is incomplete: begin the download anew"
        case .urlMismatch: "the resume data is of a download from another URL"
        case .targetMismatch: "the resume data is of a download to another file"
        case .notPartialFile: "the file of the resume data is not a partial file of this target"
        case .fileInUse: "another download is using the partial file"
        case .requestNotResumable:
            "only a GET without a Range field can be continued: leave the data or the field out"
        }
    }
}

/// The reason why the server's response does not continue a download.
@nonexhaustive public enum HTTPResumeFailureReason: Sendable, Hashable {
    /// The range does not start at the end of the file or does not extend to the end of the resource.
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
}

extension HTTPResumeFailureReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .rangeMismatch(let asked, let range?):
            "bytes from \(asked) on were asked for, and \"\(range)\" came"
        case .rangeMismatch(let asked, nil):
            "bytes from \(asked) on were asked for, and a part came that does not say which"
        case .representationChanged: "the resource has changed"
        case .totalMismatch(let known, let answered):
            "the resource has \(answered) bytes now and had \(known)"
        case .unexpectedPartialContent: "a part came though all was asked for"
        case .noRemainingBytes(let offset, let total):
            "there is nothing behind byte \(offset) of \(total.map { "\($0)" } ?? "?")"
        }
    }
}

/// An operation on a file.
@nonexhaustive public enum HTTPFileOperation: Sendable, Hashable, CustomStringConvertible {
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
    /// Replacing the target, which is a device, a pipe or a socket.
    case replace
    /// Deleting the file.
    case remove

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
        }
    }
}

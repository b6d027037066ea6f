public import Wire

/// Says why a download cannot begin with what it is to be continued with; nothing was sent.
@nonexhaustive public enum HTTPResumeDataError: Error, Sendable, Hashable {
    /// The text is not what ``HTTPResumeData/text`` makes.
    case notResumeData
    /// The text is of another version of the format; begin without it.
    case unknownVersion
    /// The line cannot be read; counted from 1.
    case malformed(line: Int)
    /// A line is missing, or its value cannot be.
    case incomplete
    /// The data is of a download from another URL.
    case urlMismatch
    /// The data is of a download to another path: the target's absolute path is not that of the data.
    case targetMismatch
    /// The file is not a partial file of the target: its name does not belong to the target, or it is
    /// not a regular file of this process's user without other links.
    case notPartialFile
    /// Another download is using the partial file.
    case fileInUse
    /// Only a GET without a Range field can be continued.
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

/// Says why the server's answer does not continue a download.
@nonexhaustive public enum HTTPResumeFailureReason: Sendable, Hashable {
    /// A part came that does not begin where the file ends or does not go to the end of the
    /// resource; nil when it does not say which part it is.
    case rangeMismatch(requested: Int, received: ContentRange?)
    /// A part came of another state of the resource than the one in the file.
    case representationChanged
    /// A part came of a resource of another size.
    case totalMismatch(known: Int, received: Int)
    /// A part came though all was asked for.
    case unexpectedPartialContent
    /// There is nothing behind that place, and the resource has another size, or none is known.
    case noRemainingBytes(offset: Int, total: Int?)
}

extension HTTPResumeFailureReason: CustomStringConvertible {
    /// One line.
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

/// Names what was done with a file.
@nonexhaustive public enum HTTPFileOperation: Sendable, Hashable, CustomStringConvertible {
    /// Making it.
    case create
    /// Opening one that exists.
    case open
    /// Reading it.
    case read
    /// Writing to it.
    case write
    /// Giving it its name.
    case rename
    /// Replacing the target, which is a device, a pipe or a socket.
    case replace
    /// Deleting it.
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

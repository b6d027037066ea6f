internal import SocketTransport

/// The state of an interrupted download, for resuming it later or in another process.
///
/// Its ``text`` can be stored anywhere. It is that of a journal, which the article <doc:Downloads> describes
/// line by line:
///
///     HTTPClient download journal 1
///     url: https://example.com/big.iso
///     origin: https://cdn.example.com
///     validator: "5f3a-1c"
///     total: 7340032
///     written: 1048576
///     synced: 0
///     boot: 4a1e0e5c-9a0e-4a5d-8f5c-0e9c1a3d2b10
///     inode: 1835023
///     target: /srv/big.iso
///     file: .big.iso.k3x9aq2m.part
///     modified: 1700000000123456789
///     check: d7d9ce26a37d6d61
///
/// The download starts from the beginning if the file has changed since, or another file has its name. It also
/// does so for a copy of the file, for a file that a resumed download changed before its process was killed, and after
/// a restart of the system.
///
/// The text of a journal file is also resume data, for example to list the downloads of a directory. It has the lines
/// `parts` and `synced-parts`, but neither `file` nor `modified`. Resuming with it is the same as
/// ``HTTPDownloadOptions/resume``, except that the target must have the same absolute path as before. The journal, which
/// is newer than this value, decides where the download continues.
///
/// Text from an untrusted source can do little harm. The client uses or deletes only a file whose
/// name belongs to the target. It must be a regular file of this process's user without other
/// links. The client changes it only after a server has sent bytes for it.
public struct HTTPResumeData: Sendable, Hashable {
    package let journal: DownloadJournal

    /// The absolute path of the complete file.
    public let target: String

    /// The name of the partial file, without its directory.
    package let name: String

    /// Creates resume data.
    ///
    /// - Parameters:
    ///   - journal: the journal of the partial file; its target is replaced.
    ///   - target: the path of the complete file, which is not empty and does not end with a slash.
    package init(_ journal: DownloadJournal, target: String) {
        var journal = journal
        self.target = TargetPath.absolute(target)
        journal.target = self.target
        self.journal = journal
        name = journal.file ?? Self.journaledName(target) ?? ""
    }

    /// Parses the format of ``text``.
    ///
    /// - Throws: `.invalidRequest(.resumeData(reason))`.
    public init(_ text: String) throws(HTTPError) {
        do throws(ResumeError) {
            try self.init(parsing: text)
        } catch {
            throw HTTPError(invalid: .resumeData(error))
        }
    }

    /// Parses the format of ``text`` as the public initializer does, with the reason as the error.
    package init(parsing text: String) throws(ResumeError) {
        var journal = try DownloadJournal(parsing: text)
        guard let target = journal.target, target.utf8.starts(with: "/".utf8),
            let own = PartialFileName(target: target)
        else { throw .incomplete }
        if let file = journal.file {
            // A directory in the name is ignored: the file is always next to the target.
            let name = TargetPath(file).name
            guard own.matches(name) else { throw .notPartialFile }
            journal.file = name == Self.journaledName(target) ? nil : name
            // Names of other partial files are reused. Only the time distinguishes the files.
            guard journal.file == nil || journal.modified != nil else { throw .incomplete }
        }
        self.init(journal, target: target)
    }

    private static func journaledName(_ target: String) -> String? {
        PartialFileName(target: target).map { TargetPath($0.journaledPath).name }
    }

    /// The requested URL without credentials and fragment, and with `***` in place of secrets.
    ///
    /// All parameters of a signature are secrets. The download can be resumed with a URL that was signed again.
    public var url: String { journal.url }

    /// The origin that sent the bytes so far, such as `https://example.com`.
    ///
    /// After a redirect it differs from that of the URL. The client requests the rest only from this origin. If
    /// another one responds, the download starts from the beginning.
    public var origin: String { journal.origin }

    /// The strong entity tag of the resource or its last modification date, in the form of an If-Range field
    /// (RFC 9110 §13.1.5).
    ///
    /// Nil if the server sent none; then ``HTTPDownloadOptions/expectedDigest`` is required for resuming.
    public var validator: String? { journal.validator }

    /// The number of bytes in the file, up to the first gap.
    ///
    /// The file has further bytes only if it was downloaded in ``HTTPDownloadOptions/segments``.
    public var offset: Int { journal.written }

    /// The size of the whole resource in bytes; nil if the server has not sent it.
    public var total: Int? { journal.total }

    /// The path of the partial file, which is in the directory of ``target``.
    public var file: String { TargetPath(target).directory + name }

    /// The text format, one value per line, with a line break at the end.
    public var text: String { journal.text }

    /// Whether the partial file has a journal beside it, which is newer than this value.
    package var hasJournal: Bool { journal.file == nil }

    /// The identity of the partial file when the download was interrupted; nil if it has a journal beside it.
    package var identity: FileIdentity? {
        guard !hasJournal, let modified = journal.modified else { return nil }
        return FileIdentity(inode: journal.inode, modified: modified)
    }

    /// Deletes the partial file and its journal, if the download will not be resumed.
    ///
    /// The target is not changed. The method does nothing if the partial file is gone, or if another file has its
    /// name, such as that of a later download of another URL or of another version of the resource.
    ///
    /// - Throws: `.fileFailed`, also if the file is not a partial file of this user, if a running download is using
    ///   it, or if a journal is on a file system without locks.
    public func discard() throws(HTTPError) {
        do {
            if hasJournal {
                try OutputFile.removeJournaled(beside: target) { text in
                    DownloadJournal(text)?.isContinuation(of: journal) ?? false
                }
            } else {
                try OutputFile.remove(name, beside: target, identity: identity)
            }
        } catch {
            if error == .system(.noSuchFile) || error == .replaced { return }
            throw HTTPError(
                .fileFailed(path: file, .remove, reason: error.description),
                phase: .preparing
            )
        }
    }
}

extension HTTPResumeData: CustomStringConvertible, CustomReflectable {
    /// The progress and the path; the URL is omitted, because its query may contain secrets.
    public var description: String {
        let count = journal.writtenRanges.count
        return "\(count) of \(total.map { "\($0)" } ?? "?") bytes in \(file)"
    }

    /// A mirror of the description only, because the URL may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}

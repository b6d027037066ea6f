/// The files that a download writes: the bytes, and the journal beside them if it has one.
///
/// ``OutputFile`` and ``JournaledFile`` are the real ones. Tests simulate power failures with another
/// implementation. All functions block, and one thread at a time uses them.
package protocol DownloadFiles: AnyObject, Sendable {
    /// The path of the partial file until it is moved.
    var path: String { get }

    /// The size of the partial file in bytes.
    var size: Int { get throws(Errno) }

    /// Reads up to `count` bytes of the partial file; fewer bytes mean that it ends there.
    func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8]

    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: [UInt8], at offset: Int) throws(Errno)

    /// Writes all bytes of a pipe at `offset`.
    ///
    /// After an error, an unknown number of them is in the file, and the pipe is not usable any more.
    func write(_ pipe: TransferPipe, at offset: Int) throws(Errno)

    /// Writes all bytes of an extent of another file at `offset`.
    ///
    /// After an error, an unknown number of them is in the file.
    func write(_ extent: FileExtent, at offset: Int) throws(FileExtent.CopyError)

    /// Sets the size of the partial file.
    func truncate(to size: Int) throws(Errno)

    /// Reserves disk space for `size` bytes without changing the size of the file.
    ///
    /// - Throws: the system's error, such as `EOPNOTSUPP` from a file system without this function.
    func preallocate(_ size: Int) throws(Errno)

    /// Waits until the written bytes would survive a power failure.
    func flush() throws(Errno)

    /// Renames the partial file to `target`, and releases its lock.
    func move(
        to target: String,
        existing: ExistingTarget
    ) throws(OutputFile.OutputError)

    /// Waits until the names in the directory of `path` would survive a power failure.
    func flushDirectory(of path: String) throws(Errno)

    /// Deletes the partial file, and its journal before it.
    func remove() throws(Errno)

    /// Releases the lock; the partial file stays.
    func release()

    /// The number that the file system gave to the partial file.
    var inode: UInt64 { get throws(Errno) }

    /// Whether there can be a journal beside the partial file.
    var hasJournal: Bool { get }

    /// Marks the partial file so that a later call recognizes it; see ``OutputFile/stampIdentity()``.
    func stampIdentity() throws(OutputFile.OutputError) -> FileIdentity

    /// Returns the text of the journal.
    ///
    /// It is nil if there is none, or none that only this user can have written.
    func readJournal() -> [UInt8]?

    /// Replaces the journal atomically.
    ///
    /// - Parameters:
    ///   - text: the new text.
    ///   - durability: whether the journal must survive a power failure when the function returns.
    /// - Throws: the system's error; then the old journal or the new one is there.
    func writeJournal(_ text: [UInt8], _ durability: JournalDurability) throws(Errno)

    /// Deletes the journal; does nothing if there is none.
    func removeJournal(_ durability: JournalDurability) throws(Errno)
}

/// Whether a change of a journal survives a power failure.
package enum JournalDurability: Sendable, Hashable {
    /// The change survives the end of the process.
    case process
    /// The change survives the end of the process. After a power failure, the old text or the new one is there.
    case content
    /// The change survives a power failure.
    case power
}

/// What a rename does with a file that has the name already.
package enum ExistingTarget: Sendable, Hashable {
    /// Replaces it.
    case replace
    /// Fails with `EEXIST`, and keeps both files.
    case keep
}

extension DownloadFiles {
    /// Reads all bytes of a pipe into memory, and writes them at `offset`.
    package func copy(_ pipe: TransferPipe, at offset: Int) throws(Errno) {
        var position = offset
        while pipe.count > 0 {
            let bytes = try pipe.read()
            try write(bytes, at: position)
            position += bytes.count
        }
    }
}

extension OutputFile: DownloadFiles {
    package func flushDirectory(of path: String) throws(Errno) {
        try Self.flushDirectory(of: path)
    }

    package var hasJournal: Bool { false }

    /// Nil: a plain partial file has no journal.
    package func readJournal() -> [UInt8]? { nil }

    /// Does nothing: a plain partial file has no journal.
    package func writeJournal(_ text: [UInt8], _ durability: JournalDurability) {}

    /// Does nothing: a plain partial file has no journal.
    package func removeJournal(_ durability: JournalDurability) {}
}

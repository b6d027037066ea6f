/// A partial file with a journal beside it, which a later process can continue.
///
/// Its name depends only on the target, so that the later process finds it. The lock of the partial file
/// (`flock`) covers the journal too: a process uses the journal only while it holds the lock.
///
/// Only its owner can read the partial file, like the journal. Before the rename, the file gets the permissions
/// that the umask gives a new file.
package final class JournaledFile: DownloadFiles {
    /// Whether the file was created, and not left behind by an earlier call.
    package let isNew: Bool
    private let file: OutputFile
    private let journal: String
    private let permissions: UInt32

    /// The maximum size of a journal in bytes; a longer file is ignored.
    static let maxJournalSize = 64 << 10

    private init(_ file: OutputFile, isNew: Bool, journal: String, _ permissions: UInt32) {
        self.permissions = permissions
        self.file = file
        self.isNew = isNew
        self.journal = journal
    }

    /// Opens the partial file of a target without changing it, or creates an empty one.
    ///
    /// Both names can be predicted. In a directory that other users can write to, their files may have them.
    ///
    /// - Parameter target: the final path of the file.
    /// - Returns: the locked file.
    /// - Throws: the system's error, such as `EISDIR` if the target is a directory;
    ///   `.notRegularFile` if it is a device, a pipe or a socket; `.notPartialFile`; `.otherOwner`;
    ///   `.locked` if another process or call uses the file.
    package static func open(beside target: String) throws(OutputFile.OutputError) -> JournaledFile
    {
        guard !Syscalls.isDirectory(target), let name = PartialFileName(target: target) else {
            throw .system(.isDirectory)
        }
        guard !Syscalls.isSpecial(target) else { throw .notRegularFile }
        for path in [name.journaledPath, name.journalPath, temporaryPath(name.journalPath)]
        where Syscalls.isOwnedByOther(path) {
            throw .otherOwner
        }
        let permissions = try OutputFile.defaultPermissions(beside: target)
        for _ in 0..<100 {
            let (file, isNew) = try OutputFile.openOrCreate(name.journaledPath)
            // The former owner of the lock may have renamed or removed the file in the meantime.
            guard let file else { continue }
            return JournaledFile(file, isNew: isNew, journal: name.journalPath, permissions)
        }
        throw .system(.again)
    }

    package var path: String { file.path }

    package var size: Int { get throws(Errno) { try file.size } }

    package var inode: UInt64 { get throws(Errno) { try file.inode } }

    package func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
        try file.read(count, at: offset)
    }

    package func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        try file.write(bytes, at: offset)
    }

    package func write(_ pipe: TransferPipe, at offset: Int) throws(Errno) {
        try file.write(pipe, at: offset)
    }

    package func write(_ extent: FileExtent, at offset: Int) throws(FileExtent.CopyError) {
        try file.write(extent, at: offset)
    }

    package func truncate(to size: Int) throws(Errno) { try file.truncate(to: size) }

    package func preallocate(_ size: Int) throws(Errno) { try file.preallocate(size) }

    package func flush() throws(Errno) { try file.flush() }

    /// Renames the file, then deletes the journal.
    ///
    /// In the other order, a process that is killed in between would leave a file without a journal.
    package func move(
        to target: String,
        existing: ExistingTarget
    ) throws(OutputFile.OutputError) {
        do {
            try file.setPermissions(permissions)
        } catch .notPermitted, .notSupported {
            // The file system has no modes, or reports another owner for all files.
        } catch {
            throw .system(error)
        }
        try file.moveKeepingLock(to: target, existing: existing)
        // A journal without its file is ignored.
        try? removeJournal(.process)
        file.release()
    }

    package func flushDirectory(of path: String) throws(Errno) {
        try OutputFile.flushDirectory(of: path)
    }

    package func remove() throws(Errno) {
        guard try file.isIntact else { return }
        try removeJournal(.process)
        try file.remove()
    }

    package func release() { file.release() }

    package func stampIdentity() throws(OutputFile.OutputError) -> FileIdentity {
        try file.stampIdentity()
    }

    // MARK: - The journal

    package var hasJournal: Bool { true }

    /// The path of a new journal until it is complete.
    private static func temporaryPath(_ journal: String) -> String { "\(journal)~" }

    /// Deletes the journal of a target, also one that was not complete.
    static func removeJournals(of name: PartialFileName) {
        for path in [name.journalPath, temporaryPath(name.journalPath)] {
            try? Syscalls.remove(path)
        }
    }

    package func readJournal() -> [UInt8]? {
        try? Syscalls.readOwnFile(journal, limit: Self.maxJournalSize)
    }

    package func writeJournal(
        _ text: [UInt8],
        _ durability: JournalDurability
    ) throws(Errno) {
        // If another file has taken the name, the journal belongs to that one.
        guard try file.isIntact else { throw .stale }
        let temporary = Self.temporaryPath(journal)
        // A killed process may have left it behind. The lock excludes that another one writes it.
        try? Syscalls.remove(temporary)
        do {
            let descriptor = try Syscalls.createFile(temporary, 0o600)
            try Syscalls.write(descriptor.rawValue, text.span, at: 0)
            let isFlushed =
                switch durability {
                case .process: false
                case .content: !Syscalls.writesRenamedFiles(descriptor.rawValue)
                case .power: true
                }
            if isFlushed { try Syscalls.synchronize(descriptor.rawValue) }
            try Syscalls.rename(temporary, to: journal)
        } catch {
            try? Syscalls.remove(temporary)
            throw error
        }
        if durability == .power { try OutputFile.flushDirectory(of: journal) }
    }

    package func removeJournal(_ durability: JournalDurability) throws(Errno) {
        try? Syscalls.remove(Self.temporaryPath(journal))
        do {
            try Syscalls.remove(journal)
        } catch .noSuchFile {
            return
        }
        if durability == .power { try OutputFile.flushDirectory(of: journal) }
    }
}

/// The identity of the running system, which changes when it is started again.
///
/// Bytes that were written but not synchronized are lost in a power failure. They are complete as long
/// as the system runs.
package enum BootIdentity {
    /// The random identity that Linux creates at its start; nil without `/proc`.
    package static let current: String? = {
        guard let bytes = try? Syscalls.readAll("/proc/sys/kernel/random/boot_id", limit: 256)
        else { return nil }
        let text = String(decoding: bytes.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }()
}

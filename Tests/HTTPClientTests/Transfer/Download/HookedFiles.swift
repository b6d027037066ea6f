import SocketTransport
import Support

/// A real partial file whose writes a test delays or lets fail.
final class HookedFiles: DownloadFiles {
    /// Called before bytes are written, with their number and offset.
    ///
    /// - Returns: how many of them are written before the error of a full disk; nil for all.
    typealias Hook = @Sendable (_ count: Int, _ offset: Int) throws(Errno) -> Int?

    private let files: any DownloadFiles
    private let onTruncate: @Sendable () throws(Errno) -> Void
    private let onPreallocate: @Sendable () throws(Errno) -> Void
    private let onDirectory: @Sendable () throws(Errno) -> Void
    private let onRead: @Sendable (_ count: Int) -> Void
    private let onWrite: Hook
    private let whenFull: Errno
    private let onJournal: @Sendable () throws(Errno) -> Void
    private let onFlush: @Sendable () throws(Errno) -> Void

    init(
        _ files: any DownloadFiles,
        whenFull: Errno = .noSpace,
        onJournal: @escaping @Sendable () throws(Errno) -> Void = {},
        onFlush: @escaping @Sendable () throws(Errno) -> Void = {},
        onTruncate: @escaping @Sendable () throws(Errno) -> Void = {},
        onPreallocate: @escaping @Sendable () throws(Errno) -> Void = {},
        onDirectory: @escaping @Sendable () throws(Errno) -> Void = {},
        onRead: @escaping @Sendable (_ count: Int) -> Void = { _ in },
        onWrite: @escaping Hook
    ) {
        self.onTruncate = onTruncate
        self.onPreallocate = onPreallocate
        self.onDirectory = onDirectory
        self.onRead = onRead
        self.whenFull = whenFull
        self.files = files
        self.onJournal = onJournal
        self.onFlush = onFlush
        self.onWrite = onWrite
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        guard let room = try onWrite(bytes.count, offset) else {
            return try files.write(bytes, at: offset)
        }
        try files.write(Array(bytes.prefix(room)), at: offset)
        throw whenFull
    }

    func write(_ pipe: TransferPipe, at offset: Int) throws(Errno) {
        guard try onWrite(pipe.count, offset) != nil else {
            return try files.write(pipe, at: offset)
        }
        try copy(pipe, at: offset)
    }

    func write(_ extent: FileExtent, at offset: Int) throws(FileExtent.CopyError) {
        let room: Int?
        do throws(Errno) {
            room = try onWrite(extent.count, offset)
        } catch {
            throw .target(error)
        }
        if room == nil { try files.write(extent, at: offset) } else { try copy(extent, at: offset) }
    }

    func writeJournal(_ text: [UInt8], _ durability: JournalDurability) throws(Errno) {
        try onJournal()
        try files.writeJournal(text, durability)
    }

    var path: String { files.path }
    var size: Int { get throws(Errno) { try files.size } }
    var inode: UInt64 { get throws(Errno) { try files.inode } }
    func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
        onRead(count)
        return try files.read(count, at: offset)
    }
    func truncate(to size: Int) throws(Errno) {
        try onTruncate()
        try files.truncate(to: size)
    }
    func preallocate(_ size: Int) throws(Errno) {
        try onPreallocate()
        try files.preallocate(size)
    }
    func flush() throws(Errno) {
        try onFlush()
        try files.flush()
    }
    func move(to target: String, existing: ExistingTarget) throws(OutputFile.OutputError) {
        try files.move(to: target, existing: existing)
    }
    func flushDirectory(of path: String) throws(Errno) {
        try onDirectory()
        try files.flushDirectory(of: path)
    }
    func remove() throws(Errno) { try files.remove() }
    func release() { files.release() }
    var hasJournal: Bool { files.hasJournal }
    func stampIdentity() throws(OutputFile.OutputError) -> FileIdentity {
        try files.stampIdentity()
    }
    func readJournal() -> [UInt8]? { files.readJournal() }
    func removeJournal(_ durability: JournalDurability) throws(Errno) {
        try files.removeJournal(durability)
    }
}

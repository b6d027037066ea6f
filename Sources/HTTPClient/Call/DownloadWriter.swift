package import SocketTransport
package import Wire

/// The writing of a download: its bytes, its journal, and its final name.
///
/// It decides with ``DownloadState`` and ``JournalRules``, and changes files only through
/// ``DownloadFiles``. All functions block; call them on the file thread.
package struct DownloadWriter {
    /// The rules of the caller.
    package struct Rules: Sendable {
        package var sync = HTTPDownloadSyncPolicy.beforeRename
        package var existing = HTTPExistingFilePolicy.replace
        package var preallocation = HTTPDownloadPreallocation.off
        package var maxSize: Int?
        package var digest: HTTPDigest?
        /// The URL in the journal; nil for a download without one.
        package var journalURL: String?
        package var intervals = JournalRules.Intervals()

        package init() {}
    }

    /// A failure to write the file.
    package struct Fault: Error, Equatable {
        /// The kind of the call's error.
        package let kind: HTTPError.Kind

        package init(_ kind: HTTPError.Kind) {
            self.kind = kind
        }
    }

    package let files: any DownloadFiles
    /// The bytes of the file, and what follows.
    package private(set) var state: DownloadState
    /// Whether this call may change or delete the file: the call created it, or received a response for it.
    package private(set) var isOwned: Bool
    /// Whether the complete file had another digest than expected.
    package private(set) var isMismatched = false
    private let rules: Rules
    private let boot: String?
    private let verifier: FileVerifier?
    /// The size of the file, which may have bytes that the response does not continue.
    private var size: Int
    /// The number of bytes that survive a power failure.
    private var synced = 0
    /// The journal on the disk; nil if there is none that can be parsed.
    private var saved: DownloadJournal?
    /// The number of bytes when saving the journal was tried last.
    private var savedAt = 0
    /// Whether disk space beyond the end of the file is reserved.
    private var isPreallocated = false

    /// Creates a writer for a file without a journal.
    ///
    /// - Parameters:
    ///   - files: the file.
    ///   - state: the bytes that the file has.
    ///   - isOwned: whether this call created the file.
    ///   - rules: the rules of the caller.
    /// - Throws: the error of reading the size of the file.
    package init(
        _ files: any DownloadFiles,
        _ state: DownloadState,
        isOwned: Bool,
        _ rules: Rules
    ) throws(Fault) {
        self.files = files
        self.state = state
        self.isOwned = isOwned
        self.rules = rules
        boot = nil
        verifier = rules.digest.map { FileVerifier($0) }
        size = try Self.attempt(.open, files.path) { () throws(Errno) in try files.size }
    }

    /// Creates a writer that continues the file where its journal permits it.
    ///
    /// Nothing is changed before ``claim()``.
    ///
    /// - Parameters:
    ///   - files: the file with its journal.
    ///   - isNew: whether this call created the file.
    ///   - boot: the identity of the running system.
    ///   - rules: the rules of the caller, with a URL.
    /// - Throws: the error of reading the size of the file.
    package init(
        continuing files: any DownloadFiles,
        isNew: Bool,
        boot: String?,
        _ rules: Rules
    ) throws(Fault) {
        self.files = files
        self.rules = rules
        self.boot = boot
        isOwned = isNew
        verifier = rules.digest.map { FileVerifier($0) }
        let size = try Self.attempt(.open, files.path) { () throws(Errno) in try files.size }
        let inode = try Self.attempt(.open, files.path) { () throws(Errno) in try files.inode }
        self.size = size
        state = DownloadState(.resumable, isVerified: rules.digest != nil)
        saved = files.readJournal().flatMap { DownloadJournal($0) }
        guard let journal = saved, journal.url == rules.journalURL,
            journal.validator != nil || rules.digest != nil,
            journal.digest == nil || rules.digest == nil
                || journal.digest == rules.digest?.description
        else { return }
        let bytes = journal.reliableBytes(inode: inode, size: size, boot: boot)
        guard bytes > 0 else { return }
        state = DownloadState(
            resumingAt: bytes,
            of: journal.total,
            journal.validator,
            from: journal.origin,
            isVerified: rules.digest != nil
        )
        synced = min(journal.synced, bytes)
        savedAt = bytes
    }

    // MARK: - Responses

    /// Decides what a response means for the file; see ``DownloadState``.
    package mutating func receive(
        _ status: HTTPStatus,
        _ headers: HTTPHeaders,
        from origin: String?,
        isVerbatim: Bool
    ) throws(Fault) -> DownloadDecision {
        let decision = state.receive(status, headers, from: origin, isVerbatim: isVerbatim)
        switch decision {
        case .fullBody(let total?), .partialBody(let total): try checkSize(total)
        default: break
        }
        return decision
    }

    /// Prepares the file for the body of a response that belongs to it.
    ///
    /// Bytes that the response does not continue are cut off, after the journal has ceased to count them.
    package mutating func claim() throws(Fault) {
        let keeps = state.written
        let isNew = !isOwned
        isOwned = true
        synced = min(synced, keeps)
        try recordChange()
        if isNew || size > keeps {
            try attempt(.write) { () throws(Errno) in try files.truncate(to: keeps) }
            size = keeps
        }
        try preallocate()
    }

    /// Writes bytes of the body after those of the file.
    package mutating func write(_ bytes: [UInt8]) throws(Fault) {
        try checkSize(state.written + bytes.count)
        if let verifier {
            try attempt(.read) { () throws(Errno) in
                try verifier.update(bytes, at: state.written, of: files)
            }
        }
        try attempt(.write) { () throws(Errno) in try files.write(bytes, at: state.written) }
        try record(bytes.count)
    }

    /// Whether the writer has to see the bytes, for the digest of the file.
    package var inspectsBytes: Bool { verifier != nil }

    /// Writes all bytes of a pipe after those of the file, unless ``inspectsBytes``.
    package mutating func write(_ pipe: TransferPipe) throws(Fault) {
        precondition(!inspectsBytes, "the digest would miss these bytes")
        let count = pipe.count
        try checkSize(state.written + count)
        try attempt(.write) { () throws(Errno) in try files.write(pipe, at: state.written) }
        try record(count)
    }

    /// Counts bytes that were written.
    private mutating func record(_ count: Int) throws(Fault) {
        state.write(count)
        size = max(size, state.written)
        try saveFromTimeToTime()
    }

    /// Records that the body of the current response failed.
    ///
    /// - Throws: the error of a journal that still counts bytes that must not be used.
    package mutating func fail(_ failure: DownloadState.BodyFailure) throws(Fault) {
        state.fail(failure)
        guard state.written < savedAt else { return }
        synced = min(synced, state.written)
        try recordChange()
    }

    /// Records that the response does not continue the file, so that the next call starts over.
    package mutating func reject() {
        guard rules.journalURL != nil, saved != nil else { return }
        // An error would leave the journal, and the next call would be rejected like this one.
        try? files.removeJournal(JournalRules.durability(replacing: saved, by: nil))
        saved = nil
    }

    private func checkSize(_ size: Int) throws(Fault) {
        if let limit = rules.maxSize, size > limit { throw Fault(.fileTooLarge(limit: limit)) }
    }

    private mutating func preallocate() throws(Fault) {
        guard rules.preallocation == .whenSizeIsKnown, !isPreallocated, let total = state.total,
            total > state.written
        else { return }
        do throws(Errno) {
            try files.preallocate(total)
            isPreallocated = true
        } catch .noSpace {
            // The file system may still compress the bytes, or space may become free.
        } catch .notSupported {
            // Most network file systems.
        } catch {
            throw fault(.write, .system(error))
        }
    }

    // MARK: - The journal

    /// The journal of the present state; nil if no later process can continue it.
    private func journal() -> DownloadJournal? {
        guard let url = rules.journalURL, state.isResumable, let origin = state.origin,
            let inode = try? files.inode
        else { return nil }
        return DownloadJournal(
            url: url,
            origin: origin,
            validator: state.validator,
            total: state.total,
            digest: rules.digest?.description,
            written: state.written,
            synced: synced,
            boot: boot,
            inode: inode
        )
    }

    /// Makes the journal describe the present state before bytes of the file change.
    private mutating func recordChange() throws(Fault) {
        guard rules.journalURL != nil else { return }
        let next = journal()
        guard next != saved || next == nil else { return }
        try save(next, JournalRules.durability(replacing: saved, by: next))
    }

    private mutating func save(
        _ journal: DownloadJournal?,
        _ durability: JournalDurability
    ) throws(Fault) {
        savedAt = state.written
        do throws(Errno) {
            if let journal {
                try files.writeJournal(Array(journal.text.utf8), durability)
            } else {
                try files.removeJournal(durability)
            }
        } catch {
            // The new journal may be there nevertheless, but not yet durable.
            if let journal, journal.synced > saved?.synced ?? 0 { saved = journal }
            throw fault(.write, .system(error))
        }
        saved = journal
    }

    private mutating func saveFromTimeToTime() throws(Fault) {
        guard rules.journalURL != nil else { return }
        switch JournalRules.step(
            written: state.written,
            saved: savedAt,
            synced: synced,
            rules.sync,
            rules.intervals
        ) {
        case .nothing: return
        case .save: break
        case .syncAndSave: try flush()
        }
        // The journal before this one stays correct, because bytes were only added since.
        try? save(journal(), synced > saved?.synced ?? 0 ? .power : .process)
    }

    /// Waits until the bytes of the file would survive a power failure.
    private mutating func flush() throws(Fault) {
        try attempt(.synchronize) { () throws(Errno) in try files.flush() }
        synced = state.written
    }

    // MARK: - The end

    /// Verifies the complete file, gives it its final name, and makes both durable.
    ///
    /// - Parameter target: the path of the target.
    /// - Returns: the path of the file, which differs if ``HTTPExistingFilePolicy/keep`` applies.
    /// - Throws: the difference of the digest; the error of a step, after which the partial file
    ///   still exists unless the step is synchronizing the directory.
    package mutating func finish(_ target: String) throws(Fault) -> String {
        if let verifier {
            let mismatch = try attempt(.read) { () throws(Errno) in
                try verifier.mismatch(at: state.written, of: files)
            }
            if let mismatch {
                isMismatched = true
                reject()
                throw Fault(mismatch)
            }
        }
        if rules.sync == .beforeRename { try flush() }
        let path = try move(to: target)
        if rules.sync == .beforeRename {
            try attempt(.synchronize) { () throws(Errno) in
                try files.flushDirectory(of: path)
            }
        }
        return path
    }

    private func move(to target: String) throws(Fault) -> String {
        var path = target
        for number in 2...1000 {
            do throws(OutputFile.OutputError) {
                try files.move(to: path, existing: rules.existing == .replace ? .replace : .keep)
                return path
            } catch .system(.exists) where rules.existing == .keep {
                path = Self.numbered(target, number)
            } catch {
                let isRefused =
                    error == .notRegularFile
                    || rules.existing == .fail && error == .system(.exists)
                throw Self.fault(isRefused ? .replace : .rename, target, error)
            }
        }
        throw Self.fault(.rename, target, .system(.exists))
    }

    /// Returns the path with a number before its extension, such as `big-2.iso`.
    package static func numbered(_ path: String, _ number: Int) -> String {
        let target = TargetPath(path)
        let name = target.name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return "\(target.directory)\(name)-\(number)"
        }
        return "\(target.directory)\(name[..<dot])-\(number)\(name[dot...])"
    }

    /// Keeps the file with its journal for a later call, and releases the lock.
    ///
    /// - Returns: false if no later call can continue the file; then it still exists.
    package mutating func suspend() -> Bool {
        guard !isMismatched else {
            files.release()
            return true
        }
        guard rules.journalURL != nil, state.written > 0, state.isResumable else { return false }
        // Reserved space is released, and so is that of bytes whose write failed.
        try? files.truncate(to: state.written)
        if !saveAtEnd() {
            // On a full disk, the last bytes make room for the journal.
            state.giveUp(min(state.written / 2, 64 << 10))
            synced = min(synced, state.written)
            try? files.truncate(to: state.written)
            _ = saveAtEnd()
        }
        guard saved != nil else { return false }
        files.release()
        return true
    }

    private mutating func saveAtEnd() -> Bool {
        if rules.sync == .beforeRename { try? flush() }
        let journal = journal()
        let durability =
            rules.sync == .beforeRename
            ? .power : JournalRules.durability(replacing: saved, by: journal)
        do {
            try save(journal, durability)
            return true
        } catch {
            // The journal saved before still counts the bytes before it.
            return false
        }
    }

    // MARK: - Errors

    private func attempt<Value>(
        _ step: HTTPFileOperation,
        _ body: () throws(Errno) -> Value
    ) throws(Fault) -> Value {
        try Self.attempt(step, files.path, body)
    }

    private static func attempt<Value>(
        _ step: HTTPFileOperation,
        _ path: String,
        _ body: () throws(Errno) -> Value
    ) throws(Fault) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw fault(step, path, .system(error))
        }
    }

    private func fault(_ step: HTTPFileOperation, _ error: OutputFile.OutputError) -> Fault {
        Self.fault(step, files.path, error)
    }

    private static func fault(
        _ step: HTTPFileOperation,
        _ path: String,
        _ error: OutputFile.OutputError
    ) -> Fault {
        Fault(.fileFailed(path: path, step, reason: error.description))
    }
}

/// A hash of a file that is written from its start to its end.
///
/// After a jump, it reads the bytes that the file already has.
private final class FileVerifier {
    private let expected: HTTPDigest
    private var verifier: BodyVerifier
    /// The number of hashed bytes.
    private var position = 0

    init(_ expected: HTTPDigest) {
        self.expected = expected
        verifier = BodyVerifier([expected.algorithm])
    }

    func update(
        _ bytes: [UInt8],
        at offset: Int,
        of files: any DownloadFiles
    ) throws(Errno) {
        try catchUp(to: offset, of: files)
        verifier.update(bytes.span)
        position += bytes.count
    }

    /// Returns the difference of the first `size` bytes of the file; nil if there is none.
    func mismatch(
        at size: Int,
        of files: any DownloadFiles
    ) throws(Errno) -> HTTPError.Kind? {
        try catchUp(to: size, of: files)
        return verifier.mismatch(with: expected)
    }

    private func catchUp(to offset: Int, of files: any DownloadFiles) throws(Errno) {
        guard position != offset else { return }
        if position > offset {
            verifier = BodyVerifier([expected.algorithm])
            position = 0
        }
        while position < offset {
            let piece = try files.read(min(offset - position, 256 << 10), at: position)
            guard !piece.isEmpty else { throw .invalid }
            verifier.update(piece.span)
            position += piece.count
        }
    }
}

package import SocketTransport
package import Wire

/// The writing of a download: its bytes, its journal, and its final name.
///
/// It decides with ``DownloadState`` and ``JournalRules``, and changes files only through
/// ``DownloadFiles``. All functions block; call them on a file thread.
package struct DownloadWriter {
    /// The rules of the caller.
    package struct Rules: Sendable {
        package var sync = HTTPDownloadOptions.SyncPolicy.beforeRename
        package var existing = HTTPDownloadOptions.ExistingFilePolicy.replace
        package var preallocation = HTTPDownloadOptions.Preallocation.off
        package var maxSize: Int?
        package var digest: HTTPDigest?
        /// The URL in the journal; see ``DownloadJournal/comparable(_:)``.
        package var url = ""
        /// The absolute path of the target in the journal.
        package var target: String?
        package var intervals = JournalRules.Intervals()

        package init() {}
    }

    /// A failure to write the file.
    package struct WriteError: Error, Equatable {
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
    private(set) var isOwned: Bool
    /// Whether the complete file had another digest than expected.
    private(set) var isMismatched = false
    /// Whether the file has its final name, so that nothing of it may change.
    private var isMoved = false
    /// Whether a response did not continue the file, so that no later call may try it again.
    private var isRejected = false
    private let rules: Rules
    private let boot: String?
    private let verifier: FileVerifier?
    /// The size of the file, which may have bytes that the response does not continue.
    private var size: Int
    /// The bytes that survive a power failure.
    private var synced = ByteRangeSet()
    /// The journal on the disk; nil if there is none that can be parsed.
    private var saved: DownloadJournal?
    /// The number of bytes when saving the journal was tried last.
    private var savedAt = 0
    /// Whether reserving disk space was tried, so that it is not tried for each response.
    private var isPreallocated = false
    /// Whether the file system has refused to reserve space, so that it is not asked again.
    private var refusesPreallocation = false

    /// Creates a writer for a new file without a journal.
    ///
    /// - Parameters:
    ///   - files: the file.
    ///   - kind: the request.
    ///   - boot: the identity of the running system.
    ///   - rules: the rules of the caller.
    /// - Throws: the error of reading the size of the file.
    package init(
        creating files: any DownloadFiles,
        _ kind: DownloadState.RequestKind,
        boot: String?,
        _ rules: Rules
    ) throws(WriteError) {
        self.files = files
        state = DownloadState(kind, isVerified: rules.digest != nil)
        isOwned = true
        self.rules = rules
        self.boot = boot
        verifier = rules.digest.map { FileVerifier($0) }
        size = try Self.attempt(.open, files.path) { () throws(Errno) in try files.size }
    }

    /// Creates a writer that continues the file where a journal permits it.
    ///
    /// Nothing is changed before ``claim()``.
    ///
    /// - Parameters:
    ///   - files: the file.
    ///   - given: the journal of a file without one beside it. Default nil: the journal beside it.
    ///   - isNew: whether this call created the file.
    ///   - boot: the identity of the running system.
    ///   - rules: the rules of the caller.
    /// - Throws: the error of reading the size of the file.
    package init(
        continuing files: any DownloadFiles,
        by given: DownloadJournal? = nil,
        isNew: Bool,
        boot: String?,
        _ rules: Rules
    ) throws(WriteError) {
        self.files = files
        self.rules = rules
        self.boot = boot
        isOwned = isNew
        verifier = rules.digest.map { FileVerifier($0) }
        let size = try Self.attempt(.open, files.path) { () throws(Errno) in try files.size }
        let inode = try Self.attempt(.open, files.path) { () throws(Errno) in try files.inode }
        self.size = size
        state = DownloadState(.continuation, isVerified: rules.digest != nil)
        saved = given ?? files.readJournal().flatMap { DownloadJournal($0) }
        guard let journal = saved, journal.url == rules.url,
            journal.validator != nil || rules.digest != nil,
            journal.digest == nil || rules.digest == nil
                || journal.digest == rules.digest?.description
        else { return }
        let bytes = journal.reliableRanges(inode: inode, size: size, boot: boot)
        guard !bytes.isEmpty else { return }
        state = DownloadState(
            resumingAt: bytes.prefix,
            of: journal.total,
            journal.validator,
            from: journal.origin,
            parts: bytes.subtracting(first: bytes.prefix),
            isVerified: rules.digest != nil
        )
        synced = journal.syncedRanges.intersection(bytes)
        savedAt = bytes.count
    }

    // MARK: - Responses

    /// Decides what a response means for the file; see ``DownloadState``.
    package mutating func receive(
        _ status: HTTPStatus,
        _ headers: HTTPHeaders,
        from origin: String?,
        isVerbatim: Bool
    ) throws(WriteError) -> DownloadDecision {
        let decision = state.receive(status, headers, from: origin, isVerbatim: isVerbatim)
        switch decision {
        case .fullBody(let total?), .partialBody(let total): try checkSize(total)
        case .complete: try checkSize(state.written)
        case .fullBody(nil), .wholeRequired, .unsuccessful, .mismatch: break
        }
        return decision
    }

    /// Prepares the file for the body of a response that belongs to it.
    ///
    /// Bytes that the response does not continue are cut off, after the journal has ceased to count them.
    package mutating func claim() throws(WriteError) {
        let keeps = state.end
        let isNew = !isOwned
        isOwned = true
        isRejected = false
        synced = synced.intersection(state.ranges)
        try recordChange()
        if isNew || size > keeps {
            try attempt(.write) { () throws(Errno) in try files.truncate(to: keeps) }
            size = keeps
            // That has released what was reserved.
            isPreallocated = false
        }
        try preallocate()
    }

    /// Writes bytes of the body after those of the file.
    package mutating func write(_ bytes: [UInt8]) throws(WriteError) {
        try write(bytes, at: state.written)
    }

    /// Writes bytes of a part at an offset in the file.
    ///
    /// A digest is computed without gaps: bytes after one are read again later.
    package mutating func write(_ bytes: [UInt8], at offset: Int) throws(WriteError) {
        try checkSize(offset + bytes.count)
        // Two parts may overlap. The digest is that of the bytes that were written last.
        if offset < state.written { verifier?.forget(from: offset) }
        if let verifier, offset == state.written {
            try attempt(.read) { () throws(Errno) in
                try verifier.update(bytes, at: offset, of: files)
            }
        }
        let range = offset..<offset + bytes.count
        let file = files
        try append(range) { () throws(Errno) in try file.write(bytes, at: offset) }
        try record(range)
    }

    /// Whether the writer has to see the bytes, for the digest of the file.
    var inspectsBytes: Bool { verifier != nil }

    /// Writes all bytes of a pipe after those of the file, unless ``inspectsBytes``.
    package mutating func write(_ pipe: TransferPipe) throws(WriteError) {
        try write(pipe, at: state.written)
    }

    /// Writes all bytes of a pipe at an offset in the file, unless ``inspectsBytes``.
    package mutating func write(_ pipe: TransferPipe, at offset: Int) throws(WriteError) {
        precondition(!inspectsBytes, "the digest would miss these bytes")
        let count = pipe.count
        let range = offset..<offset + count
        try checkSize(range.upperBound)
        let file = files
        try append(range) { () throws(Errno) in try file.write(pipe, at: offset) }
        try record(range)
    }

    /// Writes all bytes of an extent of another file after those of the file, unless ``inspectsBytes``.
    ///
    /// - Throws: `.fileFailed` with the operation `.read` if the other file cannot be read.
    package mutating func write(_ extent: FileExtent) throws(WriteError) {
        precondition(!inspectsBytes, "the digest would miss these bytes")
        let offset = state.written
        let range = offset..<offset + extent.count
        try checkSize(range.upperBound)
        do throws(FileExtent.CopyError) {
            try files.write(extent, at: offset)
        } catch {
            switch error {
            case .source(let error):
                let reason = error.description
                throw WriteError(.fileFailed(path: extent.path, .read, reason: reason))
            case .target(let error): try append(range) { () throws(Errno) in throw error }
            }
        }
        try record(range)
    }

    /// Writes bytes of the body.
    ///
    /// A full disk takes the beginning of the bytes. At the end of the file, they are counted, so that a
    /// later call continues after them. A single step can write 1 MiB, which may be the whole download so
    /// far. After other errors, it is unknown which bytes the disk has.
    private mutating func append(
        _ range: Range<Int>,
        _ body: () throws(Errno) -> Void
    ) throws(WriteError) {
        do throws(Errno) {
            try body()
        } catch {
            // The file ended before these bytes, so that its size shows how many of them it has.
            if error.isFull, size == range.lowerBound, size == state.written,
                let grown = try? files.size, grown > size
            {
                state.write(min(grown - size, range.count))
                size = grown
            }
            throw failure(.write, .system(error))
        }
    }

    /// Counts bytes that were written.
    private mutating func record(_ range: Range<Int>) throws(WriteError) {
        if range.lowerBound == state.written, state.parts.isEmpty {
            state.write(range.count)
        } else {
            state.write(range)
        }
        size = max(size, range.upperBound)
        try saveFromTimeToTime()
    }

    /// Records that the body of the current response failed.
    ///
    /// - Throws: the error of a journal that still counts bytes that must not be used.
    package mutating func fail(_ failure: DownloadState.BodyFailure) throws(WriteError) {
        state.fail(failure)
        guard state.completed < savedAt else { return }
        synced = synced.intersection(state.ranges)
        try recordChange()
    }

    /// Makes the next requests ask for parts of at most this size, if they can be verified.
    package mutating func requestParts(of size: Int) {
        state.requestParts(of: size)
    }

    /// Discards all bytes of the file, because some may not belong together.
    ///
    /// The next request asks for the whole resource. The file changes when its response arrives.
    package mutating func startOver() {
        if isOwned { removeJournal() }
        state.startOver()
        isMismatched = false
        synced = ByteRangeSet()
    }

    /// Records that the response does not continue the file, so that the next call starts over.
    package mutating func reject() {
        isRejected = files.hasJournal
        removeJournal()
    }

    private mutating func removeJournal() {
        guard files.hasJournal, saved != nil else { return }
        // An error would leave the journal, and the next call would be rejected like this one.
        try? files.removeJournal(JournalRules.durability(replacing: saved, by: nil))
        saved = nil
    }

    private func checkSize(_ size: Int) throws(WriteError) {
        if let limit = rules.maxSize, size > limit { throw WriteError(.fileTooLarge(limit: limit)) }
    }

    private mutating func preallocate() throws(WriteError) {
        guard rules.preallocation == .whenSizeIsKnown, !isPreallocated, !refusesPreallocation,
            let total = state.total, total > state.written
        else { return }
        isPreallocated = true
        do throws(Errno) {
            try files.preallocate(total)
        } catch  where error.isFileUnreadable {
            throw failure(.write, .system(error))
        } catch {
            // Most network file systems cannot. A full disk, a quota and a limit fail the write that needs more: the
            // file system may compress the bytes, or space may become free.
            refusesPreallocation = true
        }
    }

    // MARK: - The journal

    /// The journal of the present state; nil if no later process can continue it.
    private func journal() -> DownloadJournal? {
        guard state.isResumable, state.end <= state.total ?? .max, let origin = state.origin,
            let inode = try? files.inode
        else { return nil }
        // Further ranges are downloaded again.
        let parts = state.parts.first(DownloadJournal.maxParts)
        let reliable = synced.intersection(ByteRangeSet(first: state.written).union(parts))
        return DownloadJournal(
            url: rules.url,
            origin: origin,
            validator: state.validator,
            total: state.total,
            digest: rules.digest?.description,
            written: state.written,
            synced: reliable.prefix,
            parts: parts,
            syncedParts: reliable.subtracting(first: reliable.prefix)
                .first(DownloadJournal.maxParts),
            boot: boot,
            inode: inode,
            target: rules.target
        )
    }

    /// Makes the journal describe the present state before bytes of the file change.
    private mutating func recordChange() throws(WriteError) {
        guard files.hasJournal else { return }
        let next = journal()
        guard next != saved || next == nil else { return }
        try save(next, JournalRules.durability(replacing: saved, by: next))
    }

    private mutating func save(
        _ journal: DownloadJournal?,
        _ durability: JournalDurability
    ) throws(WriteError) {
        savedAt = state.completed
        do throws(Errno) {
            if let journal {
                try files.writeJournal(Array(journal.text.utf8), durability)
            } else {
                try files.removeJournal(durability)
            }
        } catch {
            // The new journal may be there nevertheless, but not yet durable.
            if let journal, journal.syncedRanges.count > saved?.syncedRanges.count ?? 0 {
                saved = journal
            }
            throw failure(.write, .system(error))
        }
        saved = journal
    }

    private mutating func saveFromTimeToTime() throws(WriteError) {
        guard files.hasJournal else { return }
        switch JournalRules.step(
            written: state.completed,
            saved: savedAt,
            synced: synced.count,
            rules.sync,
            rules.intervals
        ) {
        case .nothing: return
        case .save: break
        case .syncAndSave: try flush()
        }
        // The journal before this one stays correct, because bytes were only added since.
        let journal = journal()
        let isMoreDurable = synced.count > saved?.syncedRanges.count ?? 0
        try? save(
            journal,
            isMoreDurable ? .power : JournalRules.durability(replacing: saved, by: journal)
        )
    }

    /// Waits until the bytes of the file would survive a power failure.
    private mutating func flush() throws(WriteError) {
        do throws(Errno) {
            try files.flush()
        } catch {
            // The kernel reports a failed write only once, and then takes its bytes for written (fsync(2)).
            // Only those that were synchronized before are certain.
            synced = synced.intersection(state.ranges)
            state.keep(only: synced)
            throw failure(.synchronize, .system(error))
        }
        synced = state.ranges
    }

    // MARK: - The end

    /// Verifies the complete file, gives it its final name, and makes both durable.
    ///
    /// - Parameter target: the path of the target.
    /// - Returns: the path of the file, which differs if ``HTTPDownloadOptions/ExistingFilePolicy/keep`` applies.
    /// - Throws: the difference of the digest; the error of a step, after which the partial file
    ///   still exists unless the step is synchronizing the directory.
    package mutating func finish(_ target: String) throws(WriteError) -> String {
        if let verifier {
            let mismatch = try attempt(.read) { () throws(Errno) in
                try verifier.mismatch(at: state.written, of: files)
            }
            if let mismatch {
                isMismatched = true
                reject()
                throw WriteError(mismatch)
            }
        }
        if rules.sync == .beforeRename { try flush() }
        let path = try move(to: target)
        isMoved = true
        if rules.sync == .beforeRename {
            try attempt(.synchronize) { () throws(Errno) in
                try files.flushDirectory(of: path)
            }
        }
        return path
    }

    private func move(to target: String) throws(WriteError) -> String {
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
                throw Self.failure(isRefused ? .replace : .rename, target, error)
            }
        }
        throw Self.failure(.rename, target, .system(.exists))
    }

    /// Returns the path with a number before its extension, such as `big-2.iso`.
    ///
    /// The part before the number is cut, if necessary, to the 255 bytes that a file name may have.
    package static func numbered(_ path: String, _ number: Int) -> String {
        let target = TargetPath(path)
        let name = target.name
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        // `.hidden` has no extension. One of more than 128 bytes counts as part of the name, so that it can be cut.
        let isExtension = dot > name.startIndex && name[dot...].utf8.count <= 128
        let stem = name[..<(isExtension ? dot : name.endIndex)]
        let suffix = "-\(number)\(isExtension ? name[dot...] : "")"
        var short = ""
        for character in stem {
            guard short.utf8.count + character.utf8.count + suffix.utf8.count <= 255 else { break }
            short.append(character)
        }
        return target.directory + short + suffix
    }

    /// What becomes of the partial file of a call that failed.
    package enum Remainder: Sendable, Equatable {
        /// A later call continues it with this journal.
        case resumable(DownloadJournal)
        /// It stays, but no later call continues it.
        case kept
        /// It is of no use, and still exists.
        case useless
        /// It is complete and has its final name; only synchronizing the directory failed.
        case moved
    }

    /// The journal with which another call can continue a file that this one has not changed; nil if none can.
    package var unchanged: DownloadJournal? { isOwned || state.completed == 0 ? nil : saved }

    /// Keeps the file for a later call, and releases its lock, unless it is of no use.
    package mutating func suspend() -> Remainder {
        guard !isMoved else { return .moved }
        guard !isMismatched, !isRejected else {
            files.release()
            return .kept
        }
        guard state.completed > 0, state.isResumable else { return .useless }
        guard let journal = files.hasJournal ? suspendedJournal() : stampedJournal() else {
            return .useless
        }
        files.release()
        return .resumable(journal)
    }

    /// Returns the journal of a file that has none beside it.
    private mutating func stampedJournal() -> DownloadJournal? {
        // Without the identity of the running system, only synchronized bytes would ever count. Otherwise the
        // caller does not wait for the disk.
        if boot == nil, rules.sync == .beforeRename { try? flush() }
        // Bytes whose write failed are cut off. The stamp is the last change.
        guard state.completed > 0, (try? files.truncate(to: state.end)) != nil,
            let identity = try? files.stampIdentity(), var journal = journal()
        else { return nil }
        journal.inode = identity.inode
        journal.modified = identity.modified
        journal.file = TargetPath(files.path).name
        return journal
    }

    /// Saves the journal beside the file, and returns it.
    private mutating func suspendedJournal() -> DownloadJournal? {
        // Reserved space is released, and so is that of bytes whose write failed.
        try? files.truncate(to: state.end)
        if !saveAtEnd() {
            // On a full disk, the last bytes make room for the journal.
            state.giveUp(min(state.completed / 2, 64 << 10))
            synced = synced.intersection(state.ranges)
            try? files.truncate(to: state.end)
            _ = saveAtEnd()
        }
        // Bytes whose synchronization failed must not be counted by the journal on the disk.
        guard let saved, state.completed > 0, state.ranges.contains(saved.writtenRanges) else {
            return nil
        }
        return saved
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
        _ step: HTTPError.FileOperation,
        _ body: () throws(Errno) -> Value
    ) throws(WriteError) -> Value {
        try Self.attempt(step, files.path, body)
    }

    private static func attempt<Value>(
        _ step: HTTPError.FileOperation,
        _ path: String,
        _ body: () throws(Errno) -> Value
    ) throws(WriteError) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw failure(step, path, .system(error))
        }
    }

    private func failure(
        _ step: HTTPError.FileOperation,
        _ error: OutputFile.OutputError
    ) -> WriteError {
        Self.failure(step, files.path, error)
    }

    private static func failure(
        _ step: HTTPError.FileOperation,
        _ path: String,
        _ error: OutputFile.OutputError
    ) -> WriteError {
        WriteError(.fileFailed(path: path, step, reason: error.description))
    }
}

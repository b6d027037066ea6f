internal import SocketTransport

/// A store in a directory, which several processes may use at once.
///
/// A response is two files: its content, and the entries of its URI with their heads. Both are written under other
/// names and renamed when they are complete, the content first. A process that is killed at any moment leaves
/// complete files, or such that no entry names; ``CacheDirectory/sweep(maxBytes:now:)`` removes these. Readers take
/// no lock.
///
/// Only digests decide what is used. The one of the metadata is verified by each lookup that finds a changed file
/// (``KnownMetadata``); ``CacheDirectory`` says when the content is. Nothing is flushed to the disk: a power failure
/// may tear the last files, and the digests show that. Damaged files, files of other URIs, symbolic links and files
/// of other users are removed and not used.
package final class DirectoryCacheStore: CacheStore {
    /// The limits of a store.
    package struct Limits: Sendable, Hashable {
        /// The maximum number of bytes on the disk.
        ///
        /// Each process counts what it writes, and measures the directory after each sixteenth of the limit. So N
        /// processes may exceed it by N sixteenths for a while.
        package var maxBytes: Int
        /// The maximum number of bytes of one content; an eighth of `maxBytes` by default.
        package var maxEntryBytes: Int
        /// The maximum number of entries of one URI.
        package var maxVariants: Int
        /// The time in seconds after which a lookup records another use of a URI.
        ///
        /// A minute by default, because recording costs a system call and a write of the inode.
        package var useInterval: Int
        /// The time in seconds after a change of a file in which another change may not show in its status.
        ///
        /// Lookups read the metadata again until then. Two seconds by default, the precision of the times of FAT.
        package var settlingTime: Int

        /// Creates limits.
        package init(
            maxBytes: Int,
            maxEntryBytes: Int? = nil,
            maxVariants: Int = 16,
            useInterval: Int = 60,
            settlingTime: Int = 2
        ) {
            self.maxBytes = maxBytes
            self.maxEntryBytes = min(maxEntryBytes ?? maxBytes / 8, maxBytes)
            self.maxVariants = max(maxVariants, 1)
            self.useInterval = useInterval
            self.settlingTime = settlingTime
        }
    }

    /// What this process knows of the directory.
    private struct Usage {
        /// The bytes in the directory; nil before it was measured.
        var bytes: Int?
        /// The bytes that this process has written since.
        var written = 0
        var evictionError: CacheStoreError?
    }

    /// The limits of the store.
    package let limits: Limits
    let directory: CacheDirectory
    /// Held during changes, so that the threads of a process do not poll for the lock of the directory.
    private let usage = Locked(Usage())
    /// The metadata that lookups need not read again.
    package let known: Locked<KnownMetadata>

    /// Creates a store; the first write creates the directory, with mode 0o700.
    ///
    /// - Parameters:
    ///   - path: the directory; its parent must exist.
    ///   - limits: the limits of the store.
    package init(_ path: String, _ limits: Limits) {
        directory = CacheDirectory(path)
        self.limits = limits
        known = Locked(KnownMetadata(settlingTime: limits.settlingTime))
    }

    package var mayBlock: Bool { true }
    package var maxEntryBytes: Int { limits.maxEntryBytes }

    // MARK: - Reading

    /// Returns the stored responses of a URI.
    ///
    /// - Throws: `.damaged` if the file is damaged or foreign; it is removed.
    package func entries(of uri: String) throws(CacheStoreError) -> [CacheEntry] {
        if let entries = knownEntries(of: uri) { return entries }
        let now = WallClock.secondsSince1970
        do throws(CacheStoreError) {
            guard let (metadata, path, file) = try directory.metadata(uri) else { return [] }
            if isUseDue(file.status, at: now) {
                // In a directory that cannot be changed, only the order of eviction suffers.
                try? file.touch()
            }
            known.withLock { $0.insert(metadata, path, file.status, at: now) }
            return metadata.entries
        } catch .damaged(let path) {
            try change { _ throws(CacheStoreError) in _ = try self.current(uri) }
            throw .damaged(path: path)
        }
    }

    /// Returns the entries of a file that was read before and has not been changed; nil if it must be read.
    package func knownEntries(of uri: String) -> [CacheEntry]? {
        guard let known = known.withLock({ $0.use(uri) }),
            !isUseDue(known.status, at: WallClock.secondsSince1970),
            // If there is no status, opening the file shows the reason.
            (try? Directory.status(of: known.path)) == known.status
        else { return nil }
        return known.entries
    }

    /// Whether a lookup records another use of a file with this status.
    private func isUseDue(_ status: FileStatus, at now: Int) -> Bool {
        status.modified + limits.useInterval <= now
    }

    /// Returns the content of an entry.
    ///
    /// - Throws: `.damaged` if the file is damaged or foreign; the entry is removed.
    package func open(_ entry: CacheEntry) throws(CacheStoreError) -> CacheContent? {
        do throws(CacheStoreError) {
            let before = known.withLock { $0.content(of: entry) }
            guard let (content, now) = try directory.content(of: entry, before) else {
                try remove(entry)
                return nil
            }
            if before == nil, case .memory = content { known.withLock { $0.insert(now) } }
            return content
        } catch .damaged(let path) {
            try remove(entry)
            throw .damaged(path: path)
        }
    }

    package func list() throws(CacheStoreError) -> [CacheEntry] {
        var entries: [CacheEntry] = []
        for base in try directory.groups().keys {
            do throws(CacheStoreError) {
                let path = directory.metadataPath(base)
                entries += try directory.metadata(at: path)?.metadata.entries ?? []
            } catch .damaged {
                // The next lookup of the URI, or a sweep, removes the file.
            }
        }
        return entries
    }

    package func statistics() throws(CacheStoreError) -> CacheStatistics {
        let bytes = try directory.groups().values.reduce(0) { $0 + $1.bytes }
        return CacheStatistics(entries: try list().count, bytes: bytes)
    }

    package var evictionError: CacheStoreError? { usage.withLock { $0.evictionError } }

    // MARK: - Changing

    package func write(
        _ uri: String,
        expecting length: Int?
    ) throws(CacheStoreError) -> any CacheWriter {
        guard length ?? 0 <= limits.maxEntryBytes else {
            throw .tooLarge(limit: limits.maxEntryBytes)
        }
        do throws(CacheStoreError) {
            return try DirectoryCacheWriter(self, uri)
        } catch {
            makeRoom(after: error, for: length ?? 0)
            throw error
        }
    }

    /// Removes about a fifth of the stored bytes if a change failed because the disk was full.
    ///
    /// It removes more if the failed content was larger, and nothing if that is larger than all that is stored.
    func makeRoom(after error: CacheStoreError, for length: Int) {
        guard error.isDiskFull else { return }
        do throws(CacheStoreError) {
            try change { usage throws(CacheStoreError) in
                let bytes = try self.directory.groups().values.reduce(0) { $0 + $1.bytes }
                guard bytes > length else { return }
                let now = WallClock.secondsSince1970
                // A sweep goes down to nine tenths of its limit.
                let limit = bytes - max(bytes / 10, length)
                usage.bytes = try self.directory.sweep(maxBytes: limit, now: now)
                usage.written = 0
            }
        } catch {
            usage.withLock { $0.evictionError = error }
        }
    }

    /// Adds the complete content of a writer, which replaces one with an equal variant.
    func add(_ entry: CacheEntry, _ file: OutputFile, _ size: Int) throws(CacheStoreError) {
        try change { usage throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            let old = try metadata.add(entry, upTo: self.limits.maxVariants)
            let target = try self.contentPath(of: entry)
            try CacheDirectory.move(file, to: target)
            do throws(CacheStoreError) {
                try self.directory.replace(metadata)
            } catch {
                // Without metadata, the content is an orphan. The first error is reported.
                try? self.directory.remove(target)
                throw error
            }
            for entry in old { try self.directory.remove(self.contentPath(of: entry)) }
            self.evict(&usage, after: CacheDirectory.diskBytes(size) + CacheDirectory.diskBytes(0))
        }
    }

    package func update(
        _ entry: CacheEntry,
        to response: StoredResponse
    ) throws(CacheStoreError) -> CacheEntry? {
        try change { _ throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            guard let (new, old) = try metadata.update(entry, to: response) else { return nil }
            try self.directory.replace(metadata)
            for entry in old { try self.directory.remove(self.contentPath(of: entry)) }
            return new
        }
    }

    package func remove(_ entry: CacheEntry) throws(CacheStoreError) {
        try change { _ throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            if metadata.remove(entry) { try self.directory.replace(metadata) }
            try self.directory.remove(self.contentPath(of: entry))
        }
    }

    package func removeAll(of uri: String) throws(CacheStoreError) {
        try change { _ throws(CacheStoreError) in
            let old = try self.current(uri).entries
            try self.directory.replace(CacheMetadata(uri: uri, entries: []))
            for entry in old { try self.directory.remove(self.contentPath(of: entry)) }
        }
    }

    package func removeAll() throws(CacheStoreError) {
        try change { usage throws(CacheStoreError) in
            usage.bytes = nil
            self.known.withLock { $0.removeAll() }
            try self.directory.removeAll()
        }
    }

    private func contentPath(of entry: CacheEntry) throws(CacheStoreError) -> String {
        directory.contentPath(try CacheDirectory.baseName(of: entry.uri), entry.number)
    }

    /// Returns the entries of a URI for a change, and removes a file that cannot be used.
    private func current(_ uri: String) throws(CacheStoreError) -> CacheMetadata {
        do throws(CacheStoreError) {
            return try directory.metadata(uri)?.metadata ?? CacheMetadata(uri: uri, entries: [])
        } catch .damaged(let path) {
            try directory.remove(path)
            return CacheMetadata(uri: uri, entries: [])
        }
    }

    /// Runs a change while no other thread or process makes one.
    ///
    /// It waits up to two seconds for another process. If the directory is missing, there is nothing to change.
    private func change<Result: Sendable>(
        _ body: (inout sending Usage) throws(CacheStoreError) -> Result
    ) throws(CacheStoreError) -> Result {
        try usage.withLock { usage throws(CacheStoreError) in
            let lock: FileLock?
            do throws(FileLock.LockError) {
                lock = try FileLock(for: directory.lockedPath)
            } catch .system(.noSuchFile) {
                lock = nil
            } catch .system(let errno) {
                throw .system(errno, .lock, path: directory.lockedPath)
            } catch {
                throw .locked(path: directory.lockedPath)
            }
            defer { withExtendedLifetime(lock) {} }
            return try body(&usage)
        }
    }

    /// Counts new bytes, and sweeps the directory if they may exceed the limit.
    ///
    /// The new entry is stored in any case, so an error is kept for the statistics.
    private func evict(_ usage: inout Usage, after bytes: Int) {
        usage.written += bytes
        if let known = usage.bytes, known + usage.written <= limits.maxBytes,
            usage.written <= limits.maxBytes / 16
        {
            return
        }
        do throws(CacheStoreError) {
            let now = WallClock.secondsSince1970
            usage.bytes = try directory.sweep(maxBytes: limits.maxBytes, now: now)
            usage.written = 0
            usage.evictionError = nil
        } catch {
            usage.evictionError = error
        }
    }
}

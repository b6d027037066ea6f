internal import SocketTransport

/// A writer of a response into a directory; the file has another name until the commit.
///
/// If it is released without a call of ``discard()``, it removes its file on the releasing thread.
final class DirectoryCacheWriter: CacheWriter, @unchecked Sendable {
    // Sendable because one thread at a time uses a writer.

    private let store: DirectoryCacheStore
    private let uri: String
    /// The file; nil after the end.
    private var file: OutputFile?
    private var seal: CacheSeal

    init(_ store: DirectoryCacheStore, _ uri: String) throws(CacheStoreError) {
        self.store = store
        self.uri = uri
        seal = try CacheSeal()
        file = try store.directory.create()
    }

    deinit {
        discard()
    }

    func append(_ bytes: [UInt8]) throws(CacheStoreError) {
        guard let file else { throw .closed }
        let limit = store.limits.maxEntryBytes
        do throws(CacheStoreError) {
            guard bytes.count <= limit - seal.length else { throw .tooLarge(limit: limit) }
            try CacheDirectory.write(bytes, at: seal.length, to: file)
            try seal.append(bytes)
        } catch {
            fail(error)
            throw error
        }
    }

    func commit(_ response: StoredResponse) throws(CacheStoreError) -> CacheEntry {
        guard let file else { throw .closed }
        do throws(CacheStoreError) {
            try CacheEntry.check(response, has: seal.length)
            let number = RandomBits.number()
            let length = seal.length
            let (trailer, digest) = try seal.finish(uri: uri, number: number)
            try CacheDirectory.write(trailer, at: length, to: file)
            let entry = CacheEntry(uri: uri, number: number, response: response, seal: digest)
            try store.add(entry, file, length + trailer.count)
            self.file = nil
            return entry
        } catch {
            fail(error)
            throw error
        }
    }

    /// Removes the file, and others if the disk is full.
    private func fail(_ error: CacheStoreError) {
        discard()
        store.makeRoom(after: error, for: seal.length)
    }

    /// Removes the file; one that stays is removed as a leftover by a later sweep.
    func discard() {
        // After the commit, the file has another name, which this does not remove.
        try? file?.remove()
        file = nil
    }
}

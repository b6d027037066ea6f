// To change what a store of the cache does, change `Stores/CacheStore`, then `Stores/Memory/MemoryCacheStore`,
// `Stores/Directory/DirectoryCacheStore` and `Stores/External/ExternalCacheStore`; `Stores/Directory/CacheMetadata` and
// `Stores/Directory/CacheSeal` are the format of files and objects. The tests are `CacheStoreTests`,
// `MemoryCacheStoreTests`, `DirectoryCacheStoreTests`, `ExternalCacheStoreTests`, `DamagedCacheTests` and
// `KilledCacheTests`. A new store is a class with this protocol and an initializer of `Stores/HTTPCache`; a storage of
// an application implements the protocol of `Stores/HTTPCache+Storage` and needs no change here.

/// A store for the responses of the cache.
///
/// All functions can be called from several threads at once. The caller treats every error as "not cached".
package protocol CacheStore: AnyObject, Sendable {
    /// Whether calls may wait for a disk, so that the caller must make them on a thread for files.
    var mayBlock: Bool { get }

    /// The maximum number of bytes of one content.
    var maxEntryBytes: Int { get }

    /// The error of the last eviction; nil if it succeeded.
    var evictionError: CacheStoreError? { get }

    /// Returns the stored responses of a URI.
    ///
    /// - Parameter uri: the absolute URI without a fragment.
    /// - Returns: the entries, the oldest first; empty if there is none.
    /// - Throws: `.damaged` after the store removed an unusable file; a system's error.
    func entries(of uri: String) throws(CacheStoreError) -> [CacheEntry]

    /// Returns the content of an entry, and marks the entry as used.
    ///
    /// The content stays readable after the entry is replaced, removed or evicted.
    ///
    /// - Returns: nil if the store no longer has this content.
    /// - Throws: `.damaged` after the store removed an unusable file; a system's error.
    func open(_ entry: CacheEntry) throws(CacheStoreError) -> CacheContent?

    /// Begins to write a new response for a URI.
    ///
    /// - Parameters:
    ///   - uri: the absolute URI without a fragment.
    ///   - length: the expected length of the content in bytes; nil if it is unknown.
    /// - Returns: a writer without content.
    /// - Throws: `.tooLarge` if the expected length is above the limit for one entry; a system's error.
    func write(_ uri: String, expecting length: Int?) throws(CacheStoreError) -> any CacheWriter

    /// Replaces the head, the variant and the times of an entry, and keeps its content.
    ///
    /// Another entry of the URI with the new variant is removed.
    ///
    /// - Returns: the new entry; nil if the store no longer has the old one.
    /// - Throws: a system's error; `.lengthMismatch` if `response` describes another part of the content.
    func update(
        _ entry: CacheEntry,
        to response: StoredResponse
    ) throws(CacheStoreError) -> CacheEntry?

    /// Removes an entry; does nothing if it is gone.
    func remove(_ entry: CacheEntry) throws(CacheStoreError)

    /// Removes all entries of a URI.
    func removeAll(of uri: String) throws(CacheStoreError)

    /// Removes all entries.
    func removeAll() throws(CacheStoreError)

    /// Returns all entries, in no particular order.
    func list() throws(CacheStoreError) -> [CacheEntry]

    /// Returns the number and the size of the entries.
    func statistics() throws(CacheStoreError) -> CacheStatistics
}

/// A writer of one response.
///
/// The response becomes visible when it is committed. A writer that is released before discards it. One thread at a
/// time may use a writer.
package protocol CacheWriter: AnyObject, Sendable {
    /// Appends bytes of the content.
    ///
    /// - Throws: `.tooLarge` above the limit for one entry; a system's error. The bytes so far are discarded, and later
    ///   calls throw `.closed`.
    func append(_ bytes: [UInt8]) throws(CacheStoreError)

    /// Stores the response with the appended bytes.
    ///
    /// It replaces the stored response with the same URI and an equal variant atomically. A store that several
    /// processes use does not replace the response to a request that was sent later.
    ///
    /// - Returns: the stored entry.
    /// - Throws: `.lengthMismatch` if the appended bytes are not the content that `response` describes, or if its
    ///   Content-Length is another number; `.superseded`. After any error, nothing is stored.
    func commit(_ response: StoredResponse) throws(CacheStoreError) -> CacheEntry

    /// Discards the appended bytes; does nothing after a commit.
    func discard()
}

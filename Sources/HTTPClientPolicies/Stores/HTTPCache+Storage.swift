extension HTTPCache {
    /// A place for stored responses that the application provides, such as a database or an encrypted directory.
    ///
    ///     let cache = HTTPCache(storage: DatabaseStorage(connection), maxBytes: 256 << 20)
    ///     let client = HTTPClient { $0.cache = .cache(cache) }
    ///
    /// It keeps objects: bytes with a name. The cache chooses the names, encodes what it stores, and removes what it
    /// replaces and what exceeds its limit. It verifies all that it reads with SHA-256: an object that is damaged, was
    /// not completed, or has the bytes of another one, is removed and never used. So the storage may remove objects at
    /// any moment. The digests have no key: a program that can write to the storage can forge responses.
    ///
    /// Several processes may use the same storage. It must show all of them what one has written or removed, before the
    /// call returns. If two processes change the responses of one URL at the same time, a stored response may be lost,
    /// and a response that one of them has just removed may be used by the other.
    ///
    /// Functions are called from several threads at once. They may wait: the threads are for that, but there are few
    /// for all files of a client, and neither a timeout nor a cancellation ends the wait. A blocking call of another
    /// client (``HTTPClient/blocking``) is refused on them. The functions must use neither this cache nor a client with
    /// it. After an error, the client acts as without a cache, and ``HTTPCache/lastError`` has its description.
    public protocol Storage: Sendable {
        /// Returns bytes of an object.
        ///
        /// - Parameters:
        ///   - name: the name of the object: at most 96 lower-case ASCII letters, digits, `-` and `.`.
        ///   - positions: the positions of the bytes in the object. They may exceed its end.
        /// - Returns: the bytes that the object has at these positions; nil if there is no object. Return nil too for
        ///   an object that can never be read again, such as one that cannot be decrypted: the cache then replaces it.
        /// - Throws: any error, if reading fails now and may succeed later.
        func read(_ name: String, _ positions: Range<Int>) throws -> [UInt8]?

        /// Writes bytes of an object.
        ///
        /// The cache writes an object from its first to its last byte; nothing marks the last call. The fields of the
        /// responses of a URL come in one call of at most one MiB. Content comes in calls of 256 KiB, and the last one
        /// may have fewer bytes.
        ///
        /// - Parameters:
        ///   - bytes: the bytes; at least one.
        ///   - name: the name of the object.
        ///   - position: 0 for a new object, which replaces one with the same name at once: a reader, also after a
        ///     crash, finds the old bytes or the new ones. Otherwise the length of the object, to which the bytes are
        ///     appended.
        /// - Throws: any error, if the bytes were not written. It must throw if `position` is neither 0 nor the length
        ///   of an object with this name, because another process has removed it meanwhile.
        func write(_ bytes: [UInt8], to name: String, at position: Int) throws

        /// Removes an object; does nothing if there is none.
        ///
        /// - Parameter name: the name of the object.
        /// - Throws: any error, if the object remains.
        func remove(_ name: String) throws

        /// Returns all objects, also those that are being written.
        ///
        /// The order is that of the last write at position 0, the oldest first: above its limit, the cache removes
        /// objects in this order. It ignores names that it did not choose.
        ///
        /// - Returns: the names and lengths. The lengths serve only the limit, and may be those of encrypted bytes.
        /// - Throws: any error, if the objects cannot be listed.
        func list() throws -> [Object]
    }

    /// An object of a ``Storage``.
    public struct Object: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The number of bytes.
        public let byteCount: Int

        /// Creates an object.
        ///
        /// - Parameters:
        ///   - name: the name.
        ///   - byteCount: the number of bytes.
        public init(name: String, byteCount: Int) {
            self.name = name
            self.byteCount = byteCount
        }
    }

    /// Creates a cache whose responses are in a storage of the application.
    ///
    /// - Parameters:
    ///   - storage: the storage; only this cache, also that of another process, uses it.
    ///   - maxBytes: the maximum number of bytes of all objects. Above it, the responses that were stored or confirmed
    ///     longest ago are removed. Each process lists the objects after it has written a sixteenth of this number, so
    ///     that it may be exceeded by so much, and by what is being written. A response larger than an eighth of it is
    ///     not stored.
    public convenience init(storage: some Storage, maxBytes: Int = 1 << 30) {
        self.init(store: ExternalCacheStore(storage, maxBytes: maxBytes))
    }
}

extension HTTPCache {
    /// A place for stored responses that the application provides, such as a database or an encrypted directory.
    ///
    ///     let cache = HTTPCache(storage: DatabaseStorage(connection), maxBytes: 256 << 20)
    ///     let client = HTTPClient { $0.cache = .cache(cache) }
    ///
    /// It keeps objects: bytes with a name. The cache chooses the names, encodes what it stores, and removes what it
    /// replaces and what exceeds its limit. It verifies all that it reads with SHA-256: an object that is damaged, was
    /// not completed, or has the bytes of another one, is removed and never used. The storage may therefore remove
    /// objects at any moment, and several processes may use the same one. If two of them change the responses of one
    /// URL at the same time, a stored response may be lost.
    ///
    /// Functions are called from several threads at once. These threads may wait, and no event loop runs on them. The
    /// cache waits for each function without a time limit. After an error, the client acts as without a cache, and
    /// ``HTTPCache/lastError`` has its description.
    public protocol Storage: Sendable {
        /// Returns bytes of an object.
        ///
        /// - Parameters:
        ///   - name: the name of the object: at most 96 lower-case ASCII letters, digits, `-` and `.`.
        ///   - positions: the positions of the bytes in the object. They may exceed its end.
        /// - Returns: the bytes that the object has at these positions; nil if there is no object.
        /// - Throws: any error, if the object cannot be read.
        func read(_ name: String, _ positions: Range<Int>) throws -> [UInt8]?

        /// Writes bytes of an object.
        ///
        /// The cache writes an object from its first to its last byte, in one call or in several. At position 0, an
        /// older object with the name is replaced at once: a reader, also after a crash, finds its bytes or the new
        /// ones. At another position, the bytes are appended.
        ///
        /// - Parameters:
        ///   - bytes: the bytes, at most one MiB.
        ///   - name: the name of the object.
        ///   - position: 0, or the number of bytes that were written so far.
        /// - Throws: any error; the cache then removes the object.
        func write(_ bytes: [UInt8], to name: String, at position: Int) throws

        /// Removes an object; does nothing if there is none.
        ///
        /// - Parameter name: the name of the object.
        /// - Throws: any error, if the object remains.
        func remove(_ name: String) throws

        /// Returns all objects, those that were begun longest ago first.
        ///
        /// The cache removes objects in this order above its limit. It ignores names that it did not choose.
        ///
        /// - Returns: the names and lengths.
        /// - Throws: any error, if they cannot be listed.
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
    ///     longest ago are removed. The cache lists the objects after each sixteenth of this number, so that it may be
    ///     exceeded by so much. A response larger than an eighth of it is not stored.
    public convenience init(storage: some Storage, maxBytes: Int = 1 << 30) {
        self.init(store: ExternalCacheStore(storage, maxBytes: maxBytes))
    }
}

internal import SocketTransport
public import Wire

// To change how the cache uses its store, change this file and `HTTPCache+Responses`; the rules are in `Policies/Cache`.
// `CallDriver+Cache` asks the cache and sends the requests, `ClientCore+Cache` does it for most calls without a driver,
// and `CacheFlights` lets equal requests wait. The tests are `HTTPCacheTests`, `CacheFlightTests` and
// `CacheHistoryTests`.

/// A private cache for the responses of one or more clients (RFC 9111).
///
///     let client = HTTPClient { $0.cache = .memory(maxBytes: 64 << 20) }
///     let cache = try HTTPCache(directory: "/var/cache/weather", maxBytes: 1 << 30)
///     let other = HTTPClient { $0.cache = .cache(cache) }
///
/// A response with `private`, or to a request with Authorization, is used only for requests with the same Authorization
/// and Cookie, because one client may send requests for several users.
///
/// Bodies are stored as received and decoded for each response. A body that was cut short, or whose digest is wrong, is
/// not stored. If the store fails, the client acts as without a cache; ``lastError`` has the reason.
public final class HTTPCache: Sendable {
    package let store: any CacheStore
    private let failure = Locked<String?>(nil)
    /// The URIs whose stored responses are being revalidated in the background.
    private let revalidating = Locked(Revalidations())
    package let flights: CacheFlights
    let changes = CacheChanges()
    /// The connection settings of the first client, because the responses that one client trusts need not be those
    /// of another one.
    private let owner = Locked<Owner?>(nil)
    private let isCoalescing = Locked(false)

    package init(store: any CacheStore, maxWait: Duration = .seconds(5)) {
        self.store = store
        flights = CacheFlights(maxWait: maxWait)
    }

    /// Creates an empty cache in memory.
    ///
    /// - Parameters:
    ///   - maxBytes: the maximum number of bytes of all responses with their heads. Above it, the responses that were
    ///     not used for the longest time are removed. A response larger than an eighth of it is not stored.
    ///   - maxEntries: the maximum number of responses; default: only `maxBytes` counts.
    public convenience init(maxBytes: Int = 64 << 20, maxEntries: Int = .max) {
        self.init(store: MemoryCacheStore(.init(maxBytes: maxBytes, maxEntries: maxEntries)))
    }

    /// Creates a cache in a directory, which several processes can share.
    ///
    /// The first stored response creates the directory; its parent must exist. Only the user of the process can read
    /// the files. A process that is killed at any moment leaves no damaged response that would be used.
    ///
    /// - Parameters:
    ///   - directory: the path of a directory that contains only this cache.
    ///   - maxBytes: the maximum number of bytes on the disk; a response larger than an eighth of it is not stored.
    /// - Throws: `.fileFailed` if `directory` is a URL and not one of a file.
    public convenience init(directory: some HTTPFilePath, maxBytes: Int = 1 << 30) throws(HTTPError)
    {
        let path = try directory.httpFilePath
        self.init(store: DirectoryCacheStore(path, .init(maxBytes: maxBytes)))
    }

    /// Whether requests wait for the response to an equal request that is in progress.
    ///
    /// Default false. If it is true, a GET that the cache cannot answer waits until the response to an earlier one is
    /// stored, and uses it. Requests are equal if they have the same URL and the same values of Accept,
    /// Accept-Charset, Accept-Encoding, Accept-Language, Authorization, Cache-Control, Cookie, Pragma and Range. A
    /// request waits once, and for 5 seconds at most: if no stored response answers it then, it is sent. The status
    /// of a request that waited successfully is ``HTTPResponse/CacheStatus/Outcome/collapsed``.
    public var coalesces: Bool {
        get { isCoalescing.withLock { $0 } }
        set { isCoalescing.withLock { $0 = newValue } }
    }

    /// The stored responses, in no particular order.
    ///
    /// - Throws: `.fileFailed`, for a directory or a ``Storage``.
    public var responses: [StoredHead] {
        get throws(HTTPError) {
            try checked { () throws(CacheStoreError) in try store.list() }.compactMap {
                StoredHead($0)
            }
        }
    }

    /// Returns the stored responses of a URL, the oldest first.
    ///
    /// There are several if Vary names request fields, and the requests had different values. It does not say
    /// whether one of them would answer: send a request with the mode `.onlyIfCached` for that.
    ///
    /// - Parameter url: an absolute URL; its fragment does not matter.
    /// - Returns: the responses without their content; empty if there is none.
    /// - Throws: `.fileFailed`, for a directory or a ``Storage``.
    public func responses(to url: URI) throws(HTTPError) -> [StoredHead] {
        try checked { () throws(CacheStoreError) in try store.entries(of: Self.key(url)) }
            .compactMap { StoredHead($0) }
    }

    /// A stored response without its content.
    public struct StoredHead: Sendable, Hashable {
        /// The URL, without a fragment and user information.
        public let url: URI
        /// The status and the stored fields.
        public let head: ResponseHead
        /// The number of bytes of the content, as received.
        public let byteCount: Int
        /// The time the response was received, or last confirmed by the origin.
        public let received: HTTPDate
        /// The names of the request fields that select the response (Vary).
        ///
        /// Their values are not shown, because one of them can be Authorization.
        public let selectingFields: [FieldName]

        init?(_ entry: CacheEntry) {
            guard let url = try? URI(entry.uri) else { return nil }
            self.url = url
            head = entry.response.head
            byteCount = entry.length
            received = entry.response.responseTime
            selectingFields = entry.response.variant.selectors.map(\.name)
        }
    }

    /// Removes all stored responses.
    ///
    /// - Throws: `.fileFailed`, for a directory or a ``Storage``.
    public func removeAll() throws(HTTPError) {
        changes.invalidate(nil)
        try checked { () throws(CacheStoreError) in try store.removeAll() }
    }

    /// Removes the stored responses of a URL.
    ///
    /// - Parameter url: an absolute URL; its fragment does not matter.
    /// - Throws: `.fileFailed`, for a directory or a ``Storage``.
    public func remove(_ url: URI) throws(HTTPError) {
        let uri = Self.key(url)
        changes.invalidate(uri)
        try checked { () throws(CacheStoreError) in try store.removeAll(of: uri) }
    }

    /// The last error of the store, or of a validation in the background, in words; nil if there was none.
    ///
    /// After an error of the store, the client acts as without a cache.
    public var lastError: String? {
        failure.withLock { $0 } ?? store.evictionError?.description
    }

    /// The size of the cache.
    ///
    /// For a directory or a storage, this reads the metadata of each stored response.
    ///
    /// - Throws: `.fileFailed`, for a directory or a ``Storage``.
    public var statistics: Statistics {
        get throws(HTTPError) {
            let size = try checked { () throws(CacheStoreError) in try store.statistics() }
            return Statistics(entryCount: size.entries, byteCount: size.bytes)
        }
    }

    /// The size of a cache.
    public struct Statistics: Sendable, Hashable {
        /// The number of stored responses.
        public let entryCount: Int
        /// The number of bytes of the stored responses, with their heads and what the store needs to manage them.
        ///
        /// The latter is about 1 KB for each response in memory. In a directory, each has two files of 4 KiB or more. In
        /// a storage, it is the length of the objects.
        public let byteCount: Int
    }

    /// The cache of a client.
    public enum Setting: Sendable {
        /// The client stores no responses.
        case disabled
        /// The client creates a cache in memory, of at most this number of bytes.
        ///
        /// Clients derived from this one (``HTTPClient/with(_:)``) share the cache, unless they have other `security` or
        /// `connectOptions`. Other clients with the same configuration do not share it.
        case memory(maxBytes: Int = 64 << 20)
        /// The client uses this cache, which other clients may use too.
        ///
        /// They must have the same `security` and `connectOptions` as the first client that uses it. A client with others
        /// works as without a cache, and ``HTTPCache/lastError`` says so: a response of a server that was not verified,
        /// or for another client certificate, must not answer its requests.
        case cache(HTTPCache)

        /// Returns a cache in a directory, which several processes can share.
        ///
        ///     configuration.cache = try .directory("/var/cache/weather", maxBytes: 1 << 30)
        ///
        /// All clients with this setting use the same cache. The parameters and errors are those of
        /// ``HTTPCache/init(directory:maxBytes:)``.
        ///
        /// - Parameters:
        ///   - path: the path of a directory that contains only this cache.
        ///   - maxBytes: the maximum number of bytes on the disk.
        /// - Returns: the setting.
        /// - Throws: `.fileFailed` if `path` is a URL and not one of a file.
        public static func directory(
            _ path: some HTTPFilePath,
            maxBytes: Int = 1 << 30
        ) throws(HTTPError) -> Setting {
            .cache(try HTTPCache(directory: path, maxBytes: maxBytes))
        }
    }

    // MARK: - Work of the client

    /// Returns whether a client may use the cache: it connects as the first one does.
    ///
    /// Otherwise a response for one client certificate, or of a server that was not verified, would answer a client
    /// with another certificate, or with pins.
    package func admits(_ security: HTTPSecurity, _ connectOptions: HTTPConnectOptions) -> Bool {
        let isAdmitted = owner.withLock { owner in
            guard let owner else {
                owner = Owner(security: security, connectOptions: connectOptions)
                return true
            }
            return owner.security == security && owner.connectOptions == connectOptions
        }
        if !isAdmitted {
            recordFailure(
                "a client with other `security` or `connectOptions` does not use this cache"
            )
        }
        return isAdmitted
    }

    private struct Owner: Sendable {
        let security: HTTPSecurity
        let connectOptions: HTTPConnectOptions
    }

    /// Returns the key of a URL: the absolute URI without fragment and user information.
    ///
    /// Case of the host, the default port and an empty path do not matter (RFC 9110 §4.2.3).
    package static func key(_ url: URI) -> String {
        if let origin = url.origin {
            // Most URLs are written like this, and need no new text.
            return isNormalized(url, origin)
                ? url.text
                : origin.scheme.rawValue + "://" + origin.authority + url.requestTarget
        }
        let url = url.withoutUserinfo
        guard url.fragment != nil else { return url.text }
        return String(url.text.prefix { $0 != "#" })
    }

    private static func isNormalized(_ url: URI, _ origin: Origin) -> Bool {
        guard url.fragment == nil else { return false }
        let text = url.text.utf8.span
        let target = url.requestTarget.utf8.count
        let authority = origin.authority.utf8.span
        let start = origin.scheme == .http ? 7 : 8
        guard text.count == start + authority.count + target else { return false }
        // The parser has found the same scheme, but its case may differ.
        for index in 0..<start where text[index] & 0x60 == 0x40 { return false }
        for index in authority.indices where text[start + index] != authority[index] {
            return false
        }
        return true
    }

    /// Calls the store, and records an error.
    ///
    /// - Returns: nil after an error, which means that the client acts as without a cache.
    package func attempt<Value>(_ work: () throws(CacheStoreError) -> Value) -> Value? {
        do throws(CacheStoreError) {
            return try work()
        } catch {
            switch error {
            // The store is as it should be.
            case .tooLarge, .superseded: return nil
            default: break
            }
            recordFailure(error.description)
            return nil
        }
    }

    /// Records an error for ``lastError``.
    package func recordFailure(_ reason: String) {
        failure.withLock { $0 = reason }
    }

    /// Returns whether the caller must revalidate a URI; false if that is already going on.
    package func beginRevalidation(of uri: String) -> Bool {
        revalidating.withLock { $0.uris.insert(uri).inserted }
    }

    package func endRevalidation(of uri: String) {
        let waiters = revalidating.withLock { state -> [ResultWaiter<Void>] in
            state.uris.remove(uri)
            guard state.uris.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.finish(()) }
    }

    /// Waits until nothing is being revalidated in the background, or the task is canceled.
    package func awaitRevalidations() async {
        let waiter = ResultWaiter<Void>()
        let isIdle = revalidating.withLock { state in
            guard !state.uris.isEmpty else { return true }
            state.waiters.append(waiter)
            return false
        }
        if isIdle { return }
        await waiter.value(ifCancelled: ())
        revalidating.withLock { $0.waiters.removeAll { $0 === waiter } }
    }

    /// The number of callers that wait for the end of all revalidations.
    var revalidationWaiters: Int { revalidating.withLock { $0.waiters.count } }

    private struct Revalidations: Sendable {
        var uris: Set<String> = []
        var waiters: [ResultWaiter<Void>] = []
    }

    private func checked<Value>(
        _ work: () throws(CacheStoreError) -> Value
    ) throws(HTTPError) -> Value {
        do throws(CacheStoreError) {
            return try work()
        } catch {
            throw HTTPError(
                .fileFailed(path: error.path, error.operation, reason: error.description),
                phase: .preparing
            )
        }
    }
}

extension CacheStoreError {
    /// The path of the file; empty if no file failed.
    var path: String {
        switch self {
        case .system(_, _, let path), .output(_, _, let path), .storage(_, _, let path),
            .locked(let path), .damaged(let path):
            path
        case .tooLarge, .lengthMismatch, .superseded, .invalidField, .closed, .noDigest: ""
        }
    }

    /// The failed work on the file.
    fileprivate var operation: HTTPError.FileOperation {
        switch self {
        case .system(_, let step, _), .output(_, let step, _), .storage(_, let step, _):
            switch step {
            case .open, .list, .lock: .open
            case .read: .read
            case .create: .create
            case .write: .write
            case .rename: .rename
            case .remove: .remove
            }
        case .locked: .open
        case .damaged: .read
        case .tooLarge, .lengthMismatch, .superseded, .invalidField, .closed, .noDigest: .write
        }
    }
}

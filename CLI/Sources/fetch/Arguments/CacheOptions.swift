internal import ArgumentParser
package import HTTPClient

/// The options of the cache.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Store responses in this directory, and answer later requests with them as RFC 9111 permits. Several \
            processes can share the directory. --include adds a Cache-Status field to the last head.
            """,
            valueName: "directory"
        )
    )
    var cache: String?

    @Option(
        help: ArgumentHelp(
            """
            How to use the directory of --cache: default, no-store, reload, no-cache, force-cache or \
            only-if-cached, as in the Fetch standard. Without a stored response, only-if-cached has the exit \
            status 22.
            """,
            valueName: "mode"
        )
    )
    var cacheMode: CacheModeName?

    /// Creates the cache of the directory; nil without `--cache`.
    func httpCache() throws(FetchError) -> HTTPCache? {
        guard let path = cache else { return nil }
        do throws(HTTPError) {
            return try HTTPCache(directory: path)
        } catch {
            throw FetchError(ExitCode(error), error.kind.description)
        }
    }
}

/// The name of a cache mode of the Fetch standard.
package enum CacheModeName: String, CaseIterable, ExpressibleByArgument {
    case `default`
    case noStore = "no-store"
    case reload
    case noCache = "no-cache"
    case forceCache = "force-cache"
    case onlyIfCached = "only-if-cached"

    /// The mode of this name.
    package var mode: HTTPRequest.CacheMode {
        switch self {
        case .default: .default
        case .noStore: .noStore
        case .reload: .reload
        case .noCache: .noCache
        case .forceCache: .forceCache
        case .onlyIfCached: .onlyIfCached
        }
    }
}

extension FetchCommand {
    /// Throws if there is a mode without a cache.
    func checkCache() throws {
        guard caching.cache == nil, caching.cacheMode != nil else { return }
        throw ValidationError("--cache-mode needs --cache")
    }
}

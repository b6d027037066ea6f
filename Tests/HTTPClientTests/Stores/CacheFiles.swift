import Glibc
import HTTPClient
import Support
import Testing

/// A store in a temporary directory, and its files.
struct CacheFiles {
    let directory: TemporaryDirectory
    let store: DirectoryCacheStore

    init(
        maxBytes: Int = 64 << 20,
        maxEntryBytes: Int? = nil,
        useInterval: Int = 60,
        settlingTime: Int = 2
    ) throws {
        directory = try TemporaryDirectory()
        store = DirectoryCacheStore(
            directory.path + "/cache",
            DirectoryCacheStore.Limits(
                maxBytes: maxBytes,
                maxEntryBytes: maxEntryBytes,
                useInterval: useInterval,
                settlingTime: settlingTime
            )
        )
    }

    /// Another store over the same directory, like that of another process.
    var other: DirectoryCacheStore { DirectoryCacheStore(directory.path + "/cache", store.limits) }

    var path: String { directory.path + "/cache/v1" }

    /// The names of all files except the lock.
    var names: [String] { TestFileSystem.names(in: path).filter { $0 != ".store.lock" } }

    /// Returns the path of the only file with an extension.
    func only(_ suffix: String) throws -> String {
        let found = names.filter { $0.hasSuffix(suffix) }
        try #require(found.count == 1, "\(found)")
        return "\(path)/\(found[0])"
    }

    /// Returns the path of the metadata and of the content of a URI that has one entry.
    func paths(of uri: String) throws -> (metadata: String, content: String) {
        let entry = try #require(try store.entries(of: uri).first)
        let directory = CacheDirectory(self.directory.path + "/cache")
        let base = try CacheDirectory.baseName(of: uri)
        return (directory.metadataPath(base), directory.contentPath(base, entry.number))
    }

    /// Sets the time of the last change of a file, in seconds since 1970.
    static func setTime(of path: String, to second: Int) {
        let times = [timespec(tv_sec: second, tv_nsec: 0), timespec(tv_sec: second, tv_nsec: 0)]
        unsafe _ = utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW)
    }
}

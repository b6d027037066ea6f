package import SocketTransport

/// The metadata of the URIs that were looked up last, so that an unchanged file is not read again.
///
/// Each change of a store replaces the file, and what other programs do to a file changes its status. The contents are
/// not kept: each use verifies what it reads.
package struct KnownMetadata {
    /// The maximum number of URIs: with usual heads they take half a megabyte.
    package static let maxCount = 256
    /// The maximum number of bytes of a file that is kept.
    package static let maxLength = 4 << 10

    /// The metadata of one URI.
    package struct Known {
        let uri: String
        let path: String
        /// The status of the file that was read.
        let status: FileStatus
        package let entries: [CacheEntry]
        /// What is known of the contents that were opened, by their numbers.
        fileprivate(set) var contents: [UInt64: Content] = [:]
    }

    /// What was verified of a content, except for its bytes.
    package struct Content {
        let path: String
        let entry: CacheEntry
        /// The valid bytes behind the content.
        let trailer: [UInt8]
    }

    private let settlingTime: Int
    private var positions: [String: Int] = [:]
    private var order = RecencyList<Known>()

    /// Creates an empty table.
    ///
    /// - Parameter settlingTime: the seconds after a change in which another one may not show in the status.
    package init(settlingTime: Int) {
        self.settlingTime = settlingTime
    }

    /// Returns what is known of a URI, and marks it as used.
    package mutating func use(_ uri: String) -> Known? {
        guard let position = positions[uri] else { return nil }
        order.use(position)
        return order[position]
    }

    /// Returns what is known of the content of an entry.
    package func content(of entry: CacheEntry) -> Content? {
        guard let position = positions[entry.uri],
            let content = order[position]?.contents[entry.number],
            content.entry.seal == entry.seal, content.entry.length == entry.length
        else { return nil }
        return content
    }

    /// Adds the metadata of a file, or removes it if the status could hide another change.
    ///
    /// - Parameters:
    ///   - metadata: the metadata.
    ///   - path: the file.
    ///   - status: the status of the file when it was opened.
    ///   - now: a time before that, in seconds since 1970.
    package mutating func insert(
        _ metadata: CacheMetadata,
        _ path: String,
        _ status: FileStatus,
        at now: Int
    ) {
        remove(metadata.uri)
        guard status.changed + settlingTime < now, status.length <= Self.maxLength else { return }
        if positions.count >= Self.maxCount, let oldest = order.oldest, let known = order[oldest] {
            remove(known.uri)
        }
        positions[metadata.uri] = order.insert(
            Known(uri: metadata.uri, path: path, status: status, entries: metadata.entries)
        )
    }

    /// Adds a content that was verified.
    mutating func insert(_ content: Content) {
        guard let position = positions[content.entry.uri], var known = order[position],
            known.entries.contains(where: { $0.number == content.entry.number })
        else { return }
        known.contents[content.entry.number] = content
        order.replace(position, with: known)
    }

    mutating func remove(_ uri: String) {
        guard let position = positions.removeValue(forKey: uri) else { return }
        order.remove(position)
    }

    mutating func removeAll() { self = KnownMetadata(settlingTime: settlingTime) }
}

internal import SocketTransport

/// Removing files that no entry needs, and old entries above a limit; the caller holds the lock of the directory.
extension CacheDirectory {
    /// The files of one URI.
    struct Group {
        /// The time of the last use; nil without metadata.
        var used: Int?
        /// The names of all files.
        var names: [String] = []
        var contents: [String] = []
        /// The bytes on the disk.
        var bytes = 0
    }

    /// The age at which a file that is being written is abandoned, in seconds: a day.
    ///
    /// It is for file systems without locks. Elsewhere a file without a lock is abandoned.
    private static let maxWritingTime = 86_400
    /// The block size of most file systems; a file takes whole blocks.
    private static let blockSize = 4096

    /// Returns the bytes that a file takes on the disk, estimated.
    static func diskBytes(_ length: Int) -> Int {
        // No file is so long that this overflows.
        (length / blockSize + 1) * blockSize
    }

    /// Returns the files of each URI by their base name; empty if the directory is missing.
    ///
    /// Files with other names do not belong to the store: they are neither counted nor removed.
    func groups() throws(CacheStoreError) -> [String: Group] {
        var groups: [String: Group] = [:]
        for name in try names() {
            guard let (base, isMetadata) = Self.parsed(name) else { continue }
            guard let status = try status(of: name) else { continue }
            guard status.isRegular else {
                // A link or a pipe is removed. A directory stays, and is never read.
                try? Directory.removeFile("\(path)/\(name)")
                continue
            }
            var group = groups[base] ?? Group()
            group.names.append(name)
            if isMetadata { group.used = status.modified } else { group.contents.append(name) }
            group.bytes += Self.diskBytes(status.length)
            groups[base] = group
        }
        return groups
    }

    /// Removes abandoned files, and the entries that were used longest ago if all have more than `maxBytes`.
    ///
    /// An eviction goes down to nine tenths of the limit, so that it does not follow each new entry.
    ///
    /// - Returns: the bytes that remain.
    package func sweep(maxBytes: Int, now: Int) throws(CacheStoreError) -> Int {
        try removeAbandoned(now: now)
        var groups = try groups()
        for (base, group) in groups { groups[base] = try removeOrphans(of: group, base) }
        var bytes = groups.values.reduce(0) { $0 + $1.bytes }
        guard bytes > maxBytes else { return bytes }
        let order = groups.values.sorted { ($0.used ?? 0) < ($1.used ?? 0) }
        for group in order {
            guard bytes > maxBytes / 10 * 9 else { break }
            try removeFiles(of: group)
            bytes -= group.bytes
        }
        return bytes
    }

    /// Removes all entries.
    func removeAll() throws(CacheStoreError) {
        for group in try groups().values { try removeFiles(of: group) }
    }

    /// Removes the metadata first: without it, nothing refers to the contents.
    private func removeFiles(of group: Group) throws(CacheStoreError) {
        let metadata = group.names.filter { !group.contents.contains($0) }
        for name in metadata + group.contents { try remove("\(path)/\(name)") }
    }

    /// Removes the contents that the metadata does not name, which a killed process left behind.
    ///
    /// The lock excludes a process between the two renames of a commit. A single content with metadata is not checked:
    /// a lookup finds out whether they belong together.
    private func removeOrphans(
        of group: Group,
        _ base: String
    ) throws(CacheStoreError) -> Group? {
        guard group.used != nil else {
            try removeFiles(of: group)
            return nil
        }
        guard group.contents.count > 1 else { return group }
        let path = metadataPath(base)
        let known: Set<String>
        do throws(CacheStoreError) {
            let entries = try metadata(at: path)?.metadata.entries ?? []
            known = Set(entries.map { Self.contentName(base, $0.number) })
        } catch .damaged {
            try removeFiles(of: group)
            return nil
        }
        var group = group
        for name in group.contents where !known.contains(name) {
            if let status = try status(of: name) { group.bytes -= Self.diskBytes(status.length) }
            try remove("\(self.path)/\(name)")
            group.names.removeAll { $0 == name }
        }
        group.contents.removeAll { !known.contains($0) }
        return group
    }

    /// Removes the files that writers left behind when their process ended.
    private func removeAbandoned(now: Int) throws(CacheStoreError) {
        for name in try names() where name.hasPrefix(".new.") && name.hasSuffix(".part") {
            do throws(Errno) {
                try OutputFile.removeLeftover(name, beside: newPath)
            } catch {
                throw .system(error, .remove, path: "\(path)/\(name)")
            }
            if let status = try status(of: name), status.modified < now - Self.maxWritingTime {
                try remove("\(path)/\(name)")
            }
        }
    }

    private func names() throws(CacheStoreError) -> [String] {
        do {
            return try Directory.names(in: path)
        } catch .noSuchFile {
            return []
        } catch {
            throw .system(error, .list, path: path)
        }
    }

    private func status(of name: String) throws(CacheStoreError) -> FileStatus? {
        do {
            return try Directory.status(of: "\(path)/\(name)")
        } catch {
            throw .system(error, .list, path: "\(path)/\(name)")
        }
    }

    /// Returns the base name of a file of an entry, and whether it is metadata; nil for other names.
    static func parsed(_ name: String) -> (base: String, isMetadata: Bool)? {
        let bytes = Array(name.utf8)
        let baseLength = 2 * CacheSeal.digestLength
        guard bytes.count > baseLength, isHexadecimal(bytes[..<baseLength]) else { return nil }
        let base = String(decoding: bytes[..<baseLength], as: UTF8.self)
        if bytes[baseLength...].elementsEqual(".meta".utf8) { return (base, true) }
        guard bytes.count == contentName(base, 0).utf8.count, name.hasSuffix(".body"),
            bytes[baseLength] == UInt8(ascii: "-"),
            isHexadecimal(bytes[(baseLength + 1)...].prefix(16))
        else { return nil }
        return (base, false)
    }

    private static func isHexadecimal(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
}

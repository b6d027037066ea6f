internal import Wire

/// The changes of the entries of a URI, for every store that keeps them as ``CacheMetadata``.
///
/// The functions return the entries that are left out, whose contents the store removes after it has written the
/// metadata.
extension CacheMetadata {
    /// Adds an entry, which replaces one with an equal variant, and removes the oldest above the limit of entries or of
    /// bytes.
    ///
    /// - Throws: `.superseded` if a stored entry answers a request that another process has sent while that of `entry`
    ///   was on its way. A time after the receipt does not count: it shows that the clock was set back.
    mutating func add(
        _ entry: CacheEntry,
        upTo limit: Int
    ) throws(CacheStoreError) -> [CacheEntry] {
        let new = entry.response
        let isLate = entries.contains { old in
            old.response.variant == new.variant && old.response.requestTime > new.requestTime
                && old.response.requestTime <= new.responseTime
        }
        if isLate { throw .superseded }
        var old = removeVariant(of: entry)
        while entries.count >= limit { old.append(entries.removeFirst()) }
        entries.append(entry)
        return old + removeOldest(keeping: entry)
    }

    /// Gives an entry another head, and removes another one with its variant.
    ///
    /// - Returns: the new entry, and those that are left out; nil if there is no such entry.
    /// - Throws: `.lengthMismatch` if `response` describes another part of the content.
    mutating func update(
        _ entry: CacheEntry,
        to response: StoredResponse
    ) throws(CacheStoreError) -> (new: CacheEntry, old: [CacheEntry])? {
        guard let index = entries.firstIndex(where: { $0.number == entry.number }) else {
            return nil
        }
        let new = try entries[index].updated(to: response)
        entries[index] = new
        return (new, removeVariant(of: new) + removeOldest(keeping: new))
    }

    /// Removes an entry; returns false if there is no such entry.
    mutating func remove(_ entry: CacheEntry) -> Bool {
        let count = entries.count
        entries.removeAll { $0.number == entry.number }
        return entries.count < count
    }

    /// Removes and returns the oldest other entries until the rest can be encoded.
    ///
    /// Otherwise a few large heads would keep every new variant of the URI from being stored.
    private mutating func removeOldest(keeping entry: CacheEntry) -> [CacheEntry] {
        var length = entries.reduce(emptyLength) { $0 + Self.encodedLength(of: $1) }
        var old: [CacheEntry] = []
        while length > Self.maxLength,
            let index = entries.firstIndex(where: { $0.number != entry.number })
        {
            length -= Self.encodedLength(of: entries[index])
            old.append(entries.remove(at: index))
        }
        return old
    }

    /// Removes and returns the other entries that the same requests select.
    private mutating func removeVariant(of entry: CacheEntry) -> [CacheEntry] {
        let old = entries.filter {
            $0.response.variant == entry.response.variant && $0.number != entry.number
        }
        entries.removeAll { old.contains($0) }
        return old
    }
}

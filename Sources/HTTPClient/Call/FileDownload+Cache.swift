internal import Wire

// Downloads that the cache may answer. `CallDriver+Cache` asks it; `FileExtent` carries a stored content to the file. The
// test is `CachedDownloadTests`.
extension FileDownload {
    /// Returns whether the cache may answer, so that the next request must not ask for a part.
    ///
    /// - Parameters:
    ///   - plan: the plan of the request.
    ///   - hasBytes: whether the request continues a file, which bypasses the cache except with `.onlyIfCached`.
    /// - Returns: true if the next request has to ask for all bytes that are missing.
    func mayBeStored(_ plan: Plan, hasBytes: Bool) -> Bool {
        guard let cache = client.policies.cache else { return false }
        switch client.cacheMode(of: request) {
        case .noStore, .reload: return false
        case .onlyIfCached: return true
        case .default, .noCache, .forceCache:
            return !hasBytes && cache.hasResponse(to: plan.url)
        }
    }

    /// Removes a stored response whose content is not the expected one.
    ///
    /// - Returns: whether the response came from the cache.
    func removeStored(_ response: HTTPStreamedResponse) -> Bool {
        guard let cache = client.policies.cache, response.cacheStatus?.usesStoredResponse == true
        else { return false }
        // After an error, the stored response answers again, and this call fails.
        let uri = HTTPCache.key(response.url)
        _ = cache.attempt { () throws(CacheStoreError) in try cache.store.removeAll(of: uri) }
        return true
    }
}

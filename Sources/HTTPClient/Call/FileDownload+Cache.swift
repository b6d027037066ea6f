internal import Wire

// Downloads that the cache may answer. `CallDriver+Cache` asks it; `FileExtent` carries a stored content to the file. The
// test is `CachedDownloadTests`.
extension FileDownload {
    /// Whether the cache may answer, so that the first request must ask for the whole resource.
    func mayBeStored(_ plan: Plan) -> Bool {
        guard let cache = client.policies.cache else { return false }
        switch request.cacheMode {
        case .noStore, .reload: return false
        case .onlyIfCached: return true
        case .default, .noCache, .forceCache: return cache.hasResponse(to: plan.url)
        }
    }

    /// Removes a stored response whose content is not the expected one.
    ///
    /// - Returns: whether the response came from the cache.
    func removeStored(_ response: HTTPStreamedResponse) -> Bool {
        guard let cache = client.policies.cache, response.cacheStatus?.usesStoredResponse == true
        else { return false }
        // An error stays in the cache (`lastError`); the stored response then answers again, and this call fails.
        try? cache.remove(response.url)
        return true
    }
}

/// Holds what a cassette has recorded.
struct Recording: Sendable {
    /// Drawn for each recording, and in the file: nothing is learned from digests in two files.
    var salt = ClientNonce.random()
    var entries: [CassetteEntry] = []

    mutating func append(_ entry: CassetteEntry) {
        var entry = entry
        entry.request.digest = entry.request.hidden.digest(salt: salt)
        entries.append(entry)
    }

    /// Finds the entry that answers a request.
    ///
    /// Requests with the same secrets go first. One with others is answered when the recording knows
    /// just one set of secrets for such a request: then they were changed since. Where it knows
    /// several, they tell requests apart.
    ///
    /// - Parameters:
    ///   - recorded: the request.
    ///   - used: entries that were played.
    /// - Returns: where the entry is; nil when there is none.
    func index(for recorded: CassetteEntry.RecordedRequest, excluding used: Set<Int>) -> Int? {
        let same = entries.indices.filter { entries[$0].request.isSame(as: recorded) }
        let unused = same.filter { !used.contains($0) }
        // Without secrets, or with those that a recording gave out, which are hidden.
        guard let digest = recorded.hidden.digest(salt: salt) else { return unused.first }
        let known = Set(same.compactMap { entries[$0].request.digest })
        return unused.first { entries[$0].request.digest == digest }
            ?? unused.first { known.count < 2 || entries[$0].request.digest == nil }
    }
}

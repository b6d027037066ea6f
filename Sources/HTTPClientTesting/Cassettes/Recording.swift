internal import HTTPClient

/// The content of a cassette.
struct Recording: Sendable {
    /// The random salt of the digests, stored in the file; it makes digests in two files unrelated.
    var salt = RandomBits.digits()
    var entries: [CassetteEntry] = []

    mutating func append(_ entry: CassetteEntry) {
        var entry = entry
        entry.request.digest = entry.request.hidden.digest(salt: salt)
        entries.append(entry)
    }

    /// Finds the entry that answers a request.
    ///
    /// An entry with the same secrets is preferred. A request with other secrets is answered if the
    /// recording has only one set of secrets for such a request: then the secrets have changed since
    /// the recording. If the recording has several sets, the secrets distinguish the requests.
    ///
    /// - Parameters:
    ///   - recorded: the request.
    ///   - used: the entries that were already replayed.
    /// - Returns: the index of the entry; nil if there is none.
    func index(for recorded: CassetteEntry.RecordedRequest, excluding used: Set<Int>) -> Int? {
        let same = entries.indices.filter { entries[$0].request.isSame(as: recorded) }
        let unused = same.filter { !used.contains($0) }
        // The request has no secrets, or only redacted ones that came from a recorded response.
        guard let digest = recorded.hidden.digest(salt: salt) else { return unused.first }
        let known = Set(same.compactMap { entries[$0].request.digest })
        return unused.first { entries[$0].request.digest == digest }
            ?? unused.first { known.count < 2 || entries[$0].request.digest == nil }
    }
}

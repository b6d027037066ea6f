/// A cache of lookups and their waiters, without threads or a clock.
///
/// The driver (``HostResolver``) starts the lookups and notifies the waiters. Rules:
/// - At most one lookup of a name runs at a time; concurrent callers share it.
/// - A success is cached for ``HTTPDNSCacheOptions/positiveTTL``, a failure for
///   ``HTTPDNSCacheOptions/negativeTTL``, because `getaddrinfo` does not expose TTLs. Local system
///   failures are not cached.
/// - At most ``HTTPDNSCacheOptions/maxEntries`` are cached; the entry that would expire first is
///   evicted.
package struct DNSCache {
    /// The next step for a caller that needs addresses.
    package enum FindResult: Equatable {
        /// Use this result.
        case cached(GetaddrinfoResolver.LookupResult)
        /// Start this lookup and wait for it.
        case start(lookup: UInt64, waiter: UInt64)
        /// Wait for the lookup in progress.
        case join(waiter: UInt64)
    }

    private struct Entry {
        let answer: GetaddrinfoResolver.LookupResult
        let end: Deadline
    }

    private struct PendingLookup {
        let lookup: UInt64
        var waiters: [UInt64]
    }

    package let options: HTTPDNSCacheOptions
    private var entries: [HostQuery: Entry] = [:]
    private var pending: [HostQuery: PendingLookup] = [:]
    private var last: UInt64 = 0

    package init(_ options: HTTPDNSCacheOptions) {
        self.options = options
    }

    /// The number of cached names, successes and failures, including expired ones.
    package var count: Int { entries.count }

    /// Returns the cached result of `name`, or registers a waiter for its lookup.
    package mutating func find(_ name: HostQuery, at now: Deadline) -> FindResult {
        if let entry = entries[name] {
            if now < entry.end { return .cached(entry.answer) }
            entries[name] = nil
        }
        last += 1
        let waiter = last
        if pending[name] != nil {
            pending[name]?.waiters.append(waiter)
            return .join(waiter: waiter)
        }
        last += 1
        pending[name] = PendingLookup(lookup: last, waiters: [waiter])
        return .start(lookup: last, waiter: waiter)
    }

    /// Records the end of a lookup.
    ///
    /// - Returns: the waiters of the lookup; empty if it had been canceled.
    package mutating func finish(
        _ name: HostQuery,
        _ lookup: UInt64,
        _ answer: GetaddrinfoResolver.LookupResult,
        at now: Deadline
    ) -> [UInt64] {
        guard let ended = pending[name], ended.lookup == lookup else { return [] }
        pending[name] = nil
        store(answer, for: name, at: now)
        return ended.waiters
    }

    /// Removes a waiter.
    ///
    /// - Returns: the lookup, if it has no more waiters.
    package mutating func abandon(_ name: HostQuery, waiter: UInt64) -> UInt64? {
        guard let place = pending[name]?.waiters.firstIndex(of: waiter) else { return nil }
        pending[name]?.waiters.remove(at: place)
        guard let rest = pending[name], rest.waiters.isEmpty else { return nil }
        return rest.lookup
    }

    /// Removes a canceled lookup without waiters; the next call starts a new one.
    package mutating func cancel(_ name: HostQuery, _ lookup: UInt64) {
        guard pending[name]?.lookup == lookup else { return }
        pending[name] = nil
    }

    /// Removes the cached addresses of `name`, which turned out to be unusable.
    package mutating func invalidate(_ name: HostQuery) {
        entries[name] = nil
    }

    private mutating func store(
        _ answer: GetaddrinfoResolver.LookupResult,
        for name: HostQuery,
        at now: Deadline
    ) {
        let duration: Duration
        switch answer {
        case .success: duration = options.positiveTTL
        case .failure(.resolveFailed), .failure(.resolverFailed): duration = options.negativeTTL
        case .failure: return
        }
        guard duration > .zero, options.maxEntries > 0 else { return }
        if entries.count >= options.maxEntries {
            entries = entries.filter { now < $0.value.end }
            if entries.count >= options.maxEntries,
                let soonest = entries.min(by: { $0.value.end < $1.value.end })
            {
                entries[soonest.key] = nil
            }
        }
        entries[name] = Entry(answer: answer, end: now.advanced(by: duration))
    }
}

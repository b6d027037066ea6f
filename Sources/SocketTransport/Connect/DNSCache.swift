/// Keeps what was looked up, and who waits for what is being looked up: without threads or a clock.
///
/// The driver (``HostResolver``) begins the look-ups and tells the waiters. Rules:
/// - A name is looked up once at a time, for everybody who asks meanwhile.
/// - An answer is kept for ``Limits/positiveTTL``, a failure for ``Limits/negativeTTL``: the C library
///   does not tell how long an answer holds. A failure of this machine is not kept.
/// - At most ``Limits/entries`` are kept; the one that would end first makes room.
package struct DNSCache {
    package struct Limits: Sendable, Hashable {
        /// How long addresses are kept.
        package var positiveTTL: Duration
        /// How long it is remembered that there are none.
        package var negativeTTL: Duration
        /// Names kept.
        package var entries: Int

        package init(positiveTTL: Duration, negativeTTL: Duration, entries: Int) {
            self.positiveTTL = positiveTTL
            self.negativeTTL = negativeTTL
            self.entries = entries
        }
    }

    /// What somebody who wants addresses does next.
    package enum FindResult: Equatable {
        /// Use this.
        case cached(GetaddrinfoResolver.LookupResult)
        /// Begin this look-up, and wait for it.
        case start(lookup: UInt64, waiter: UInt64)
        /// Wait for the look-up that is under way.
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

    package let limits: Limits
    private var entries: [HostQuery: Entry] = [:]
    private var pending: [HostQuery: PendingLookup] = [:]
    private var last: UInt64 = 0

    package init(limits: Limits) {
        self.limits = limits
    }

    /// Names kept, good and bad, whether or not their time is over.
    package var count: Int { entries.count }

    /// Somebody wants the addresses of `name`.
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

    /// A look-up has ended.
    ///
    /// - Returns: who waits for it; nobody when it had been cancelled.
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

    /// Somebody waits no longer.
    ///
    /// - Returns: the look-up, when now nobody waits for it.
    package mutating func abandon(_ name: HostQuery, waiter: UInt64) -> UInt64? {
        guard let place = pending[name]?.waiters.firstIndex(of: waiter) else { return nil }
        pending[name]?.waiters.remove(at: place)
        guard let rest = pending[name], rest.waiters.isEmpty else { return nil }
        return rest.lookup
    }

    /// A look-up that nobody waits for will not end: who asks next begins another.
    package mutating func cancel(_ name: HostQuery, _ lookup: UInt64) {
        guard pending[name]?.lookup == lookup else { return }
        pending[name] = nil
    }

    /// The addresses of `name` turned out to be of no use.
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
        case .success: duration = limits.positiveTTL
        case .failure(.resolveFailed), .failure(.resolverFailed): duration = limits.negativeTTL
        case .failure: return
        }
        guard duration > .zero, limits.entries > 0 else { return }
        if entries.count >= limits.entries {
            entries = entries.filter { now < $0.value.end }
            if entries.count >= limits.entries,
                let soonest = entries.min(by: { $0.value.end < $1.value.end })
            {
                entries[soonest.key] = nil
            }
        }
        entries[name] = Entry(answer: answer, end: now.advanced(by: duration))
    }
}

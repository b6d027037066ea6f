/// Keeps what was looked up, and who waits for what is being looked up: without threads or a clock.
///
/// The driver (``AddressBook``) begins the look-ups and tells the waiters. Rules:
/// - A name is looked up once at a time, for everybody who asks meanwhile.
/// - An answer is kept for ``Limits/positive``, a failure for ``Limits/negative``: the C library
///   does not tell how long an answer holds. A failure of this machine is not kept.
/// - At most ``Limits/entries`` are kept; the one that would end first makes room.
package struct NameTable {
    package struct Limits: Sendable, Hashable {
        /// How long addresses are kept.
        package var positive: Duration
        /// How long it is remembered that there are none.
        package var negative: Duration
        /// Names kept.
        package var entries: Int

        package init(positive: Duration, negative: Duration, entries: Int) {
            self.positive = positive
            self.negative = negative
            self.entries = entries
        }
    }

    /// What somebody who wants addresses does next.
    package enum Find: Equatable {
        /// Use this.
        case known(Resolver.Answer)
        /// Begin this look-up, and wait for it.
        case begin(lookup: UInt64, waiter: UInt64)
        /// Wait for the look-up that is under way.
        case join(waiter: UInt64)
    }

    private struct Entry {
        let answer: Resolver.Answer
        let end: Deadline
    }

    private struct UnderWay {
        let lookup: UInt64
        var waiters: [UInt64]
    }

    package let limits: Limits
    private var entries: [LookedUpName: Entry] = [:]
    private var underWay: [LookedUpName: UnderWay] = [:]
    private var last: UInt64 = 0

    package init(limits: Limits) {
        self.limits = limits
    }

    /// Names kept, good and bad, whether or not their time is over.
    package var count: Int { entries.count }

    /// Somebody wants the addresses of `name`.
    package mutating func find(_ name: LookedUpName, at now: Deadline) -> Find {
        if let entry = entries[name] {
            if now < entry.end { return .known(entry.answer) }
            entries[name] = nil
        }
        last += 1
        let waiter = last
        if underWay[name] != nil {
            underWay[name]?.waiters.append(waiter)
            return .join(waiter: waiter)
        }
        last += 1
        underWay[name] = UnderWay(lookup: last, waiters: [waiter])
        return .begin(lookup: last, waiter: waiter)
    }

    /// A look-up has ended.
    ///
    /// - Returns: who waits for it; nobody when it had been withdrawn.
    package mutating func finish(
        _ name: LookedUpName,
        _ lookup: UInt64,
        _ answer: Resolver.Answer,
        at now: Deadline
    ) -> [UInt64] {
        guard let ended = underWay[name], ended.lookup == lookup else { return [] }
        underWay[name] = nil
        keep(answer, for: name, at: now)
        return ended.waiters
    }

    /// Somebody waits no longer.
    ///
    /// - Returns: the look-up, when now nobody waits for it.
    package mutating func abandon(_ name: LookedUpName, waiter: UInt64) -> UInt64? {
        guard let place = underWay[name]?.waiters.firstIndex(of: waiter) else { return nil }
        underWay[name]?.waiters.remove(at: place)
        guard let rest = underWay[name], rest.waiters.isEmpty else { return nil }
        return rest.lookup
    }

    /// A look-up that nobody waits for will not end: who asks next begins another.
    package mutating func withdraw(_ name: LookedUpName, _ lookup: UInt64) {
        guard underWay[name]?.lookup == lookup else { return }
        underWay[name] = nil
    }

    /// The addresses of `name` turned out to be of no use.
    package mutating func forget(_ name: LookedUpName) {
        entries[name] = nil
    }

    private mutating func keep(
        _ answer: Resolver.Answer,
        for name: LookedUpName,
        at now: Deadline
    ) {
        let duration: Duration
        switch answer {
        case .success: duration = limits.positive
        case .failure(.resolveFailed), .failure(.resolverFailed): duration = limits.negative
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

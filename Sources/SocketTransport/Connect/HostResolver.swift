/// A resolver of host names with a cache; concurrent callers share one lookup of a name.
///
/// Shared by the loops of one owner.
package final class HostResolver: Sendable {
    /// The result of canceling a lookup that has no more waiters.
    package enum Cancellation {
        /// The lookup cannot be stopped: the next caller for the name waits for it too.
        case stillRunning
        /// The lookup will not call its completion; run the action outside of all locks.
        case cancelled(@Sendable () -> Void)
    }

    /// A function that starts a lookup, which calls the completion once.
    ///
    /// - Returns: a function that cancels it; it must be fast, because it is called under a lock.
    package typealias StartLookup =
        @Sendable (
            HostQuery, @escaping @Sendable (GetaddrinfoResolver.LookupResult) -> Void
        ) -> (@Sendable () -> Cancellation)

    private struct State {
        var table: DNSCache
        var waiters: [UInt64: @Sendable (GetaddrinfoResolver.LookupResult) -> Void] = [:]
        var cancellations: [UInt64: @Sendable () -> Cancellation] = [:]
        /// Lookups whose `startLookup` has not returned yet.
        var starting: Set<UInt64> = []
    }

    private let state: Locked<State>
    private let startLookup: StartLookup

    package init(cache options: HTTPDNSCacheOptions, startLookup: @escaping StartLookup) {
        state = Locked(State(table: DNSCache(options)))
        self.startLookup = startLookup
    }

    /// Creates a resolver that runs getaddrinfo(3) on the threads of `resolver`.
    ///
    /// By default the resolver is a new one.
    package convenience init(
        cache options: HTTPDNSCacheOptions,
        resolver: GetaddrinfoResolver = GetaddrinfoResolver()
    ) {
        self.init(cache: options) { name, completion in
            let id = resolver.start(name, completion)
            return { resolver.cancel(id) ? .cancelled({}) : .stillRunning }
        }
    }

    /// Returns the addresses of `name`; a numeric address is not looked up.
    ///
    /// A canceled caller returns at once, even if the lookup is still running.
    ///
    /// - Throws: `.resolveFailed`, `.resolverFailed`, `.timedOut(.resolve)`, `.cancelled`,
    ///   `.descriptorsExhausted`; `.systemFailure` if no thread can be started.
    package nonisolated(nonsending) func addresses(
        of name: HostQuery,
        on loop: EventLoop,
        until deadline: Deadline,
        in scope: CancellationScope
    ) async throws(TransportError) -> [IPAddress] {
        if let literal = IPAddress(literal: name.host) {
            guard name.family.includes(literal) else { throw .noAddressInFamily(host: name.host) }
            return [literal]
        }
        let suspension = Suspension<[IPAddress]>(on: loop, phase: .resolve)
        try scope.enter(suspension)
        defer { scope.leave() }
        let waiting = LoopBound(suspension, on: loop)
        let found = state.withLock { state in
            let found = state.table.find(name, at: .nowCountingSleep())
            switch found {
            case .cached: break
            case .start(let lookup, let waiter):
                state.starting.insert(lookup)
                state.waiters[waiter] = Self.resumption(of: waiting, on: loop)
            case .join(let waiter):
                state.waiters[waiter] = Self.resumption(of: waiting, on: loop)
            }
            return found
        }
        let mine: UInt64
        switch found {
        case .cached(let answer):
            return try answer.get()
        case .start(let lookup, let waiter):
            start(name, lookup)
            mine = waiter
        case .join(let waiter):
            mine = waiter
        }
        do {
            return try await suspension.wait(until: deadline)
        } catch {
            abandon(name, waiter: mine)
            throw error
        }
    }

    /// Removes the cached addresses of `name`, which turned out to be unusable.
    package func invalidate(_ name: HostQuery) {
        state.withLock { $0.table.invalidate(name) }
    }

    private static func resumption(
        of waiting: LoopBound<Suspension<[IPAddress]>>,
        on loop: EventLoop
    ) -> @Sendable (GetaddrinfoResolver.LookupResult) -> Void {
        { answer in
            loop.post {
                switch answer {
                case .success(let hosts): waiting.value.resume(returning: hosts)
                case .failure(let error): waiting.value.fail(error)
                }
            }
        }
    }

    private func start(_ name: HostQuery, _ lookup: UInt64) {
        let cancellation = startLookup(name) { answer in
            let waiters = self.state.withLock { state in
                state.starting.remove(lookup)
                state.cancellations[lookup] = nil
                return state.table.finish(name, lookup, answer, at: .nowCountingSleep())
                    .compactMap { state.waiters.removeValue(forKey: $0) }
            }
            for waiter in waiters { waiter(answer) }
        }
        state.withLock { state in
            // If it is no longer there, the answer came before startLookup returned.
            guard state.starting.remove(lookup) != nil else { return }
            state.cancellations[lookup] = cancellation
        }
    }

    private func abandon(_ name: HostQuery, waiter: UInt64) {
        let cancellation = state.withLock { state -> Cancellation in
            state.waiters[waiter] = nil
            guard let lookup = state.table.abandon(name, waiter: waiter),
                let cancel = state.cancellations[lookup]
            else { return .stillRunning }
            let cancellation = cancel()
            if case .cancelled = cancellation {
                state.cancellations[lookup] = nil
                state.table.cancel(name, lookup)
            }
            return cancellation
        }
        if case .cancelled(let action) = cancellation { action() }
    }
}

/// A host name to look up, with the requested address family.
package struct HostQuery: Sendable, Hashable {
    /// The host name; the cache compares it exactly, so different case means different entries.
    package let host: String
    package let family: IPAddress.Family

    package init(host: String, family: IPAddress.Family = .any) {
        self.host = host
        self.family = family
    }
}

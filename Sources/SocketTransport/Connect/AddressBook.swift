/// Finds the addresses of names: remembers them for a while and asks once for all who ask together.
///
/// Shared by the loops of one owner.
package final class AddressBook: Sendable {
    /// What becomes of a look-up that nobody waits for any more.
    package enum Withdrawal {
        /// It cannot be stopped: who asks next waits for it too.
        case runsOn
        /// It will not be heard of again; run the action, outside of every lock.
        case accepted(@Sendable () -> Void)
    }

    /// Begins a look-up, which calls the completion once.
    ///
    /// - Returns: what withdraws it; quick, for it is called under a lock.
    package typealias Source =
        @Sendable (
            LookedUpName, @escaping @Sendable (Resolver.Answer) -> Void
        ) -> (@Sendable () -> Withdrawal)

    private struct State {
        var table: NameTable
        var waiters: [UInt64: @Sendable (Resolver.Answer) -> Void] = [:]
        var withdrawals: [UInt64: @Sendable () -> Withdrawal] = [:]
        /// Look-ups whose source has not returned yet.
        var beginning: Set<UInt64> = []
    }

    private let state: Locked<State>
    private let source: Source

    package init(limits: NameTable.Limits, source: @escaping Source) {
        state = Locked(State(table: NameTable(limits: limits)))
        self.source = source
    }

    /// Asks getaddrinfo(3) on the threads of `resolver`, by default one of its own.
    package convenience init(limits: NameTable.Limits, resolver: Resolver = Resolver()) {
        self.init(limits: limits) { name, completion in
            let id = resolver.begin(name, completion)
            return { resolver.withdraw(id) ? .accepted({}) : .runsOn }
        }
    }

    /// Finds the addresses of `name`; a numeric address is not looked up.
    ///
    /// A caller that gives up leaves at once, whatever the look-up does.
    ///
    /// - Throws: `.resolveFailed`, `.resolverFailed`, `.timedOut(.resolve)`, `.cancelled`,
    ///   `.descriptorsExhausted`; `.systemFailure` when no thread can be started.
    package nonisolated(nonsending) func addresses(
        of name: LookedUpName,
        on loop: EventLoop,
        until deadline: Deadline,
        in scope: CancellationScope
    ) async throws(TransportError) -> [SocketAddress.Host] {
        if let literal = SocketAddress(literal: name.host, port: 0)?.host {
            guard name.family.includes(literal) else { throw .noAddressInFamily(host: name.host) }
            return [literal]
        }
        let suspension = Suspension<[SocketAddress.Host]>(on: loop, phase: .resolve)
        try scope.enter(suspension)
        defer { scope.leave() }
        let waiting = LoopBound(suspension, on: loop)
        let found = state.withLock { state in
            let found = state.table.find(name, at: .now())
            switch found {
            case .known: break
            case .begin(let lookup, let waiter):
                state.beginning.insert(lookup)
                state.waiters[waiter] = Self.resumption(of: waiting, on: loop)
            case .join(let waiter):
                state.waiters[waiter] = Self.resumption(of: waiting, on: loop)
            }
            return found
        }
        let mine: UInt64
        switch found {
        case .known(let answer):
            return try answer.get()
        case .begin(let lookup, let waiter):
            begin(name, lookup)
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

    /// Looks `name` up anew the next time: its addresses turned out to be of no use.
    package func forget(_ name: LookedUpName) {
        state.withLock { $0.table.forget(name) }
    }

    private static func resumption(
        of waiting: LoopBound<Suspension<[SocketAddress.Host]>>,
        on loop: EventLoop
    ) -> @Sendable (Resolver.Answer) -> Void {
        { answer in
            loop.post {
                switch answer {
                case .success(let hosts): waiting.value.resume(returning: hosts)
                case .failure(let error): waiting.value.fail(error)
                }
            }
        }
    }

    private func begin(_ name: LookedUpName, _ lookup: UInt64) {
        let withdrawal = source(name) { answer in
            let waiters = self.state.withLock { state in
                state.beginning.remove(lookup)
                state.withdrawals[lookup] = nil
                return state.table.finish(name, lookup, answer, at: .now())
                    .compactMap { state.waiters.removeValue(forKey: $0) }
            }
            for waiter in waiters { waiter(answer) }
        }
        state.withLock { state in
            // Not there any more: the answer came before the source returned.
            guard state.beginning.remove(lookup) != nil else { return }
            state.withdrawals[lookup] = withdrawal
        }
    }

    private func abandon(_ name: LookedUpName, waiter: UInt64) {
        let withdrawal = state.withLock { state -> Withdrawal in
            state.waiters[waiter] = nil
            guard let lookup = state.table.abandon(name, waiter: waiter),
                let withdraw = state.withdrawals[lookup]
            else { return .runsOn }
            let withdrawal = withdraw()
            if case .accepted = withdrawal {
                state.withdrawals[lookup] = nil
                state.table.withdraw(name, lookup)
            }
            return withdrawal
        }
        if case .accepted(let action) = withdrawal { action() }
    }
}

private import Glibc

/// A connector that drives a ``HappyEyeballs`` over real sockets.
///
/// Runs on the loop.
package enum Connector {
    /// Connects to the first of `addresses` that answers.
    ///
    /// - Parameters:
    ///   - addresses: the addresses in order of preference.
    ///   - options: the socket options.
    ///   - loop: the loop that this runs on and that the stream belongs to.
    ///   - deadline: the deadline for all addresses together.
    ///   - scope: the scope that can cancel the attempts.
    ///   - history: receives an entry for each address tried, in the order in which the attempts
    ///     ended. With `.timedOut`, attempts still in progress are recorded as timed out.
    /// - Returns: the connection.
    /// - Throws: `.connectFailed` with one entry per address, `.bindFailed` if no socket could be
    ///   bound, `.timedOut(.connect)`, `.cancelled`, `.descriptorsExhausted`.
    package static nonisolated(nonsending) func connect(
        to addresses: [SocketAddress],
        _ options: HTTPSocketOptions = HTTPSocketOptions(),
        on loop: EventLoop,
        until deadline: Deadline,
        in scope: CancellationScope,
        recording history: inout [ConnectAttempt]
    ) async throws(TransportError) -> SocketStream {
        let suspension = Suspension<Void>(on: loop, phase: .connect)
        try scope.enter(suspension)
        defer { scope.leave() }
        var race = HappyEyeballs(addresses)
        var attempts: [(index: Int, attempt: PendingConnection)] = []
        defer {
            for entry in attempts {
                history.append(entry.attempt.record(.abandoned))
                entry.attempt.close()
            }
        }
        while true {
            switch race.next(at: .now()) {
            case .fail:
                throw error(race.failures, options)
            case .start(let index):
                let start = Deadline.now()
                do throws(PendingConnection.SetupError) {
                    let attempt = try PendingConnection(
                        to: race.addresses[index],
                        options,
                        on: loop,
                        since: start,
                        completion: suspension
                    )
                    attempts.append((index, attempt))
                } catch {
                    // An attempt in progress may still succeed.
                    if error.errno.isDescriptorExhaustion, attempts.isEmpty {
                        throw .descriptorsExhausted(error.errno)
                    }
                    race.attemptFailed(index, error.errno, error.step)
                    history.append(
                        ConnectAttempt(
                            address: race.addresses[index],
                            start: start,
                            end: .now(),
                            outcome: .failed(error.errno, error.step)
                        )
                    )
                    continue
                }
            case .wait(let nextAttempt):
                do {
                    try await suspension.wait(until: min(nextAttempt, deadline))
                } catch {
                    // The delay between attempts has passed, not the deadline: start the next
                    // address.
                    guard case .timedOut = error else { throw error }
                    if .now() >= deadline {
                        for entry in attempts {
                            history.append(entry.attempt.record(.failed(.timedOut, .connect)))
                            entry.attempt.close()
                        }
                        attempts = []
                        throw error
                    }
                }
            }
            var stillOpen: [(index: Int, attempt: PendingConnection)] = []
            var winner: PendingConnection?
            for entry in attempts {
                switch entry.attempt.outcome {
                case .connected where winner == nil: winner = entry.attempt
                case .failed(let errno):
                    race.attemptFailed(entry.index, errno)
                    history.append(entry.attempt.record(.failed(errno, .connect)))
                    entry.attempt.close()
                default: stillOpen.append(entry)
                }
            }
            attempts = stillOpen
            if let winner {
                history.append(winner.record(.connected))
                return try winner.takeStream()
            }
        }
    }

    /// Connects to the first of `addresses` that answers, without recording the attempts.
    ///
    /// - Throws: the same errors as the function above.
    package static nonisolated(nonsending) func connect(
        to addresses: [SocketAddress],
        on loop: EventLoop,
        until deadline: Deadline,
        in scope: CancellationScope
    ) async throws(TransportError) -> SocketStream {
        var history: [ConnectAttempt] = []
        return try await connect(
            to: addresses,
            on: loop,
            until: deadline,
            in: scope,
            recording: &history
        )
    }

    /// Connects to a Unix domain socket; waits while its backlog is full.
    ///
    /// - Throws: `.connectFailed` without an entry if an `errno` describes the failure, which is
    ///   stored in `failure`; `.timedOut(.connect)`, `.cancelled`, `.descriptorsExhausted`.
    package static nonisolated(nonsending) func connect(
        to address: UnixAddress,
        on loop: EventLoop,
        until deadline: Deadline,
        in scope: CancellationScope,
        recording failure: inout Errno?
    ) async throws(TransportError) -> SocketStream {
        let suspension = Suspension<Void>(on: loop, phase: .connect)
        try scope.enter(suspension)
        defer { scope.leave() }
        while true {
            do throws(Errno) {
                let socket = try Syscalls.unixSocket()
                try Syscalls.connect(socket.rawValue, to: address)
                return try SocketStream(loop: loop, connected: socket)
            } catch .again {
                failure = .again
            } catch {
                if error.isDescriptorExhaustion { throw .descriptorsExhausted(error) }
                failure = error
                throw .connectFailed([])
            }
            // The kernel does not report when a full backlog has room again.
            let next = min(Deadline.now().advanced(by: .milliseconds(10)), deadline)
            do {
                try await suspension.wait(until: next)
            } catch {
                guard case .timedOut = error, .now() < deadline else { throw error }
            }
        }
    }

    private static func error(
        _ failures: [ConnectFailure],
        _ options: HTTPSocketOptions
    ) -> TransportError {
        if let binding = options.localBinding, let first = failures.first,
            failures.allSatisfy({ $0.step == .bind })
        {
            return .bindFailed(binding, first.errno)
        }
        return .connectFailed(failures)
    }
}

/// A socket that is being connected; it is closed unless ``takeStream()`` takes it.
///
/// Loop-confined.
private final class PendingConnection: PollTarget {
    enum Outcome {
        case pending
        case connected
        case failed(Errno)
    }

    /// The reason why an attempt could not start.
    struct SetupError: Error {
        let errno: Errno
        var step = ConnectFailure.Step.connect
    }

    private(set) var outcome = Outcome.pending
    private let address: SocketAddress
    private let start: Deadline
    private let loop: EventLoop
    private var descriptor: Descriptor?
    private var registration: Registration?
    private var events: PollEvents = []
    private let completion: Suspension<Void>

    init(
        to address: SocketAddress,
        _ options: HTTPSocketOptions,
        on loop: EventLoop,
        since start: Deadline,
        completion: Suspension<Void>
    ) throws(SetupError) {
        self.address = address
        self.start = start
        self.loop = loop
        self.completion = completion
        var step = ConnectFailure.Step.connect
        do {
            let socket = try Syscalls.tcpSocket(ipv6: address.isIPv6)
            let raw = socket.rawValue
            try Syscalls.set(options, of: raw)
            if let binding = options.localBinding {
                step = .bind
                try Syscalls.bind(raw, to: binding, toReach: address)
                step = .connect
            }
            // Registered after the call, because epoll reports a hang-up on an unconnected socket.
            let isConnected = try Syscalls.connect(raw, to: address)
            descriptor = consume socket
            registration = try loop.register(raw, self)
            if isConnected { outcome = .connected }
        } catch {
            throw SetupError(errno: error, step: step)
        }
    }

    func becameReady(_ events: PollEvents) {
        self.events.formUnion(events)
        guard case .pending = outcome, let raw = descriptor.number else { return }
        if let errno = Syscalls.pendingError(raw) {
            outcome = .failed(errno)
        } else if events.contains(.writable) {
            outcome = .connected
        } else {
            return
        }
        completion.resume(returning: ())
    }

    func loopStopped() {
        close()
        completion.cancelWait()
    }

    /// Returns the record of an attempt that ends now.
    func record(_ outcome: ConnectAttempt.Outcome) -> ConnectAttempt {
        ConnectAttempt(address: address, start: start, end: .now(), outcome: outcome)
    }

    /// Returns the connected socket as a stream and gives up its ownership.
    func takeStream() throws(TransportError) -> SocketStream {
        guard let registration, let owned = descriptor.take() else { throw .cancelled }
        self.registration = nil
        return SocketStream(
            loop: loop,
            descriptor: owned,
            registration: registration,
            peer: address,
            initialEvents: events
        )
    }

    func close() {
        if let registration {
            loop.unregister(registration)
            self.registration = nil
        }
        descriptor = nil
    }
}

/// One attempt to connect to one address, and its outcome.
package struct ConnectAttempt: Sendable, Hashable {
    /// The outcome of an attempt.
    package enum Outcome: Sendable, Hashable {
        case connected
        case failed(Errno, ConnectFailure.Step)
        /// Another address answered first, or the connection is no longer needed.
        case abandoned
    }

    package let address: SocketAddress
    package let start: Deadline
    package let end: Deadline
    package let outcome: Outcome

    package init(address: SocketAddress, start: Deadline, end: Deadline, outcome: Outcome) {
        self.address = address
        self.start = start
        self.end = end
        self.outcome = outcome
    }

    /// The failure of the address; nil if the attempt did not fail.
    package var failure: ConnectFailure? {
        guard case .failed(let errno, let step) = outcome else { return nil }
        return ConnectFailure(address: address, errno: errno, step: step)
    }
}

/// The choice of the next address to try: Happy Eyeballs version 2 (RFC 8305 §4, §5).
///
/// Pure: the driver reports events and times, and calls ``next(at:)`` for the next step. Addresses
/// are tried in the resolver's order, with the two families alternating. A new attempt starts when
/// the previous one has failed, or 250 ms after it began.
package struct HappyEyeballs {
    /// The next step of the driver.
    package enum Step: Equatable {
        /// Start connecting to the address with this index, then ask again.
        case start(Int)
        /// Wait for an attempt to end, but no longer than the deadline, then ask again.
        case wait(until: Deadline)
        /// Every address has failed.
        case fail
    }

    /// The delay between attempts; RFC 8305 §5 recommends 250 ms.
    static let attemptDelay = Duration.milliseconds(250)

    /// The addresses in the order of the attempts.
    package let addresses: [SocketAddress]
    package private(set) var failures: [ConnectFailure] = []
    private var started = 0
    private var nextStart = Deadline(nanoseconds: .min)

    package init(_ addresses: [SocketAddress]) {
        self.addresses = Self.interleaved(addresses)
    }

    /// Returns the addresses with alternating families, beginning with the family of the first.
    package static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let preferred = addresses.filter { $0.isIPv6 == first.isIPv6 }
        let others = addresses.filter { $0.isIPv6 != first.isIPv6 }
        var result: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { result.append(preferred[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return result
    }

    package mutating func next(at now: Deadline) -> Step {
        if started < addresses.count, now >= nextStart {
            defer { started += 1 }
            nextStart = now.advanced(by: Self.attemptDelay)
            return .start(started)
        }
        if failures.count == addresses.count { return .fail }
        return .wait(until: started < addresses.count ? nextStart : .never)
    }

    /// Records a failure; the next address may be tried at once.
    package mutating func attemptFailed(
        _ index: Int,
        _ errno: Errno,
        _ step: ConnectFailure.Step = .connect
    ) {
        failures.append(ConnectFailure(address: addresses[index], errno: errno, step: step))
        nextStart = Deadline(nanoseconds: .min)
    }
}

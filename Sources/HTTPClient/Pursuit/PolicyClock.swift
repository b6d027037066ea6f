package import SocketTransport

/// Tells policies the time and lets them wait; tests have one that only they move.
package struct PolicyClock: Sendable {
    /// By the monotonic clock.
    package let now: @Sendable () -> Deadline
    /// By the clock on the wall.
    package let secondsSince1970: @Sendable () -> Int
    /// Waits; throws when the task is cancelled.
    package let pause: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Deadline,
        secondsSince1970: @escaping @Sendable () -> Int,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.secondsSince1970 = secondsSince1970
        self.pause = pause
    }

    /// The machine's.
    static let system = PolicyClock {
        .now()
    } secondsSince1970: {
        WallClock.secondsSince1970
    } pause: {
        try await Task.sleep(for: $0)
    }
}

extension HTTPClient {
    /// Makes a client whose policies go by another clock.
    package convenience init(_ configuration: Configuration, clock: PolicyClock, seed: UInt64) {
        self.init(configuration, loop: .threaded(), random: SplitMix64(seed: seed), clock: clock)
    }
}

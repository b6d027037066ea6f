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
    package static let attemptDelay = Duration.milliseconds(250)

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

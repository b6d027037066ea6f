internal import Synchronization

/// Keeps retries a small part of all calls; shared by the clients of a pool.
///
/// Without a lock: every call pays in, and most find that all is saved that can be.
final class RetryBudget: Sendable {
    /// Retries that are free at first, and the most that calls can save up.
    static let maxBalance = 10.0

    /// The bits of how many retries are saved up.
    private let balance = Atomic<UInt64>(RetryBudget.maxBalance.bitPattern)

    /// A call begins, and pays in.
    func deposit(_ share: Double) {
        change { $0 < Self.maxBalance && share > 0 ? min($0 + share, Self.maxBalance) : nil }
    }

    /// Takes one retry; false when there is none left.
    func withdraw() -> Bool {
        change { $0 >= 1 ? $0 - 1 : nil }
    }

    /// - Parameter next: gives the new value for the present one; nil to leave it.
    /// - Returns: whether it was changed.
    @discardableResult private func change(_ next: (Double) -> Double?) -> Bool {
        var present = balance.load(ordering: .relaxed)
        while let value = next(Double(bitPattern: present)) {
            let (isDone, original) = balance.weakCompareExchange(
                expected: present,
                desired: value.bitPattern,
                ordering: .relaxed
            )
            if isDone { return true }
            present = original
        }
        return false
    }
}

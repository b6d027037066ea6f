internal import Synchronization

/// A budget that limits retries to a small part of all calls; the clients of a pool share it.
///
/// It has no lock: every call makes a deposit, and most find the balance at its maximum.
final class RetryBudget: Sendable {
    /// The initial balance, and the maximum balance, in retries.
    static let maxBalance = 10.0

    /// The bit pattern of the balance in retries.
    private let balance = Atomic<UInt64>(RetryBudget.maxBalance.bitPattern)

    /// Deposits the share of one call.
    func deposit(_ share: Double) {
        change { $0 < Self.maxBalance && share > 0 ? min($0 + share, Self.maxBalance) : nil }
    }

    /// Withdraws one retry; returns false when the balance is too small.
    func withdraw() -> Bool {
        change { $0 >= 1 ? $0 - 1 : nil }
    }

    /// Changes the balance atomically.
    ///
    /// - Parameter next: returns the new balance for the current one; nil to leave it.
    /// - Returns: whether the balance was changed.
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

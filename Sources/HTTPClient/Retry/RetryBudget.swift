/// Keeps retries a small part of all calls.
struct RetryBudget: Sendable {
    /// Retries that are free at first, and the most that calls can save up.
    static let most = 10.0

    private(set) var saved = Self.most

    /// A call begins, and pays in.
    mutating func earn(_ share: Double) {
        saved = min(saved + max(share, 0), Self.most)
    }

    /// Takes one retry; false when there is none left.
    mutating func spend() -> Bool {
        guard saved >= 1 else { return false }
        saved -= 1
        return true
    }
}

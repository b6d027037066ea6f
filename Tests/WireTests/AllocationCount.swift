import CAllocations

/// Counts of allocations in steady state.
enum AllocationCount {
    struct CheckFailed: Error {}

    /// Whether allocations are counted; false under a sanitizer, which replaces the allocator.
    static var isAvailable: Bool { allocations_are_counted() != 0 }

    /// Returns the allocations of 200 rounds, after 20 uncounted rounds.
    static func of(_ round: () throws -> Void) rethrows -> UInt {
        for _ in 0..<20 { try round() }
        let before = allocations_of_this_thread()
        for _ in 0..<200 { try round() }
        return allocations_of_this_thread() - before
    }

    /// Throws if the condition is false; unlike `#expect`, it does not allocate.
    static func check(_ isRight: Bool) throws {
        guard isRight else { throw CheckFailed() }
    }
}

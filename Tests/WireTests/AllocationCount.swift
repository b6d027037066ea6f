import CAllocations

/// Counts what the allocator is asked for once everything has its size.
enum AllocationCount {
    struct CheckFailed: Error {}

    /// False under a sanitizer, which has the allocator.
    static var isAvailable: Bool { allocations_are_counted() != 0 }

    /// Counts in 200 rounds, after 20 that are not counted.
    static func of(_ round: () throws -> Void) rethrows -> UInt {
        for _ in 0..<20 { try round() }
        let before = allocations_of_this_thread()
        for _ in 0..<200 { try round() }
        return allocations_of_this_thread() - before
    }

    /// Fails without what `#expect` allocates.
    static func check(_ isRight: Bool) throws {
        guard isRight else { throw CheckFailed() }
    }
}

/// A FIFO queue of jobs: a ring buffer that grows by doubling and never shrinks.
struct JobQueue {
    private var ring: [UnownedJob?]
    private var first = 0
    private(set) var count = 0

    init() {
        ring = Array(repeating: nil, count: 64)
    }

    mutating func append(_ job: UnownedJob) {
        if count == ring.count { grow() }
        ring[(first + count) & (ring.count - 1)] = job
        count += 1
    }

    mutating func popFirst() -> UnownedJob? {
        guard count > 0 else { return nil }
        let job = ring[first]
        first = (first + 1) & (ring.count - 1)
        count -= 1
        return job
    }

    private mutating func grow() {
        var larger: [UnownedJob?] = Array(repeating: nil, count: ring.count * 2)
        for offset in 0..<count {
            larger[offset] = ring[(first + offset) & (ring.count - 1)]
        }
        ring = larger
        first = 0
    }
}

import HTTPClient
import SocketTransport
import Testing

@Suite struct TokenBucketTests {
    private func at(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: 1_000_000 * (milliseconds + 1000))
    }

    @Test func `a full bucket gives twice its quantum at once, then the rate`() {
        var bucket = TokenBucket(bytesPerSecond: 1000)
        #expect(bucket.take(20, at: at(0)) == at(0))
        #expect(bucket.take(1, at: at(0)) == at(1))
        #expect(bucket.take(9, at: at(0)) == at(10))
        // Bytes that are late do not change when the next ones are due.
        #expect(bucket.take(10, at: at(15)) == at(20))
        #expect(bucket.take(1000, at: at(15)) == at(1020))
    }

    @Test func `a pause fills the bucket with no more than twice its quantum`() {
        var bucket = TokenBucket(bytesPerSecond: 1000)
        #expect(bucket.take(20, at: at(0)) == at(0))
        #expect(bucket.take(20, at: at(60_000)) == at(60_000))
        #expect(bucket.take(50, at: at(60_000)) == at(60_050))
    }

    @Test func `users that take turns get equal shares`() {
        var bucket = TokenBucket(bytesPerSecond: 100_000)
        let quantum = bucket.quantum
        var due = (0..<10).map { _ in bucket.take(quantum, at: at(0)) }
        var moved = [Int](repeating: 0, count: 10)
        // The user whose bytes are due first moves them, and takes the next ones.
        while let next = due.indices.min(by: { due[$0] < due[$1] }), due[next] <= at(8980) {
            moved[next] += quantum
            due[next] = bucket.take(quantum, at: due[next])
        }
        #expect(moved.reduce(0, +) == 900_000)
        #expect(Set(moved) == [90_000])
    }

    @Test func `bytes that are put back are available again`() {
        var bucket = TokenBucket(bytesPerSecond: 1000)
        _ = bucket.take(1100, at: at(0))
        bucket.putBack(900)
        #expect(bucket.take(1, at: at(0)) == at(181))
        bucket.putBack(.max)
        #expect(bucket.take(20, at: at(500)) == at(500))
    }

    @Test(arguments: [
        (1, 1), (100, 1), (1000, 10), (100_000, 1000), (1 << 30, 64 << 10), (Int.max, 64 << 10),
        (0, 1), (-5, 1),
    ])
    func `a turn is ten milliseconds, at most a large read`(rate: Int, quantum: Int) {
        let bucket = TokenBucket(bytesPerSecond: rate)
        #expect(bucket.bytesPerSecond == max(rate, 1))
        #expect(bucket.quantum == quantum)
    }

    @Test func `extreme numbers do not overflow`() {
        var slow = TokenBucket(bytesPerSecond: 1)
        for _ in 0..<3 { #expect(slow.take(.max, at: at(0)) > at(1_000_000_000)) }
        slow.putBack(.max)
        slow.putBack(.max)
        _ = slow.take(-1, at: Deadline(nanoseconds: .max - 1))
        var fast = TokenBucket(bytesPerSecond: .max)
        #expect(fast.take(1 << 40, at: at(0)) == at(0))
    }
}

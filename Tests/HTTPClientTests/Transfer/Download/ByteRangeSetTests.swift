import HTTPClient
import Support
import Testing

@Suite struct ByteRangeSetTests {
    @Test(
        arguments: [
            ([], []), ([3..<3], []), ([0..<2, 4..<6], [0..<2, 4..<6]),
            ([4..<6, 0..<2], [0..<2, 4..<6]),
            ([0..<2, 2..<4], [0..<4]), ([0..<5, 1..<3], [0..<5]), ([0..<2, 4..<6, 1..<5], [0..<6]),
            ([0..<2, 4..<6, 8..<9, 3..<7], [0..<2, 3..<7, 8..<9]),
        ] as [([Range<Int>], [Range<Int>])]
    )
    func `ranges that touch or overlap become one`(added: [Range<Int>], ranges: [Range<Int>]) {
        #expect(ByteRangeSet(added).ranges == ranges)
    }

    @Test(
        arguments: [
            (0..<2, [4..<8, 10..<12]), (0..<5, [5..<8, 10..<12]), (5..<6, [4..<5, 6..<8, 10..<12]),
            (6..<11, [4..<6, 11..<12]), (0..<20, []), (4..<8, [10..<12]),
        ] as [(Range<Int>, [Range<Int>])]
    )
    func `removing a range cuts those that overlap it`(removed: Range<Int>, ranges: [Range<Int>]) {
        var set = ByteRangeSet([4..<8, 10..<12])
        set.remove(removed)
        #expect(set.ranges == ranges)
    }

    @Test func `a set behaves as a set of its positions`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var (set, other) = (ByteRangeSet(), ByteRangeSet())
            var (positions, others): (Set<Int>, Set<Int>) = ([], [])
            for _ in 0..<12 {
                let lower = Int.random(in: 0..<40, using: &random)
                let range = lower..<lower + Int.random(in: 0..<8, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    set.remove(range)
                    positions.subtract(range)
                case 1:
                    other.insert(range)
                    others.formUnion(range)
                default:
                    set.insert(range)
                    positions.formUnion(range)
                }
            }
            #expect(set.ranges.flatMap { Array($0) } == positions.sorted())
            #expect(set.count == positions.count)
            #expect(set.end == (positions.max() ?? -1) + 1)
            #expect(set.prefix == (0...).first { !positions.contains($0) })
            #expect(Set(set.union(other).ranges.joined()) == positions.union(others))
            #expect(Set(set.intersection(other).ranges.joined()) == positions.intersection(others))
            #expect(set.contains(other) == positions.isSuperset(of: others))
            #expect(Set(set.gaps(below: 30).joined()) == Set(0..<30).subtracting(positions))
            #expect(Set(set.subtracting(first: 9).ranges.joined()) == positions.filter { $0 >= 9 })
        }
    }
}

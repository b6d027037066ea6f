import Testing
import Wire

/// Verifies that decoding chunked bodies allocates nothing in steady state.
///
/// The loops use indices because an array's iterator allocates in debug builds.
@Suite(.enabled(if: AllocationCount.isAvailable, "a sanitizer replaces the allocator"))
struct ChunkAllocationTests {
    private static let content = 5 + 7 + 300
    private static let body = Array(
        ("5\r\nhello\r\n7;a=b\r\n, world\r\n12c\r\n" + String(repeating: "x", count: 300)
            + "\r\n0\r\n\r\n").utf8
    )

    /// The ends of the reads: one read, and several that split lines and content.
    private static let cuts: [[Int]] = [[], [1, 4, 11], [6, 12, 40, 100], Array(1..<340)]

    @Test(arguments: cuts) func `decoding pieces allocates nothing`(cuts: [Int]) throws {
        let body = Self.body
        let ends = cuts.filter { $0 < body.count } + [body.count]
        let count = try AllocationCount.of {
            var decoder = BodyDecoder(.chunked)
            var start = 0
            var content = 0
            var isDone = false
            for index in ends.indices {
                let end = ends[index]
                reading: while !isDone {
                    let step = try decoder.decode(body.span.extracting(start..<end))
                    start += step.consumed
                    switch step.event {
                    case .needMore: break reading
                    case .body(let range): content += range.count
                    case .end: isDone = true
                    }
                }
            }
            try AllocationCount.check(isDone && start == body.count && content == Self.content)
        }
        #expect(count == 0)
    }

    @Test(arguments: cuts, [1, 2, 64])
    func `decoding ranges allocates nothing`(cuts: [Int], room: Int) throws {
        let body = Self.body
        let ends = cuts.filter { $0 < body.count } + [body.count]
        var ranges: [Range<Int>] = []
        let count = try AllocationCount.of {
            var decoder = BodyDecoder(.chunked)
            var start = 0
            var content = 0
            var isDone = false
            for index in ends.indices {
                let end = ends[index]
                var needsInput = false
                while !isDone, !needsInput {
                    ranges.removeAll(keepingCapacity: true)
                    try ranges.append(addingCapacity: room) { output throws(WireError) in
                        let input = body.span.extracting(start..<end)
                        let batch = try decoder.decode(input, into: &output)
                        start += batch.consumed
                        if case .needMore = batch.state { needsInput = true }
                        if case .end = batch.state { isDone = true }
                    }
                    for index in ranges.indices { content += ranges[index].count }
                }
            }
            try AllocationCount.check(isDone && start == body.count && content == Self.content)
        }
        #expect(count == 0)
    }

    @Test(arguments: cuts, [1, 7, 512])
    func `decoding copies allocates nothing`(cuts: [Int], room: Int) throws {
        let body = Self.body
        let ends = cuts.filter { $0 < body.count } + [body.count]
        var output: [UInt8] = []
        let count = try AllocationCount.of {
            var decoder = BodyDecoder(.chunked)
            var start = 0
            var content = 0
            var isDone = false
            for index in ends.indices {
                let end = ends[index]
                var needsInput = false
                while !isDone, !needsInput {
                    output.removeAll(keepingCapacity: true)
                    try output.append(addingCapacity: room) { output throws(WireError) in
                        let input = body.span.extracting(start..<end)
                        let batch = try decoder.decode(input, into: &output)
                        start += batch.consumed
                        if case .needMore = batch.state { needsInput = true }
                        if case .end = batch.state { isDone = true }
                    }
                    content += output.count
                }
            }
            try AllocationCount.check(isDone && start == body.count && content == Self.content)
        }
        #expect(count == 0)
    }
}

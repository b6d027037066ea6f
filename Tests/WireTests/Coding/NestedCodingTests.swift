import Support
import Testing
import Wire

/// Tests that a few bytes in several codings cost little work.
@Suite struct NestedCodingTests {
    private static let body = NestedCoding { Deflater.gzip($0) }

    /// Decodes everything, and returns the number of calls.
    private func decode(
        _ limits: WireLimits,
        room: Int = .max
    ) throws -> (output: [UInt8], calls: Int) {
        let codings: [ContentCoding] = [.deflate, .gzip, .gzip]
        guard var decoder = try ContentDecoder(undoing: codings, limits: limits) else {
            return ([], 0)
        }
        let coded = Self.body.coded
        var (output, start, calls): ([UInt8], Int, Int) = ([], 0, 0)
        repeat {
            calls += 1
            start += try decoder.decode(
                coded.span.extracting(start...),
                into: &output,
                outputLimit: room
            )
        } while start < coded.count || decoder.hasPendingOutput
        try decoder.finish()
        return (output, calls)
    }

    @Test func `expansion between codings counts against the bytes that arrived`() throws {
        #expect(Self.body.coded.count < 10_000)
        #expect(throws: WireError.limitExceeded(.expansionRatio(100))) {
            _ = try decode(.default)
        }
        var limits = WireLimits()
        limits.expansionRatio = 100_000
        _ = try decode(limits)
    }

    @Test(arguments: [Int.max, 1000]) func `one call decodes a bounded number of bytes`(
        room: Int
    ) throws {
        var limits = WireLimits()
        limits.expansionRatio = 100_000
        let (output, calls) = try decode(limits, room: room)
        let (plain, work) = (Self.body.plain, Self.body.workLength)
        #expect(output == plain)
        // A call stops with the first buffer of 16 KiB beyond 64 KiB.
        #expect(calls >= work / (80 << 10))
        #expect(calls <= work / (64 << 10) + plain.count / room + 2)
    }
}

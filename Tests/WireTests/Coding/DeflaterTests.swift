import Support
import Testing
import Wire

@Suite struct DeflaterTests {
    /// Bytes that gzip cannot shorten.
    private static let noise: [UInt8] = {
        var state: UInt64 = 7
        return (0..<100_000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }()

    private let none: [UInt8] = []

    private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
        var limits = WireLimits.default
        limits.expansionRatio = 10_000
        guard var decoder = try ContentDecoder(undoing: [.gzip], limits: limits) else { return [] }
        var output: [UInt8] = []
        let consumed = try decoder.decode(bytes.span, into: &output, outputLimit: .max)
        try decoder.finish()
        #expect(consumed == bytes.count)
        return output
    }

    @Test(
        arguments: [
            [], [1], Array("hello, hello, hello!".utf8), [UInt8](repeating: 0, count: 1_000_000),
            noise,
            Array(noise.prefix(16 * 1024)), Array(noise.prefix(16 * 1024 - 23)),
        ] as [[UInt8]]
    )
    func `gzip output decodes to its input`(bytes: [UInt8]) throws {
        let coded = try #require(Deflater.gzip(bytes))
        #expect(coded.starts(with: [0x1f, 0x8b, 8]))
        #expect(try inflated(coded) == bytes)
    }

    @Test func `the output does not depend on how the input is split`() throws {
        let bytes = Array("hello, hello, hello!".utf8)
        for split in ByteSplits(bytes) {
            guard var deflater = Deflater() else {
                Issue.record("no memory")
                return
            }
            var output: [UInt8] = []
            for part in split { deflater.deflate(part.span, into: &output, .more) }
            deflater.deflate(none.span, into: &output, .end)
            #expect(output == Deflater.gzip(bytes))
        }
        for size in [1000, 4096, 65536] {
            guard var deflater = Deflater() else {
                Issue.record("no memory")
                return
            }
            var output: [UInt8] = []
            for start in stride(from: 0, to: Self.noise.count, by: size) {
                let part = Self.noise[start..<min(start + size, Self.noise.count)]
                deflater.deflate(Array(part).span, into: &output, .more)
            }
            deflater.deflate(none.span, into: &output, .end)
            #expect(try inflated(output) == Self.noise)
        }
    }
}

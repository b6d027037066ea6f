/// A body in three codings that is a few KB long, becomes 2.6 MB after two of them, and 27 KB after the third.
///
/// Each coding alone is within its limits.
package struct NestedCoding {
    /// The value of Content-Encoding.
    package static let field = "deflate, gzip, gzip"
    /// The bytes that the last coding reads.
    package let workLength = units * unitLength
    package let plain: [UInt8]
    package let coded: [UInt8]

    private static let units = 40
    private static let blocks = 682
    private static let unitLength = blocks * 96

    /// Creates the body with an encoder for gzip.
    package init(gzip: ([UInt8]) -> [UInt8]?) {
        var random = SeededGenerator(seed: 7)
        let content = (0..<Self.blocks).map { _ in UInt8.random(in: 0...255, using: &random) }
        let unit = content.flatMap { EmptyDeflateBlocks.eight + EmptyDeflateBlocks.literal($0) }
        // Each unit is a member: gzip would find the repetition inside one member, and exceed the ratio.
        let members = (0..<Self.units).map { index in
            gzip(index < Self.units - 1 ? unit : unit + EmptyDeflateBlocks.end) ?? []
        }
        plain = Array(repeatElement(content, count: Self.units).joined())
        coded = gzip(Array(members.joined())) ?? []
    }
}

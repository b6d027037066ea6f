/// A stand-in for the decoder that needs zlib, which this program does not have.
final class InflateStage: CodingStage {
    init(_ coding: ContentCoding, limits: WireLimits) {}

    func decode(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(WireError) -> Int { 0 }

    func finish() throws(WireError) {}
}

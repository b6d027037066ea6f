internal import Wire

/// Checks content decoding: any split of the input gives the same bytes, within all limits.
///
/// Content that was stored without compression is restored. Input: codings, size of pieces, room
/// for output, then the coded bytes.
package func checkInflate(_ input: FuzzInput) {
    var input = input
    let codings: [ContentCoding] = input.pick([
        [.gzip], [.deflate], [.deflate, .gzip], [.gzip, .gzip, .deflate],
    ])
    let (size, room) = (input.byte() + 1, input.byte() * 8 + 1)
    let bytes = input.bytes
    // Short inputs never reach the default overhead limit, so a limit of 0 is checked as well.
    for overhead in [0, 64 << 10] {
        let whole = decoded(bytes, size: bytes.count, room: 1 << 17, codings, overhead)
        let parts = decoded(bytes, size: size, room: room, codings, overhead)
        precondition(whole == parts, "the split of the input changes the result")
        let single = decoded(bytes, size: 1, room: 700, codings, overhead)
        precondition(whole == single, "the split of the input changes the result")
    }
    checkStored(bytes, size: size)
}

/// Decodes pieces; nil when the decoder rejects them.
private func decoded(
    _ bytes: [UInt8],
    size: Int,
    room: Int,
    _ codings: [ContentCoding],
    _ overhead: Int = 64 << 10
) -> [UInt8]? {
    var limits = WireLimits()
    limits.decodedBytes = 64 * 1024
    limits.codingOverheadBytes = overhead
    guard var decoder = try? ContentDecoder(undoing: codings, limits: limits) else {
        return nil
    }
    var (output, start, before): ([UInt8], Int, Int) = ([], 0, 0)
    repeat {
        before = output.count
        let end = start + min(size, bytes.count - start)
        let piece = bytes.span.extracting(start..<end)
        guard let count = try? decoder.decode(piece, into: &output, outputLimit: room) else {
            return nil
        }
        precondition(0...(end - start) ~= count, "more bytes consumed than given")
        precondition(output.count <= 64 * 1024, "the output exceeds its limit")
        precondition(output.count - before <= room, "the output exceeds the free space")
        start += count
    } while start < bytes.count || decoder.hasPendingOutput
    return (try? decoder.finish()) == nil ? nil : output
}

/// Checks that content stored without compression is restored, and that a wrong checksum is rejected.
private func checkStored(_ content: [UInt8], size: Int) {
    let blocks = StoredCoding(content, blockSize: size)
    for coded in [blocks.raw, blocks.zlib] {
        // Raw data whose first bytes look like a zlib header cannot be told from zlib. A stored
        // block begins with 0 or 1, so it never looks like one.
        precondition(decoded(coded, size: size, room: 999, [.deflate]) == content)
    }
    precondition(decoded(blocks.gzip, size: size, room: 999, [.gzip]) == content)
    let members = decoded(blocks.gzip + blocks.gzip, size: size, room: 999, [.gzip])
    precondition(members == content + content, "two gzip members are not decoded as one body")
    for (coded, coding, trailer) in [
        (blocks.zlib, ContentCoding.deflate, 4), (blocks.gzip, .gzip, 8),
    ] {
        for place in [coded.count - trailer + size % trailer, coded.count - 1] {
            var corrupted = coded
            corrupted[place] ^= 1
            precondition(
                decoded(corrupted, size: size, room: 999, [coding]) == nil,
                "a wrong checksum or length was accepted"
            )
        }
        let short = Array(coded.dropLast())
        precondition(
            decoded(short, size: size, room: 999, [coding]) == nil,
            "a truncated body was accepted"
        )
    }
}

/// Content in stored blocks (RFC 1951 §3.2.4), raw and in both wrappers.
private struct StoredCoding {
    private(set) var raw: [UInt8] = []
    private let content: [UInt8]

    init(_ content: [UInt8], blockSize: Int) {
        self.content = content
        var rest = content[...]
        repeat {
            let block = rest.prefix(blockSize)
            rest = rest.dropFirst(blockSize)
            let length = [UInt8(block.count & 0xff), UInt8(block.count >> 8)]
            raw += [rest.isEmpty ? 1 : 0] + length + length.map { ~$0 } + block
        } while !rest.isEmpty
    }

    /// The content in the zlib format (RFC 1950).
    var zlib: [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in content {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01] + raw + Self.bytes(high << 16 | low).reversed()
    }

    /// The content in the gzip format (RFC 1952).
    var gzip: [UInt8] {
        var sum = UInt32.max
        for byte in content {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xedb8_8320) }
        }
        let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        return head + raw + Self.bytes(~sum) + Self.bytes(UInt32(content.count))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

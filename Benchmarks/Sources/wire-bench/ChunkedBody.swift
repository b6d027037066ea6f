import Wire

/// A body of 1 MiB in chunks of one size, read in pieces of 16 KiB.
struct ChunkedBody: BenchInput {
    static let contentSize = 1 << 20
    static let readSize = 16 * 1024

    let label: String
    let bytes: [UInt8]

    var count: Int { 1 }
    /// The bytes of content, without the framing.
    var byteCount: Int { Self.contentSize }

    /// Creates a body with chunks of this size; 0 varies their sizes from 1 byte to 2 KiB.
    init(chunkSize: Int) {
        label = chunkSize > 0 ? "\(chunkSize)" : "varied"
        var bytes: [UInt8] = []
        var left = Self.contentSize
        var random: UInt64 = 1
        while left > 0 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let varied = 1 + Int(random >> 40) % (1 << (Int(random >> 33) % 12))
            let size = min(chunkSize > 0 ? chunkSize : varied, left)
            bytes += "\(String(size, radix: 16))\r\n".utf8
            bytes += [UInt8](repeating: UInt8(ascii: "x"), count: size)
            bytes += "\r\n".utf8
            left -= size
        }
        bytes += "0\r\n\r\n".utf8
        self.bytes = bytes
    }

    /// Decodes one piece of content at a time.
    func decodeSteps() throws -> Int {
        var decoder = ChunkedDecoder()
        var content = 0
        var start = 0
        var end = 0
        while start < bytes.count {
            end = min(end + Self.readSize, bytes.count)
            reading: while true {
                let step = try decoder.decode(bytes.span.extracting(start..<end))
                start += step.consumed
                switch step.event {
                case .needMore: break reading
                case .body(let range): content += range.count
                case .end: return content
                }
            }
        }
        return content
    }

    /// Decodes the ranges of up to 128 pieces at a time, into a reused array.
    func decodeRanges(_ ranges: inout [Range<Int>]) throws -> Int {
        ranges.removeAll(keepingCapacity: true)
        var content = 0
        try ranges.append(addingCapacity: 128) { room throws(WireError) in
            content = try decodeRanges(into: &room)
        }
        return content
    }

    private func decodeRanges(into room: inout OutputSpan<Range<Int>>) throws(WireError) -> Int {
        var decoder = ChunkedDecoder()
        var content = 0
        var start = 0
        var end = 0
        while start < bytes.count {
            end = min(end + Self.readSize, bytes.count)
            reading: while true {
                let batch = try decoder.decode(bytes.span.extracting(start..<end), into: &room)
                start += batch.consumed
                for index in room.span.indices { content += room.span[index].count }
                room.removeAll()
                switch batch.state {
                case .needMore: break reading
                case .outputFull: continue
                case .end: return content
                }
            }
        }
        return content
    }

    /// Copies the content of each read into one buffer.
    func decodeCopies(_ output: inout [UInt8]) throws -> Int {
        var decoder = ChunkedDecoder()
        var content = 0
        var start = 0
        var end = 0
        while start < bytes.count {
            end = min(end + Self.readSize, bytes.count)
            output.removeAll(keepingCapacity: true)
            var state = BodyBatch.State.needMore
            try output.append(addingCapacity: Self.readSize) { room throws(WireError) in
                let batch = try decoder.decode(bytes.span.extracting(start..<end), into: &room)
                start += batch.consumed
                state = batch.state
            }
            content += output.count
            if case .end = state { return content }
        }
        return content
    }
}

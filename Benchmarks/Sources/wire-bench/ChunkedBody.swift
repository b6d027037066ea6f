import Wire

/// 1 MiB of content in chunks of one size, read in pieces of 16 KiB.
struct ChunkedBody: BenchInput {
    static let contentSize = 1 << 20
    static let readSize = 16 * 1024

    let label: String
    let bytes: [UInt8]

    var count: Int { 1 }
    /// Content alone: what a caller wants to have.
    var byteCount: Int { Self.contentSize }

    init(chunkSize: Int) {
        label = "\(chunkSize)"
        var bytes: [UInt8] = []
        var left = Self.contentSize
        while left > 0 {
            let size = min(chunkSize, left)
            bytes += "\(String(size, radix: 16))\r\n".utf8
            bytes += [UInt8](repeating: UInt8(ascii: "x"), count: size)
            bytes += "\r\n".utf8
            left -= size
        }
        bytes += "0\r\n\r\n".utf8
        self.bytes = bytes
    }

    func decode() throws -> Int {
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
}

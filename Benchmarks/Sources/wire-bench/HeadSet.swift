import Glibc

/// The heads to decode, each in its own array and all of them in one.
struct HeadSet: BenchInput {
    let label: String
    let heads: [[UInt8]]
    let joined: [UInt8]
    /// The offset of each head in `joined`.
    let starts: [Int]

    var count: Int { heads.count }
    var byteCount: Int { heads.reduce(0) { $0 + $1.count } }

    /// The name for generated heads.
    static let generated = "made"
    /// The folder of the captured heads.
    static let folder =
        #filePath.split(separator: "/").dropLast(3)
        .reduce(into: "") { $0 += "/" + $1 } + "/heads/"

    init(_ file: String) throws {
        label = String(file.split(separator: "/").last?.prefix { $0 != "." } ?? "")
        if file == Self.generated {
            heads = HeadGenerator.heads(256)
        } else {
            let bytes = try Self.contents(of: file)
            heads = label.hasPrefix("mixed") ? Self.split(bytes) : [bytes]
        }
        // One extra byte before each head places the slices at every alignment.
        var joined: [UInt8] = []
        var starts: [Int] = []
        for head in heads {
            joined.append(UInt8(ascii: "."))
            starts.append(joined.count)
            joined += head
        }
        self.joined = joined
        self.starts = starts
    }

    private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var heads: [[UInt8]] = []
        var index = 0
        while index + 4 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) }
            index += 4
            heads.append(Array(bytes[index..<min(index + length, bytes.count)]))
            index += length
        }
        return heads
    }

    private static func contents(of file: String) throws -> [UInt8] {
        guard let stream = fopen(file, "rb") else { throw BenchError.unreadable(file) }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&piece, 1, piece.count, stream)
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }
}

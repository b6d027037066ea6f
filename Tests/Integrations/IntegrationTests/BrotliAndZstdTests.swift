import HTTPClient
import HTTPTestServer
import Testing

/// Tests the content codings of the traits `Brotli` and `Zstd`; Wire's tests cover gzip and deflate.
@Suite(.timeLimit(.minutes(10))) struct BrotliAndZstdTests {
    static let text = Array("hello, hello, hello!".utf8)
    /// A skippable frame with three bytes (RFC 8878 §3.1.2).
    static let skippable: [UInt8] = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
    /// A skippable frame without content.
    static let emptySkippable: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]
    /// A frame without content and checksum.
    static let emptyFrame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0]
    /// A brotli stream without content.
    static let emptyBrotli: [UInt8] = [0x06]

    /// Decodes in pieces of `size` bytes, with at most `room` output bytes at a time.
    private func decode(
        _ bytes: [UInt8],
        _ codings: [ContentCoding],
        size: Int,
        room: Int = 4096,
        limits: WireLimits = .default
    ) throws -> [UInt8] {
        guard var decoder = try ContentDecoder(undoing: codings, limits: limits) else {
            return bytes
        }
        var output: [UInt8] = []
        var start = 0
        while true {
            let before = output.count
            let end = min(start + size, bytes.count)
            start += try decoder.decode(
                bytes.span.extracting(start..<end),
                into: &output,
                outputLimit: room
            )
            let made = output.count - before
            #expect(made <= room)
            if start == bytes.count, !decoder.hasPendingOutput { break }
        }
        try decoder.finish()
        return output
    }

    static let rows: [(String, [UInt8], [ContentCoding], [UInt8])] = [
        ("brotli", Vector.brotli, [.brotli], text),
        ("brotli of another quality", Vector.brotliFast, [.brotli], text),
        ("no brotli content", emptyBrotli, [.brotli], []),
        ("no brotli bytes", [], [.brotli], []),
        ("zlib in brotli", Vector.gzipInBrotli, [.deflate, .brotli], text),
        // Between the members, many bytes bring nothing for zstd.
        ("zstd in two gzip members", Vector.zstdInMembers, [.zstd, .gzip], text),
        ("zstd", Vector.zstd, [.zstd], text),
        ("zstd without a checksum", Vector.zstdWithoutChecksum, [.zstd], text),
        ("zstd in one segment", Vector.zstdKnown, [.zstd], text),
        ("two frames", Vector.zstd + Vector.zstdKnown, [.zstd], text + text),
        ("a skippable frame first", skippable + Vector.zstd, [.zstd], text),
        (
            "skippable frames around frames",
            Vector.zstd + emptySkippable + skippable + Vector.zstd + skippable, [.zstd], text + text
        ),
        ("only a skippable frame", skippable, [.zstd], []),
        ("an empty frame", emptyFrame + Vector.zstd + emptyFrame, [.zstd], text),
        ("no zstd bytes", [], [.zstd], []),
    ]

    @Test(arguments: rows) func `content is decoded identically for every input and output size`(
        name: String,
        bytes: [UInt8],
        codings: [ContentCoding],
        expected: [UInt8]
    ) throws {
        for size in 1...max(bytes.count, 1) {
            for room in [1, 2, 19, 20, 21, 4096] {
                #expect(try decode(bytes, codings, size: size, room: room) == expected)
            }
        }
    }

    @Test func `truncated content is rejected at every length`() {
        let rows: [(ContentCoding, [UInt8], [UInt8])] = [
            (.brotli, [], Vector.brotli), (.zstd, [], Vector.zstd), (.zstd, [], Vector.zstdKnown),
            (.zstd, [], skippableAndFrame), (.zstd, Vector.zstd, Vector.zstd),
            (.zstd, Vector.zstd, Self.skippable), (.zstd, [], Self.emptyFrame),
        ]
        for (coding, before, bytes) in rows {
            for count in 1..<bytes.count where !isWhole(bytes, count) {
                for size in [1, 3, 100] {
                    #expect(throws: WireError.truncatedCoding(coding)) {
                        try decode(before + bytes.prefix(count), [coding], size: size)
                    }
                }
            }
        }
    }

    private var skippableAndFrame: [UInt8] { Self.skippable + Vector.zstd }

    /// Whether a prefix ends between two frames.
    private func isWhole(_ bytes: [UInt8], _ count: Int) -> Bool {
        bytes == skippableAndFrame && count == Self.skippable.count
    }

    static let corrupt: [(String, [UInt8], ContentCoding, WireError)] = {
        func changed(_ bytes: [UInt8], _ index: Int, by mask: UInt8 = 0x55) -> [UInt8] {
            var bytes = bytes
            bytes[index] ^= mask
            return bytes
        }
        let end = Vector.zstd.count
        return [
            ("rest of brotli", Vector.brotli + [0], .brotli, .bytesAfterCoding(.brotli)),
            ("two streams", Vector.brotli + Vector.brotli, .brotli, .bytesAfterCoding(.brotli)),
            ("a large window", [0x11, 0x00, 0x00, 0x00], .brotli, .corruptCoding(.brotli)),
            ("reserved bits", [0x91, 0xff, 0xff, 0xff], .brotli, .corruptCoding(.brotli)),
            ("plain text", Array("<html>plain text</html>".utf8), .zstd, .corruptCoding(.zstd)),
            ("magic", changed(Vector.zstd, 0), .zstd, .corruptCoding(.zstd)),
            ("checksum", changed(Vector.zstd, end - 1), .zstd, .corruptCoding(.zstd)),
            ("block type", changed(Vector.zstd, 6, by: 6), .zstd, .corruptCoding(.zstd)),
            ("reserved bit", changed(Vector.zstd, 4, by: 8), .zstd, .corruptCoding(.zstd)),
            ("rest of zstd", Vector.zstd + [0, 0, 0, 0], .zstd, .corruptCoding(.zstd)),
            ("an old format", [0x27, 0xb5, 0x2f, 0xfd, 0, 0], .zstd, .corruptCoding(.zstd)),
            ("a window of 128 MiB", Vector.zstd27, .zstd, .codingWindowTooLarge(.zstd)),
            ("a segment of 9 MiB", Vector.zstdSingle9M, .zstd, .codingWindowTooLarge(.zstd)),
            (
                "a window of 9 MiB", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x69, 1, 0, 0], .zstd,
                .codingWindowTooLarge(.zstd)
            ),
            (
                "a segment of 2^64 - 1 bytes",
                [0x28, 0xb5, 0x2f, 0xfd, 0xe0] + [UInt8](repeating: 0xff, count: 8), .zstd,
                .codingWindowTooLarge(.zstd)
            ),
            (
                "a window of 4 TiB", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 1, 0, 0], .zstd,
                .codingWindowTooLarge(.zstd)
            ),
            ("a dictionary", Vector.zstdDictionary, .zstd, .codingNeedsDictionary(.zstd)),
            (
                "a large window after a frame", Vector.zstd + Vector.zstd27, .zstd,
                .codingWindowTooLarge(.zstd)
            ),
        ]
    }()

    @Test(arguments: corrupt) func `corrupt content is rejected with a specific error`(
        name: String,
        bytes: [UInt8],
        coding: ContentCoding,
        error: WireError
    ) {
        for size in [1, 2, 7, bytes.count] {
            #expect(throws: error) { try decode(bytes, [coding], size: size) }
        }
        #expect(error.kind == .coding)
        #expect("\(error)".contains("\(coding)"))
    }

    @Test func `a window of 8 MiB is decoded`() throws {
        let empty: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68, 1, 0, 0]
        #expect(try decode(empty, [.zstd], size: 1) == [])
        var limits = WireLimits()
        limits.expansionRatio = 100_000
        let whole = try decode(Vector.zstd8M, [.zstd], size: 100, room: 1 << 20, limits: limits)
        #expect(whole == [UInt8](repeating: 0, count: 8 << 20))
    }

    @Test(arguments: [
        (ContentCoding.brotli, Vector.brotliZeros), (.zstd, Vector.zstdZeros),
        (.zstd, Vector.zstdZeros + Vector.zstdZeros), (.zstd, Vector.zstd8M),
    ])
    func `a decompression bomb is rejected by its limits`(
        coding: ContentCoding,
        bomb: [UInt8]
    ) throws {
        var limits = WireLimits()
        limits.expansionFloor = 1 << 19
        for size in [1, 5, bomb.count] {
            for room in [1000, 1 << 24] {
                #expect(throws: WireError.limitExceeded(.expansionRatio(100))) {
                    try decode(bomb, [coding], size: size, room: room, limits: limits)
                }
            }
        }
        limits.expansionRatio = 1_000_000
        limits.decodedBytes = 1000
        #expect(throws: WireError.limitExceeded(.decodedBytes(1000))) {
            try decode(bomb, [coding], size: 7, limits: limits)
        }
    }

    @Test func `bytes without output are rejected beyond their limit`() {
        let limit = WireLimits.default.codingOverheadBytes
        let frames = [[UInt8]](repeating: Self.emptyFrame, count: limit / 4).flatMap(\.self)
        let skipped = [[UInt8]](repeating: Self.emptySkippable, count: limit / 4).flatMap(\.self)
        let length = UInt32(limit * 2)
        let long: [UInt8] =
            [0x50, 0x2a, 0x4d, 0x18]
            + (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(8 * $0)) }
            + [UInt8](repeating: 0, count: limit * 2)
        for bytes in [frames, skipped, long] {
            for size in [1000, bytes.count] {
                #expect(throws: WireError.limitExceeded(.codingOverheadBytes(limit))) {
                    try decode(bytes, [.zstd], size: size)
                }
            }
        }
    }

    @Test func `more codings than the limit are rejected`() {
        let count = WireLimits.default.codingCount + 1
        for coding in [ContentCoding.brotli, .zstd] {
            #expect(throws: WireError.limitExceeded(.codingCount(count - 1))) {
                _ = try ContentDecoder(undoing: Array(repeating: coding, count: count))
            }
        }
    }

    @Test func `the client offers and decodes the codings`() async throws {
        let server = try await HTTPTestServer.start { request in
            let coding = request.path.dropFirst()
            let bytes: [UInt8]
            switch coding {
            case "br": bytes = Vector.brotli
            case "zstd": bytes = Vector.zstd
            default: return .text(request.headers[.acceptEncoding] ?? "none")
            }
            return HTTPTestServer.Response.bytes(bytes)
                .header(.contentEncoding, String(coding))
        }
        let client = HTTPClient()
        #expect(
            try await client.send(HTTPRequest(server.url + "/")).text == "zstd, br, gzip, deflate"
        )
        for coding in ["br", "zstd"] {
            let request = HTTPRequest(server.url + "/" + coding)
            #expect(try await client.send(request).body == Self.text)
            #expect(try await client.stream(request).body.collect() == Self.text)
            let undecoded = client.with { $0.decompression = .off }
            #expect(try await undecoded.send(request).body != Self.text)
        }
    }

    enum Vector {
        /// Returns the bytes of hexadecimal digits. The content is the output of brotli 1.0.9 and zstd
        /// 1.5.4.
        private static func bytes(_ text: String) -> [UInt8] {
            let digits = Array(text.utf8).map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
            return stride(from: 0, to: digits.count, by: 2).map {
                digits[$0] << 4 | digits[$0 + 1]
            }
        }

        static let brotli = bytes("8b098068656c6c6f2c2068656c6c6f2c2068656c6c6f2103")
        static let brotliFast = bytes("8b098068656c6c6f2c2068656c6c6f2c2068656c6c6f2103")
        static let brotliZeros = bytes("5bffff8f7f02201e0b0472ef1f00")
        static let zstd = bytes("28b52ffd04587500004068656c6c6f2c20210100e28a11e511f02b")
        static let zstdWithoutChecksum = bytes("28b52ffd00587500004068656c6c6f2c20210100e28a11")
        static let zstdZeros = bytes(
            "28b52ffd04585400001000000100fbff39c00202001000020010000200100002001000020010000200100003"
                + "001000f13e16e1"
        )
        static let zstdKnown = bytes("28b52ffd24147500004068656c6c6f2c20210100e28a11e511f02b")
        static let zstd27 = bytes("28b52ffd04888d00004068656c6c6f2c20210200b19b9410578c0e37a5f7")
        static let zstdSingle9M = bytes(
            "28b52ffda4000090006400001000000200e9ff3773e0012c0200100002001000020010000200100002001000"
                + "0200100002001000020010000200100002001000020010000200100002001000020010000200100054000000"
                + "0100fdff03002027400200100002001000020010000200100002001000020010000200100002001000020010"
                + "00020010000200100002001000020010000200100002001000540000000100fdff0300402e81020010000200"
                + "1000020010000200100002001000020010000200100002001000020010000200100002001000020010000200"
                + "10000200100002001000540000000100fdff0300602e81020010000200100002001000020010000200100002"
                + "0010000200100002001000020010000200100002001000020010000200100002001000020010005400000001"
                + "00fdff0300903720020010000200100002001000020010000200100002001000030010006e709734"
        )
        static let zstd8M = bytes(
            "28b52ffda4000080006400001000000200e9ff3773e0012c0200100002001000020010000200100002001000"
                + "0200100002001000020010000200100002001000020010000200100002001000020010000200100054000000"
                + "0100fdff03002027400200100002001000020010000200100002001000020010000200100002001000020010"
                + "00020010000200100002001000020010000200100002001000540000000100fdff0300402e81020010000200"
                + "1000020010000200100002001000020010000200100002001000020010000200100002001000020010000200"
                + "10000200100002001000540000000100fdff0300602e81020010000200100002001000020010000200100002"
                + "0010000200100002001000020010000200100002001000020010000200100002001000030010000fdff661"
        )
        static let zstdDictionary = bytes(
            "28b52ffd075805f58e0ead000060373931303437323920666f6f02fcbcd9fba78460b6423341"
        )
        static let zstdInMembers = bytes(
            "1f8b0800000000000203d3d8aaff9725a29481c121231500d80922bd0c0000001f8b08000000"
                + "00000203cbc9c9d75150646478d425f854f08336008ec521410f000000"
        )
        static let gzipInBrotli = bytes("8b0880789ccb48cdc9c9d751c840a214014b1e06f603")
    }
}

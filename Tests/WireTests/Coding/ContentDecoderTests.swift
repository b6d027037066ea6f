import Testing
import Wire

@Suite struct ContentDecoderTests {
    static let text = Array("hello, hello, hello!".utf8)

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
        ("gzip", Vector.gzip, [.gzip], text),
        ("two members", Vector.gzip + Vector.gzip, [.gzip], text + text),
        ("a header with all there can be", Vector.gzipWithAll, [.gzip], text),
        ("members of both kinds", Vector.gzip + Vector.gzipWithAll, [.gzip], text + text),
        ("padding", Vector.gzip + [0, 0, 0], [.gzip], text),
        ("zlib", Vector.zlib, [.deflate], text),
        ("bare deflate", Vector.raw, [.deflate], text),
        ("bare deflate that begins like zlib", Vector.rawLikeZlib, [.deflate], text),
        ("both", Vector.zlibInGzip, [.deflate, .gzip], text),
        ("both, and none", Vector.zlibInGzip, [.deflate, .identity, .gzip], text),
        ("no bytes", [], [.gzip], []),
        ("no bytes, twice", [], [.deflate, .gzip], []),
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

    @Test func `a maximum output limit is accepted, also with a non-empty output array`() throws {
        guard var decoder = try ContentDecoder(undoing: [.gzip]) else {
            Issue.record("gzip was not recognized")
            return
        }
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var output: [UInt8] = [1]
        let consumed = try decoder.decode(header.span, into: &output, outputLimit: .max)
        #expect(consumed == header.count)
        #expect(output == [1])
    }

    @Test func `truncated content is rejected at every length`() {
        for (coding, bytes) in [
            (ContentCoding.gzip, Vector.gzip), (.deflate, Vector.zlib), (.deflate, Vector.raw),
        ] {
            for count in 1..<bytes.count {
                for size in [1, count] {
                    #expect(throws: WireError.truncatedCoding(coding)) {
                        try decode(Array(bytes.prefix(count)), [coding], size: size)
                    }
                }
            }
        }
        for count in 1..<Vector.gzip.count {
            #expect(throws: WireError.truncatedCoding(.gzip)) {
                try decode(Vector.gzip + Vector.gzip.prefix(count), [.gzip], size: 7)
            }
        }
        #expect(throws: WireError.truncatedCoding(.gzip)) {
            try decode(Vector.gzip + [0x1f], [.gzip], size: 100)
        }
    }

    static let corrupt: [(String, [UInt8], ContentCoding, WireError)] = {
        func changed(_ bytes: [UInt8], _ index: Int) -> [UInt8] {
            var bytes = bytes
            bytes[index] ^= 0x55
            return bytes
        }
        let end = Vector.gzip.count
        return [
            ("magic", changed(Vector.gzip, 0), .gzip, .corruptCoding(.gzip)),
            ("method", changed(Vector.gzip, 2), .gzip, .corruptCoding(.gzip)),
            ("CRC of the header", changed(Vector.gzipWithAll, 13), .gzip, .corruptCoding(.gzip)),
            (
                "CRC of the second member", Vector.gzip + changed(Vector.gzip, end - 8), .gzip,
                .corruptCoding(.gzip)
            ),
            ("CRC", changed(Vector.gzip, end - 8), .gzip, .corruptCoding(.gzip)),
            ("length", changed(Vector.gzip, end - 1), .gzip, .corruptCoding(.gzip)),
            (
                "Adler", changed(Vector.zlib, Vector.zlib.count - 1), .deflate,
                .corruptCoding(.deflate)
            ),
            ("block type", [0x07], .deflate, .corruptCoding(.deflate)),
            ("plain text", Array("<html>".utf8), .gzip, .corruptCoding(.gzip)),
            ("rest of gzip", Vector.gzip + [0x20], .gzip, .bytesAfterCoding(.gzip)),
            ("rest of padding", Vector.gzip + [0, 0x1f], .gzip, .bytesAfterCoding(.gzip)),
            ("rest of zlib", Vector.zlib + [0], .deflate, .bytesAfterCoding(.deflate)),
            ("rest of deflate", Vector.raw + [0], .deflate, .bytesAfterCoding(.deflate)),
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
    }

    @Test func `a decompression bomb is rejected by the expansion ratio`() throws {
        let bomb = [[UInt8]](repeating: Vector.zeros, count: 64).flatMap(\.self)
        for size in [1, 1000, bomb.count] {
            for room in [1000, 1 << 24] {
                #expect(throws: WireError.limitExceeded(.expansionRatio(100))) {
                    try decode(bomb, [.gzip], size: size, room: room)
                }
            }
        }
        // Below the floor of 1 MiB the ratio does not matter.
        let small = bomb.prefix(Vector.zeros.count * 16)
        #expect(try decode(Array(small), [.gzip], size: 100).count == 1 << 20)
        var limits = WireLimits()
        limits.expansionRatio = 1000
        #expect(try decode(bomb, [.gzip], size: 100, limits: limits).count == 4 << 20)
    }

    @Test func `a doubly compressed bomb is rejected by the combined expansion ratio`() throws {
        // 177 bytes expand to 84 KB and then to 4.3 MB. The inner coding expands by a factor of 51, and
        // the outer one stays below the floor, so only the product exceeds the limit.
        for size in [1, 50, Vector.bombInGzip.count] {
            #expect(throws: WireError.limitExceeded(.expansionRatio(100))) {
                try decode(Vector.bombInGzip, [.gzip, .gzip], size: size, room: 1 << 16)
            }
        }
        var limits = WireLimits()
        limits.expansionRatio = 30_000
        let whole = try decode(Vector.bombInGzip, [.gzip, .gzip], size: 50, limits: limits)
        #expect(whole.count == (4 << 20) + 80_000)
    }

    @Test func `decoded bytes beyond the limit are rejected`() throws {
        var limits = WireLimits()
        limits.decodedBytes = 20
        #expect(try decode(Vector.gzip, [.gzip], size: 100, limits: limits) == Self.text)
        limits.decodedBytes = 19
        #expect(throws: WireError.limitExceeded(.decodedBytes(19))) {
            try decode(Vector.gzip, [.gzip], size: 100, limits: limits)
        }
    }

    @Test func `an output limit of zero or less consumes and produces nothing`() throws {
        // Not `#require`, because a noncopyable value cannot be passed to the macros.
        guard var decoder = try ContentDecoder([.contentEncoding: "gzip"]) else {
            Issue.record("there is no decoder for gzip")
            return
        }
        var output: [UInt8] = []
        let none = try decoder.decode(Vector.gzip.span, into: &output, outputLimit: 0)
        let negative = try decoder.decode(Vector.gzip.span, into: &output, outputLimit: -1)
        #expect(none == 0 && negative == 0)
        #expect(output.isEmpty)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ([:], []), ([.contentEncoding: ""], []), ([.contentEncoding: "identity"], []),
            ([.contentEncoding: "GZip"], [.gzip]), ([.contentEncoding: "x-gzip"], [.gzip]),
            ([.contentEncoding: "deflate, gzip"], [.deflate, .gzip]),
            ([.contentEncoding: "deflate", .contentEncoding: "gzip"], [.deflate, .gzip]),
            ([.contentEncoding: "none"], []),
            ([.contentEncoding: "x-none"], nil), ([.contentEncoding: "gzip, x-none"], nil),
        ] as [(HTTPHeaders, [ContentCoding]?)]
    )
    func `Content-Encoding determines the codings to decode`(
        headers: HTTPHeaders,
        codings: [ContentCoding]?
    ) {
        #expect(ContentCoding.applied(in: headers) == codings)
        do {
            let isDecoded = try ContentDecoder(headers) != nil
            #expect(isDecoded == (codings?.isEmpty == false))
        } catch {
            #expect(codings == nil && error == .unknownContentCoding)
        }
    }

    @Test func `more codings than the limit are rejected`() throws {
        let four: HTTPHeaders = [.contentEncoding: "gzip, gzip, identity, gzip, gzip"]
        let five: HTTPHeaders = [.contentEncoding: "gzip, gzip, gzip, gzip, gzip"]
        let isDecoded = try ContentDecoder(four) != nil
        #expect(isDecoded)
        #expect(throws: WireError.limitExceeded(.codingCount(4))) { _ = try ContentDecoder(five) }
        var limits = WireLimits()
        limits.codingCount = 5
        let isNowDecoded = try ContentDecoder(five, limits: limits) != nil
        #expect(isNowDecoded)
        limits.codingCount = 0
        #expect(throws: WireError.limitExceeded(.codingCount(0))) {
            _ = try ContentDecoder(undoing: [.gzip], limits: limits)
        }
    }

    /// A gzip member without content (RFC 1952), and a stored block without any (RFC 1951 §3.2.4).
    static let emptyMember: [UInt8] =
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + [3, 0] + [UInt8](repeating: 0, count: 8)
    static let emptyBlock: [UInt8] = [0, 0, 0, 0xff, 0xff]

    static let overheads: [(String, [UInt8], [UInt8], ContentCoding)] = [
        ("zeros behind gzip", Vector.gzip, [0], .gzip),
        ("empty members", Vector.gzip, emptyMember, .gzip),
        ("empty blocks", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], emptyBlock, .gzip),
        ("empty blocks of bare deflate", emptyBlock, emptyBlock, .deflate),
    ]

    @Test(arguments: overheads)
    func `encoded bytes that produce no output are limited`(
        name: String,
        start: [UInt8],
        part: [UInt8],
        coding: ContentCoding
    ) throws {
        let parts = [[UInt8]](repeating: part, count: 90_000 / part.count).flatMap(\.self)
        for (size, room) in [(1, 1 << 16), (999, 7), (16 << 10, 7), (1 << 20, 1 << 16)] {
            #expect(throws: WireError.limitExceeded(.codingOverheadBytes(64 << 10))) {
                try decode(start + parts, [coding], size: size, room: room)
            }
        }
        var limits = WireLimits()
        limits.codingOverheadBytes = 1 << 20
        if coding == .gzip, part != Self.emptyBlock {
            #expect(try decode(start + parts, [coding], size: 4096, limits: limits) == Self.text)
        }
    }

    /// Returns the start of a gzip member with each byte in its own stored block, six bytes for one.
    private func spread(_ bytes: [UInt8]) -> [UInt8] {
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + bytes.flatMap { [0, 1, 0, 0xfe, 0xff, $0] }
    }

    @Test(arguments: [2, 3]) func `the overhead limit does not grow with the number of codings`(
        count: Int
    ) throws {
        var bytes = Self.emptyMember + [UInt8](repeating: 0, count: 60_000)
        for _ in 1..<count { bytes = spread(bytes) }
        let codings = [ContentCoding](repeating: .gzip, count: count)
        for (size, room) in [(999, 7), (16 << 10, 7), (1 << 20, 1 << 16)] {
            #expect(throws: WireError.limitExceeded(.codingOverheadBytes(64 << 10))) {
                try decode(bytes, codings, size: size, room: room)
            }
        }
        // The overhead of each coding is within its limit here, so decoding reaches the truncated end.
        let text = spread(spread(Vector.gzip))
        #expect(throws: WireError.truncatedCoding(.gzip)) {
            try decode(text, [.gzip, .gzip, .gzip], size: 100)
        }
    }

    @Test func `many gzip members of one byte each do not count as overhead`() throws {
        // A fixed block with the byte 'a', its CRC and its length.
        let member: [UInt8] =
            [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 4, 0]
            + [0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0]
        let bytes = [[UInt8]](repeating: member, count: 10_000).flatMap(\.self)
        let text = [UInt8](repeating: 0x61, count: 10_000)
        #expect(try decode(bytes, [.gzip], size: 5000) == text)
        #expect(try decode(bytes, [.gzip], size: 5000, room: 3) == text)
    }

    /// Encodings of `hello, hello, hello!` by zlib, and other compressed inputs.
    enum Vector {
        /// Two stored blocks of 40 000 zeros and 4 MiB of deflated zeros, compressed once more.
        static let bombInGzip: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xd0, 0xb1, 0x0d,
            0xc2, 0x30, 0x14, 0x40, 0xc1, 0xef, 0x2e, 0x3b, 0x44, 0x11, 0x8c, 0x41, 0xe9, 0x74,
            0xd9, 0xc3, 0x3d, 0x13, 0x50, 0x10, 0xda, 0xac, 0x90, 0x1d, 0x32, 0x82, 0xc5, 0x40,
            0xb0, 0x82, 0x41, 0x34, 0x9e, 0x01, 0xe9, 0xae, 0x79, 0xfd, 0x3b, 0x6d, 0x43, 0xfc,
            0xb4, 0xc8, 0x7b, 0x2d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x74, 0x79, 0xaf, 0xc5, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0xe8, 0x5e, 0xcf, 0x94, 0xbe, 0x79, 0x9c, 0xdb, 0x71, 0x5d, 0x72, 0x32,
            0x04, 0x00, 0x00, 0x00, 0xfe, 0xde, 0x6d, 0x7c, 0xaf, 0xd3, 0x70, 0xbf, 0xcc, 0xf1,
            0x01, 0xbd, 0x4f, 0xde, 0x6b, 0x8c, 0x48, 0x01, 0x00,
        ]
        static let gzip: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48,
            0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0xc8, 0x40, 0xa2, 0x14, 0x01, 0xa7, 0xbb,
            0xd2, 0xfe, 0x14, 0x00, 0x00, 0x00,
        ]
        /// With extra field, name, comment and the checksum of the header (RFC 1952 §2.3.1).
        static let gzipWithAll: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x1e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x02, 0x00,
            0x78, 0x79, 0x6e, 0x00, 0x63, 0x00, 0x44, 0x7e, 0xcb, 0x48, 0xcd, 0xc9,
            0xc9, 0xd7, 0x51, 0xc8, 0x40, 0xa2, 0x14, 0x01, 0xa7, 0xbb, 0xd2, 0xfe,
            0x14, 0x00, 0x00, 0x00,
        ]
        static let zlib: [UInt8] = [
            0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0xc8, 0x40, 0xa2,
            0x14, 0x01, 0x4b, 0x1e, 0x06, 0xf6,
        ]
        static let raw: [UInt8] = [
            0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0xc8, 0x40, 0xa2, 0x14, 0x01,
        ]
        static let rawLikeZlib: [UInt8] = [
            0x08, 0x14, 0x00, 0xeb, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x2c, 0x20,
            0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x2c, 0x20, 0x68, 0x65, 0x6c, 0x6c, 0x6f,
            0x21, 0x01, 0x00, 0x00, 0xff, 0xff,
        ]
        static let zlibInGzip: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x98,
            0x73, 0xda, 0xe3, 0xec, 0xc9, 0x93, 0xd7, 0x03, 0x4f, 0x38, 0x2c, 0x12,
            0x61, 0xf4, 0x96, 0x63, 0xfb, 0x06, 0x00, 0x79, 0x05, 0x88, 0xf9, 0x12,
            0x00, 0x00, 0x00,
        ]
        /// 64 KiB of zeros.
        static let zeros: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc1,
            0x01, 0x01, 0x00, 0x00, 0x00, 0x80, 0x90, 0xfe, 0xaf, 0xee, 0x08, 0x0a,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x6a, 0xeb, 0x8e, 0x97, 0xd7, 0x00, 0x00, 0x01, 0x00,
        ]
    }
}

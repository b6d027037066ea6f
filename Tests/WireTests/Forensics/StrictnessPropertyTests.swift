import Support
import Testing
import Wire
import WireForensics

/// Compares the results of the three strictness levels on generated and corrupted heads.
@Suite struct StrictnessPropertyTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4]

    /// A generator of heads, some with a malformed start line.
    private struct Heads {
        private var sections: HeadMutator
        private static let requests = [
            "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n", "\r\nPOST /a?b HTTP/1.0\r\n",
            "GET  /\tHTTP/1.1\r\n", "OPTIONS * HTTP/1.1\n", "\n\nGET /a b HTTP/1.1\r\n",
            "CONNECT h:1 HTTP/1.7\r\n", "GET http://h/ http/1.1\r\n", "G\u{00}T h HTTP/3.0 \r\n",
        ]
        private static let responses = [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.0 404\r\n",
            "HTTP/1.1  200 OK\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 200 a\rb\u{01}\r\n",
            "\nhttp/1.1 200\tOK\r\n",
        ]

        init(seed: UInt64) {
            sections = HeadMutator(seed: seed)
        }

        mutating func next(_ role: DecodedHead.Role) -> [UInt8] {
            let lines = role == .request ? Self.requests : Self.responses
            let line = lines[sections.below(lines.count)]
            let (bytes, start) = sections.next()
            return Array(line.utf8) + bytes[start...]
        }
    }

    @Test(arguments: seeds, DecodedHead.Role.allCases)
    func `lenient and forensic read a head valid for strict identically, without diagnostics`(
        seed: UInt64,
        role: DecodedHead.Role
    ) {
        var heads = Heads(seed: seed)
        var accepted = 0
        for _ in 0..<2000 {
            let bytes = heads.next(role)
            let strict = DecodedHead([bytes], role, .strict)
            guard strict.error == nil else { continue }
            accepted += 1
            #expect(DecodedHead([bytes], role, .lenient) == strict)
            var forensic = DecodedHead([bytes], role, .forensic)
            forensic.raw = nil
            #expect(forensic == strict)
        }
        #expect(accepted > 100)
    }

    @Test(arguments: seeds, DecodedHead.Role.allCases)
    func `forensic reads a head valid for lenient identically, with the same diagnostics`(
        seed: UInt64,
        role: DecodedHead.Role
    ) {
        var heads = Heads(seed: seed)
        var tolerated = 0
        for _ in 0..<2000 {
            let bytes = heads.next(role)
            let lenient = DecodedHead([bytes], role, .lenient)
            guard lenient.error == nil else { continue }
            tolerated += lenient.diagnostics.isEmpty ? 0 : 1
            var forensic = DecodedHead([bytes], role, .forensic)
            forensic.raw = nil
            #expect(forensic == lenient)
        }
        #expect(tolerated > 100)
    }

    @Test(arguments: seeds, DecodedHead.Role.allCases)
    func `a head invalid for strict is accepted only with diagnostics`(
        seed: UInt64,
        role: DecodedHead.Role
    ) {
        var heads = Heads(seed: seed)
        for _ in 0..<2000 {
            let bytes = heads.next(role)
            let isStrict = DecodedHead([bytes], role, .strict).error == nil
            for level in [Strictness.lenient, .forensic] {
                let reading = DecodedHead([bytes], role, level)
                guard reading.rest != nil else { continue }
                #expect(reading.diagnostics.isEmpty == isStrict)
            }
        }
    }

    @Test(arguments: seeds, DecodedHead.Role.allCases)
    func `a head read by forensic is written again byte for byte`(
        seed: UInt64,
        role: DecodedHead.Role
    ) throws {
        var heads = Heads(seed: seed)
        var writer = UncheckedWriter()
        var read = 0
        for _ in 0..<2000 {
            let bytes = heads.next(role)
            let reading = DecodedHead([bytes], role, .forensic)
            guard let rest = reading.rest else { continue }
            read += 1
            let raw = try #require(reading.raw)
            writer.removeAll()
            writer.append(raw)
            #expect(writer.bytes + rest == bytes)
            #expect(raw.lines.flatMap { raw.bytes(in: $0.range) } == raw.bytes)
        }
        #expect(read > 500)
    }

    @Test(arguments: DecodedHead.Role.allCases, Strictness.allCases)
    func `splits of the input do not change the result`(
        role: DecodedHead.Role,
        strictness: Strictness
    ) {
        var heads = Heads(seed: 9)
        for _ in 0..<60 {
            let bytes = Array(heads.next(role).prefix(300))
            let whole = DecodedHead([bytes], role, strictness)
            for pieces in ByteSplits(bytes) {
                #expect(DecodedHead(pieces, role, strictness) == whole)
            }
        }
    }
}

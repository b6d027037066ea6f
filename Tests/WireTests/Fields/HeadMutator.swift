import Wire

/// A generator of field sections, about half of them malformed; the same for the same seed.
struct HeadMutator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    }

    private static let names =
        FieldName.allKnown.map { Array($0.rawName.utf8) }
        + [
            "X", "x-y", "X-Request-Id", "NEL", "Some_Thing", "a!#$%&'*+-.^_`|~9",
            "Access-Control-Allow-Credential", "Access-Control-Allow-Credentialss", "Contenu-Type",
            "X-An-Extraordinarily-Long-Name-That-Fits-In-No-Window", "Ag", "Age2", "Dat\u{e9}",
        ].map { Array($0.utf8) }
    private static let values = [
        "", "v", "text/html; charset=utf-8", "a\tb", "caf\u{e9}", "Wed, 04 Mar 2026 08:15:42 GMT",
        "::", "a:b", "\u{7e}", "0123456789012345678901234567890123456789012345678901234567890123",
    ].map { Array($0.utf8) }
    private static let spaces = [" ", " ", " ", " ", "", "\t", "  ", " \t "].map { Array($0.utf8) }
    private static let ends = ["", "", "", " ", "\t", " \t"].map { Array($0.utf8) }
    private static let specialBytes: [UInt8] = [
        0x00, 0x09, 0x0a, 0x0d, 0x1f, 0x20, 0x22, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7f, 0x80, 0xff,
    ]

    private static let requestLines = [
        "GET / HTTP/1.1", "GET /a/b?c=d HTTP/1.1", "POST /upload HTTP/1.0", "HEAD /x HTTP/1.1",
        "PUT /a-very-long-path/with/many/segments/and/a/query?of=some&length=too HTTP/1.1",
        "DELETE /1 HTTP/1.1", "OPTIONS * HTTP/1.1", "OPTIONS /p HTTP/1.1", "PATCH /p HTTP/1.7",
        "CONNECT h:443 HTTP/1.1", "GET http://h/p HTTP/1.1", "TRACE /t HTTP/1.1", "GET x HTTP/1.1",
        "GETS / HTTP/1.1", "GET  / HTTP/1.1", "GET / HTTP/2.0", "GET /#f HTTP/1.1",
        "PRI * HTTP/2.0",
    ].map { Array($0.utf8) }
    private static let statusLines = [
        "HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.0 301 Moved", "HTTP/1.1 200",
        "HTTP/1.1 200 ", "HTTP/1.1 999 a\tb", "HTTP/1.7 100 Continue", "HTTP/1.1 099 Low",
        "HTTP/2.0 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 2000 OK", "ICY 200 OK",
        "HTTP/1.1 500 A reason phrase that goes on beyond the first sixty-four bytes of the head",
    ].map { Array($0.utf8) }

    /// Returns a head with a request line or a status line.
    mutating func nextHead(isRequest: Bool) -> [UInt8] {
        let lines = isRequest ? Self.requestLines : Self.statusLines
        var bytes: [UInt8] = below(20) == 0 ? [0x0d, 0x0a] : []
        bytes += lines[below(below(2) == 0 ? 5 : lines.count)] + [0x0d, 0x0a]
        let start = bytes.count
        let (section, place) = next()
        bytes += section[place...]
        if below(4) == 0 { corrupt(&bytes, from: below(3) == 0 ? start : 0) }
        return bytes
    }

    /// Returns bytes, and the offset at which the section starts.
    mutating func next() -> (bytes: [UInt8], start: Int) {
        let start = below(3) == 0 ? below(80) : 0
        var bytes = [UInt8](repeating: 0x2e, count: start)
        let count = below(20) == 0 ? 60 + below(80) : below(8)
        for _ in 0..<count {
            var name = Self.names[below(Self.names.count)]
            if below(4) == 0 { name[below(name.count)] ^= 0x20 }
            bytes += name + [0x3a] + Self.spaces[below(Self.spaces.count)]
            bytes += Self.values[below(Self.values.count)]
            if below(3) == 0 { bytes += [UInt8](repeating: 0x61, count: below(90)) }
            bytes += Self.ends[below(Self.ends.count)] + [0x0d, 0x0a]
        }
        bytes += [0x0d, 0x0a]
        if below(3) == 0 { bytes += [UInt8](repeating: 0x3a, count: below(100)) }
        if below(2) == 0 {
            for _ in 0..<1 + below(2) { corrupt(&bytes, from: start) }
        }
        return (bytes, start)
    }

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    private mutating func corrupt(_ bytes: inout [UInt8], from start: Int) {
        guard bytes.count > start else { return }
        let place = start + below(bytes.count - start)
        switch below(6) {
        case 0: bytes[place] = UInt8(below(256))
        case 1, 2: bytes[place] = Self.specialBytes[below(Self.specialBytes.count)]
        case 3: bytes.insert(Self.specialBytes[below(Self.specialBytes.count)], at: place)
        case 4: bytes.remove(at: place)
        default: bytes.removeLast(bytes.count - place)
        }
    }
}

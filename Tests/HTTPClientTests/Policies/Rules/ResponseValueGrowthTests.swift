import HTTPClient
import Support
import Testing
import Wire

/// Measures how the work of the client for values in a response grows with their length.
///
/// The parsers of Wire have their own tests: `ValueGrowthTests` and `StreamGrowthTests`.
@Suite(.timeLimit(.minutes(10))) struct ResponseValueGrowthTests {
    @Test(arguments: authenticationParsers + fieldParsers + bodyParsers)
    func `the work for a value grows no faster than its length`(parser: ParserGrowth) {
        #expect(parser.superlinearTexts() == [])
    }

    @Test(arguments: [(0, 2), (1, 1)])
    func `challenges beyond 8 KiB are ignored`(excess: Int, count: Int) {
        let (first, second) = ("Basic realm=x", "Basic realm=")
        let room = (8 << 10) - first.utf8.count - second.utf8.count
        let value = second + String(repeating: "y", count: room + excess)
        let headers = HTTPHeaders([(.wwwAuthenticate, first), (.wwwAuthenticate, value)])
        let head = ResponseHead(status: .unauthorized, headers: headers)
        #expect(AuthenticationState.challenges(head, in: .wwwAuthenticate).count == count)
    }

    private static let authenticationParsers = [
        ParserGrowth(
            "challenges",
            [
                "…", "x, …", "Digest x, …", "Digest a=\"…", "Digest realm=…, nonce=n",
                "Digest nonce=n, qop=\"…\"", "Digest nonce=n, qop=auth,…",
            ],
            of: HostileText.fieldPieces + [
                "auth,", "auth ,", "qop=auth,", "qop=auth, a,", "a\"b\"",
            ]
        ) { text in
            let choices = SupportedChallenge.rankedByStrength(
                ChallengeParser.parse([text]),
                allowing: .any
            )
            _ = choices.map(\.realm)
        },
        ParserGrowth("protection space", of: [" ", "/", "/a ", "a ", "http://a/{n} ", "../"]) {
            let url = try? URI("http://a/b/c")
            _ = ProtectionSpace(digest: $0, at: url)
        },
    ]

    private static let fieldParsers = [
        ParserGrowth(
            "digests",
            ["…", "sha-256=…", "sha-256=:…", "sha-256=:…:", "sha-256=(…)", "sha-256=1;…"]
        ) { text in
            for name in [
                DigestFields.contentDigest, DigestFields.reprDigest, DigestFields.wantReprDigest,
            ] {
                let headers = HTTPHeaders([(name, text)])
                _ = try? DigestFields.digests(name, in: headers)
                _ = try? DigestFields.wanted(name, in: headers)
                _ = DigestFields.algorithmNames(name, in: headers)
            }
            _ = try? HTTPDigest("sha256:" + text)
            _ = try? HTTPDigest(.sha256, base64: text)
        },
        ParserGrowth("header fields", ["…", "timeout=…", "a, …", "http://a/…", "a/b; charset=…"]) {
            text in
            let headers = HTTPHeaders([
                (.keepAlive, text), (.location, text), (.allow, text), (.contentType, text),
                (.contentDisposition, text), (.cacheControl, text), (.retryAfter, text),
                (.link, text),
            ])
            _ = KeepAliveTimeout.idleNanoseconds(headers)
            _ = headers.location
            _ = headers.allow
            _ = headers.contentType?.charset.flatMap { HTTPCharset($0) }
            _ = headers.contentDisposition?.safeFileName
            _ = headers.cacheControl?.maxAge
            _ = headers.retryAfter
            _ = headers.links.count
        },
        ParserGrowth(
            "lines of Set-Cookie",
            of: [
                ",", "a,", "a=b,", "a{n}=b,", "a{n}=b; path=/{n},", "a=b; domain=a{n}.b.example,",
                "a{n}=b; max-age=0,", "a{n}=b; domain=b.example,", "a{n}=b; secure,",
            ]
        ) { text in
            var headers = HTTPHeaders()
            for line in text.split(separator: ",") { headers.append(.setCookie, String(line)) }
            for scheme in ["http", "https"] {
                guard let url = try? URI("\(scheme)://a.b.example/c/d") else { return }
                let jar = CookieJar(suffixes: .builtIn) { 1_800_000_000 }
                jar.store(headers, from: url)
                _ = jar.fieldBytes(for: url)
            }
        },
    ]

    private static let bodyParsers = [
        ParserGrowth(
            "JSON",
            ["…", "[…]", "{…}", "\"…\"", "[…", "{\"a\":…}"],
            of: [
                "[", "]", "{", "\"", "\\", "\\\"", "\\u0041", "\\ud83d\\ude00", "0", "1,", "-", "a",
                " ", "\n", "\u{e9}", "[],", "{},", "\"a\":1,", "\"a{n}\":1,", "1e1,", "\"a\",",
            ]
        ) { _ = try? HTTPJSON(parsing: $0) },
        ParserGrowth("charset", of: ["a", "\u{e9}", "\u{20ac}", "\0", "\r\n", "\u{1f600}"]) {
            text in
            let bytes = Array(text.utf8)
            for name in ["utf-8", "us-ascii", "iso-8859-1", "windows-1252", "utf-16", "utf-16le"] {
                var errorOffset: Int?
                _ = HTTPCharset(name)?.decode(bytes, errorOffset: &errorOffset)
            }
        },
        ParserGrowth(
            "records",
            ["…", "data: a\n…"],
            of: [
                "a", "\n", "\r", "\r\n", " ", "data: a\n", "data: a\n\n", "id: {n}\n\n", "{}\n",
                "1\n",
                "[", "\u{1e}{}\n", "\u{1e}",
            ]
        ) { text in
            read(text, EventParser(maxLength: .max))
            for format in [HTTPJSON.RecordFormat.lines, .sequence] {
                read(text, JSONRecordParser(format, maxLength: .max) { $0.count })
            }
            read(text, TextLineParser(charset: nil, .replace, maxLength: .max))
        },
    ]

    /// Reads records whole and in pieces of 16 bytes, up to the first error after which none follows.
    private static func read(_ text: String, _ parser: some RecordParser) {
        let bytes = Array(text.utf8)
        for pieceLength in [max(bytes.count, 1), 16] {
            var buffer = RecordBuffer(parser)
            var start = 0
            while !buffer.isAtEnd {
                let end = min(start + pieceLength, bytes.count)
                buffer.append(Array(bytes[start..<end]))
                start = end
                readBatches(&buffer)
            }
        }
    }

    /// Reads until more bytes are needed.
    private static func readBatches<Parser>(_ buffer: inout RecordBuffer<Parser>) {
        while !buffer.isAtEnd {
            var records: [Parser.Record] = []
            do throws(RecordFailure) {
                try buffer.read(into: &records)
                if records.isEmpty { return }
            } catch {
                guard error.isRecoverable else { return }
            }
        }
    }
}

/// A generator of response heads that are all different, and the same in every run.
///
/// If one head is read repeatedly, the branch predictor learns its line lengths. With 256 heads it
/// learns less.
struct HeadGenerator {
    private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

    static func heads(_ count: Int) -> [[UInt8]] {
        var mix = HeadGenerator()
        return (0..<count).map { _ in mix.head() }
    }

    private static let lines = [
        "Server: edge-cache", "Date: Wed, 04 Mar 2026 08:15:42 GMT",
        "Content-Type: text/html; charset=utf-8", "Content-Length: 90417",
        "Connection: keep-alive", "Accept-Ranges: bytes", "Access-Control-Allow-Origin: *",
        "Age: 40213", "Cache-Control: public, max-age=604800", "Content-Encoding: br",
        "ETag: \"65e5a1f0-16131\"", "Expires: Wed, 11 Mar 2026 08:15:42 GMT",
        "Last-Modified: Mon, 02 Mar 2026 21:03:28 GMT", "Vary: Accept-Encoding, Origin",
        "Via: 1.1 edge-ams-7, 1.1 shield-lon-2",
        "Strict-Transport-Security: max-age=31536000; includeSubDomains",
        "X-Content-Type-Options: nosniff", "X-Cache: HIT", "Location: /elsewhere",
        "Content-Language: en", "Link: </style.css>; rel=preload",
    ]
    private static let names = [
        "X-Request-Id", "Set-Cookie", "X-Served-By", "Report-To", "Content-Security-Policy",
        "X-Timer", "Server-Timing", "x-amz-cf-id", "CF-Ray", "NEL",
    ]
    private static let letters = Array(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,;=-_/.".utf8
    )

    private mutating func head() -> [UInt8] {
        var lines = Self.lines
        var head = Array("HTTP/1.1 200 OK\r\n".utf8)
        for _ in 0..<8 + below(10) {
            if below(10) < 7 {
                head += lines.remove(at: below(lines.count)).utf8
            } else {
                head += (Self.names[below(Self.names.count)] + ": v").utf8
                for _ in 0..<below(90) { head.append(Self.letters[below(Self.letters.count)]) }
                head.append(UInt8(ascii: "v"))
            }
            head += "\r\n".utf8
        }
        return head + "\r\n".utf8
    }

    private mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}

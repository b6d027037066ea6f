import Testing
import Wire

/// Runs every parser on the worst long field values; a parser slower than linear takes minutes.
@Suite(.timeLimit(.minutes(5))) struct LongValueTests {
    @Test(arguments: [
        ",", " ", ";", "\"", "\\", "=", "a", "0", "a,", "a=b,", "a=\"b\",", "a=\"\\\",", "a=\"",
        "a=\"b\"c,", "A b=\"\\\", ", "A b,", "A b=c,", "<a>,", "<a>;", "<a>;b=\"\\\",", "<",
        "\"a\",",
        "W/\"a\",", "a/b,", "a/b;q=0.1,", "a/b;c=d;", ";a=b", "0-1,", "a;b=c;", "..", "/", "\u{e9}",
    ])
    func `long values are parsed in linear time`(piece: String) {
        let many = String(repeating: piece, count: 24 * 1024 / piece.utf8.count)
        for text in [many, "a/b; c=\(many)", "bytes=\(many)\"x"] {
            _ = HTTPDate(text)
            _ = RetryAfter(text)
            _ = EntityTag(text)
            _ = EntityTagCondition(text)
            _ = AcceptHeader(text, limit: .max)?.byPreference
            _ = RangeHeader(text, limit: .max)
            _ = ContentRange(text)
            _ = CacheControl(text)?.maxAge
            _ = Challenge.list([text])
            _ = WebLink.list([text]).first?.relations
            _ = ContentDisposition(text)?.safeFileName
            _ = ContentDisposition("attachment", fileName: text)?.safeFileName
        }
    }
}

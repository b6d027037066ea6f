import SocketTransport
import Testing

@Suite struct TextSearchTests {
    @Test(arguments: [
        ("http://a", "://", true), ("http:/a", "://", false), ("::://", "://", true),
        ("a", "", true), ("", "", true), ("", "a", false), ("a/..", "/..", true), ("é", "e", false),
        // The search compares bytes: as characters, the accent would belong to the letter before it.
        ("/.\u{301}", "/.", true),
    ])
    func `a substring is found byte by byte`(text: String, part: String, isThere: Bool) {
        #expect(text.hasSubstring(part) == isThere)
        #expect(text[...].hasSubstring(part) == isThere)
    }
}

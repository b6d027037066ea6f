import SocketTransport
import Testing

@Suite struct TextSearchTests {
    @Test(arguments: [
        ("http://a", "://", true), ("http:/a", "://", false), ("::://", "://", true),
        ("a", "", true), ("", "", true), ("", "a", false), ("a/..", "/..", true), ("é", "e", false),
        // Octets, not characters: the accent belongs to the letter before it.
        ("/.\u{301}", "/.", true),
    ])
    func `a part is found octet for octet`(text: String, part: String, isThere: Bool) {
        #expect(text.holds(part) == isThere)
        #expect(text[...].holds(part) == isThere)
    }
}

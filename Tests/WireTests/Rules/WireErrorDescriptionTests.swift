import Testing
import Wire

@Suite struct WireErrorDescriptionTests {
    @Test(arguments: [
        (
            WireError.invalidURI(.forbiddenByte, offset: 3),
            "it contains a character that is not allowed there (at byte 3)"
        ),
        (
            .invalidURI(.internationalHost(.emptyLabel), offset: 7),
            "the host has an empty label (at byte 7)"
        ),
        (
            .invalidURI(.internationalHost(.misplacedCharacter), offset: 0),
            "the host has a hyphen, combining mark or joiner at a place where it is not allowed (at byte 0)"
        ),
        (.invalidFieldName(index: 0), "the name of header 1 is not a token"),
        (.foreignProtocol(.http2), "the peer does not speak HTTP/1.1 but HTTP/2"),
        (.unsupportedVersion(major: 2, minor: 0), "HTTP/2.0 is not supported"),
        (.missingColon(offset: 17), "a header has no colon (at byte 17)"),
        (.conflictingContentLengths, "Content-Length occurs more than once, with different values"),
        (.bodyTruncated(received: 2, expected: 5), "the body ended after 2 of 5 bytes"),
        (.corruptCoding(.gzip), "the body is not valid gzip data"),
        (
            .codingWindowTooLarge(.zstd),
            "the zstd data of the body needs a window of more than 8 MiB"
        ),
        (.codingNeedsDictionary(.zstd), "the zstd data of the body needs a dictionary"),
        (.limitExceeded(.headBytes(10)), "the head has more than 10 bytes"),
    ])
    func `an error describes the violated rule in words`(error: WireError, text: String) {
        #expect("\(error)" == text)
    }
}

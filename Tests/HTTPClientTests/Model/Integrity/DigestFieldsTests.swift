import HTTPClient
import Testing
import Wire

@Suite struct DigestFieldsTests {
    /// The examples of RFC 9530 Appendix B: `{"hello": "world"}` with a line feed.
    private static let hello256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
    private static let hello512 =
        "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCs"
        + "yRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="

    @Test func `RFC 9530: the digests of the example content are those of its fields`() throws {
        let content = Array("{\"hello\": \"world\"}\n".utf8)
        var headers = HTTPHeaders()
        headers.append(DigestFields.reprDigest, "sha-256=:\(Self.hello256):")
        headers.append(DigestFields.contentDigest, "sha-512=:\(Self.hello512):")
        #expect(
            try DigestFields.digests(DigestFields.reprDigest, in: headers)
                == [.sha256(of: content)]
        )
        #expect(
            try DigestFields.digests(DigestFields.contentDigest, in: headers)
                == [.sha512(of: content)]
        )
    }

    @Test func `several lines are one dictionary`() throws {
        var headers = HTTPHeaders()
        headers.append(DigestFields.contentDigest, "sha-512=:\(Self.hello512):, md5=:AAAA:")
        headers.append("content-digest", "sha-256=:\(Self.hello256):;p")
        let digests = try DigestFields.digests(DigestFields.contentDigest, in: headers)
        #expect(digests.map(\.algorithm) == [.sha256, .sha512])
        let value = DigestFields.value(of: digests)
        #expect(value == "sha-256=:\(Self.hello256):, sha-512=:\(Self.hello512):")
    }

    @Test(arguments: [
        "", "md5=:AAAA:", "unixsum=1", "sha256", "crc32c=\"x\"",
    ])
    func `fields without a known algorithm have no digest`(value: String) throws {
        var headers = HTTPHeaders()
        headers.append(DigestFields.reprDigest, value)
        #expect(try DigestFields.digests(DigestFields.reprDigest, in: headers) == [])
        #expect(try DigestFields.digests(DigestFields.contentDigest, in: headers) == [])
    }

    @Test(arguments: [
        "sha-256", "sha-256=1", "sha-256=::", "sha-256=:AAAA:", "sha-256=\(hello256)",
        "sha-256=:\(hello256)", "sha-512=:\(hello256):", "SHA-256=:\(hello256):",
        "sha-256=:\(hello256):,", "sha-256=(:\(hello256):)",
    ])
    func `malformed digests are errors with name and value`(value: String) {
        var headers = HTTPHeaders()
        headers.append("content-digest", value)
        let expected = DigestFields.MalformedField(name: "Content-Digest", value: value)
        #expect(throws: expected) {
            try DigestFields.digests(DigestFields.contentDigest, in: headers)
        }
    }

    @Test(
        arguments: [
            ("sha-256=10, sha-512=5", [.sha256, .sha512]),
            ("sha-512=3, sha-256=10", [.sha256, .sha512]),
            ("sha-512=9, sha-256=1", [.sha512, .sha256]), ("sha-512=1, sha-256=0", [.sha512]),
            ("unixsum=1", []), ("", []),
            ("sha-256=11", nil), ("sha-256=-1", nil), ("sha-256", nil), ("sha-256=1.5", nil),
            ("sha-256=:AAAA:", nil), ("sha-256=1,", nil),
        ] as [(String, [HTTPDigest.Algorithm]?)]
    )
    func `preferences give the algorithms in order`(
        value: String,
        algorithms: [HTTPDigest.Algorithm]?
    ) {
        var headers = HTTPHeaders()
        headers.append(DigestFields.wantContentDigest, value)
        let wanted = try? DigestFields.wanted(DigestFields.wantContentDigest, in: headers)
        #expect(wanted == algorithms)
    }

    @Test func `the client's own preferences can be parsed`() throws {
        var headers = HTTPHeaders()
        headers.append(DigestFields.wantReprDigest, DigestFields.wantAny)
        #expect(
            try DigestFields.wanted(DigestFields.wantReprDigest, in: headers) == [.sha256, .sha512]
        )
    }
}

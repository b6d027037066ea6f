import SocketTransport
import Support
import Testing

@Suite struct StreamingHashTests {
    /// Vectors of FIPS 180-4 and NIST's CAVP (SHA256ShortMsg.rsp, SHA512ShortMsg.rsp, SHA examples).
    static let vectors: [(MessageDigest, [UInt8], String)] = [
        (.sha256, [], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, [0xd3], "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
        (
            .sha256, Array("abc".utf8),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
        (
            .sha256, Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            .sha512, [],
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            .sha512, Array("abc".utf8),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .sha512,
            Array(
                ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8
            ),
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
    ]

    @Test(arguments: vectors)
    func `the digest does not depend on how the bytes are split`(
        digest: MessageDigest,
        bytes: [UInt8],
        expected: String
    ) {
        for split in ByteSplits(bytes) {
            guard var hash = StreamingHash(digest) else { return noHash() }
            for part in split { hash.update(part.span) }
            #expect(hex(hash.finish()) == expected)
        }
    }

    @Test func `a million letters a in parts have the digests of the standard`() {
        let part = [UInt8](repeating: 0x61, count: 1000)
        let expected: [(MessageDigest, String)] = [
            (.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
            (
                .sha512,
                "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                    + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
            ),
        ]
        for (digest, text) in expected {
            guard var hash = StreamingHash(digest) else { return noHash() }
            for _ in 0..<1000 { hash.update(part.span) }
            #expect(hex(hash.finish()) == text)
        }
    }

    @Test(arguments: [MessageDigest.sha256, .sha512])
    func `peek returns the digest so far and does not change the hash`(
        digest: MessageDigest
    ) {
        guard var hash = StreamingHash(digest) else { return noHash() }
        let text = Array("the quick brown fox jumps over the lazy dog".utf8)
        for count in text.indices {
            #expect(hash.peek() == digest.hash(Array(text.prefix(count))))
            hash.update([text[count]].span)
        }
        #expect(hash.finish() == digest.hash(text))
    }

    @Test func `a finished hash starts again`() {
        guard var hash = StreamingHash(.sha256) else { return noHash() }
        hash.update(Array("one".utf8).span)
        #expect(hash.finish() == MessageDigest.sha256.hash(Array("one".utf8)))
        hash.update(Array("two".utf8).span)
        #expect(hash.finish() == MessageDigest.sha256.hash(Array("two".utf8)))
    }

    /// Records that OpenSSL has no such function; `#require` does not take a noncopyable value.
    private func noHash() {
        Issue.record("OpenSSL does not provide the function")
    }

    private func hex(_ bytes: [UInt8]?) -> String? {
        bytes?.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

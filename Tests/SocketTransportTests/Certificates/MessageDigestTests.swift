import SocketTransport
import Testing

@Suite struct MessageDigestTests {
    @Test(arguments: [
        (MessageDigest.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha512t256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `hashes match the vectors of the standards`(
        digest: MessageDigest,
        text: String,
        expected: String
    ) {
        let hex = digest.hash([UInt8](text.utf8))?.map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        #expect(hex?.joined() == expected)
    }
}

import ClientSupport
import HTTPClient
import Testing
import Wire

@Suite struct HTTPDigestTests {
    private static let abc256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let abc512 =
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

    @Test(arguments: [
        ("sha256:\(abc256)", HTTPDigest.Algorithm.sha256), ("SHA-256:\(abc256)", .sha256),
        ("sha256:\(abc256.uppercased())", .sha256), ("sha512:\(abc512)", .sha512),
        ("sha-512:\(abc512)", .sha512),
    ])
    func `a text of algorithm and hexadecimal digits is parsed`(
        text: String,
        algorithm: HTTPDigest.Algorithm
    ) throws {
        let digest = try HTTPDigest(text)
        let expected: HTTPDigest
        if algorithm == .sha256 {
            expected = try .sha256(of: Array("abc".utf8))
        } else {
            expected = try .sha512(of: Array("abc".utf8))
        }
        #expect(digest == expected)
        #expect(try HTTPDigest("\(digest)") == digest)
    }

    @Test(arguments: [
        ("", HTTPDigest.ParsingError.malformed("")), (abc256, .malformed(abc256)),
        ("sha1:00", .unknownAlgorithm("sha1")), (":00", .unknownAlgorithm("")),
        ("sha256:", .wrongLength(.sha256, bytes: 0)),
        ("sha256:00", .wrongLength(.sha256, bytes: 1)),
        ("sha512:\(abc256)", .wrongLength(.sha512, bytes: 32)),
        ("sha256:0", .malformed("sha256:0")), ("sha256:0g", .malformed("sha256:0g")),
        ("sha256: \(abc256)", .malformed("sha256: \(abc256)")),
        ("sha256:+1", .malformed("sha256:+1")), ("sha256:\u{e4}", .malformed("sha256:\u{e4}")),
    ])
    func `a text with an error is rejected with its reason`(
        text: String,
        error: HTTPDigest.ParsingError
    ) {
        #expect(invalidReason { try HTTPDigest(text) } == .digest(error))
    }

    @Test func `base64 and bytes give the same digest`() throws {
        let digest = try HTTPDigest(.sha256, base64: "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        #expect(digest.hex == Self.abc256)
        #expect(digest.base64 == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        #expect(try HTTPDigest(.sha256, bytes: digest.bytes) == digest)
        #expect(digest.description == "sha256:\(Self.abc256)")
        let short = invalidReason { try HTTPDigest(.sha256, base64: "YWJj") }
        #expect(short == .digest(.wrongLength(.sha256, bytes: 3)))
        let malformed = invalidReason { try HTTPDigest(.sha256, base64: "YWJ") }
        #expect(malformed == .digest(.malformed("YWJ")))
    }

    @Test(arguments: HTTPDigest.Algorithm.allCases)
    func `no byte of a digest is lost in its texts`(algorithm: HTTPDigest.Algorithm) throws {
        let count = algorithm == .sha256 ? 32 : 64
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ 1) }
        let digest = try HTTPDigest(algorithm, bytes: bytes)
        #expect(try HTTPDigest("\(digest)").bytes == bytes)
        #expect(try HTTPDigest(algorithm, base64: digest.base64).bytes == bytes)
    }
}

import HTTPClient
import Testing
import Wire

@Suite struct DigestAuthenticationTests {
    private func authentication(
        _ challenge: String,
        _ user: String,
        _ password: String,
        _ clientNonce: String
    ) throws -> DigestAuthentication {
        let parsed = try #require(Challenge(challenge))
        let digest = try #require(DigestChallenge(parsed))
        let credentials = HTTPCredentials(user: user, password: password)
        return try #require(
            DigestAuthentication(digest, credentials, clientNonce: clientNonce)
        )
    }

    private static let rfc7616 = """
        realm="http-auth@example.org", qop="auth, auth-int", \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `RFC 7616 §3.9.1: the example is computed`(algorithm: String, response: String) throws {
        var digest = try authentication(
            "Digest \(Self.rfc7616), algorithm=\(algorithm)",
            "Mufasa",
            "Circle of Life",
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        #expect(
            digest.authorization(method: "GET", target: "/dir/index.html", body: []) == """
                Digest username="Mufasa", realm="http-auth@example.org", \
                nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", \
                response="\(response)", algorithm=\(algorithm), qop=auth, nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """
        )
    }

    // The figures in the RFC are wrong here; those below were computed with Python's hashlib.
    @Test func `RFC 7616 §3.9.2: the example with a hashed user name is computed`() throws {
        var digest = try authentication(
            """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
            opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
            """,
            "J\u{E4}s\u{F8}n Doe",
            "Secret, or not?",
            "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm"
        )
        let value = digest.authorization(method: "GET", target: "/doe.json", body: [])
        let user = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
        let response = "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c"
        #expect(value.hasPrefix("Digest username=\"\(user)\","))
        #expect(value.contains("response=\"\(response)\""))
        #expect(value.hasSuffix(", userhash=true"))
    }

    @Test func `the forms of RFC 2617 and RFC 2069 are computed`() throws {
        let challenge = """
            Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"
            """
        var new = try authentication(
            challenge + ", qop=\"auth,auth-int\"",
            "Mufasa",
            "Circle Of Life",
            "0a4f113b"
        )
        let value = new.authorization(method: "GET", target: "/dir/index.html", body: [])
        #expect(value.contains("response=\"6629fae49393a05397450978507c4ef1\""))
        #expect(!value.contains("algorithm"))
        var old = try authentication(challenge, "Mufasa", "Circle Of Life", "0a4f113b")
        let short = old.authorization(method: "GET", target: "/dir/index.html", body: [])
        #expect(short.contains("response=\"670fd8c2df070c60b045671b8b24ff02\""))
        for name in ["qop", "nc", "cnonce", "opaque"] { #expect(!short.contains("\(name)=")) }
    }

    // The expected digests were computed with Python's hashlib.
    @Test func `a session algorithm keeps its key and increments its count`() throws {
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=md5-sess"
        var digest = try authentication(challenge, "u", "p", "c")
        let first = digest.authorization(method: "CONNECT", target: "a:443", body: [])
        let second = digest.authorization(method: "CONNECT", target: "a:443", body: [])
        #expect(first.contains("response=\"8a3de0c75a6f6e83c8c8d18e2dcb118f\""))
        #expect(first.contains("nc=00000001") && first.contains("algorithm=md5-sess"))
        #expect(second.contains("response=\"3adca68dfcf5fb49edfbb752561d02ba\""))
        #expect(second.contains("nc=00000002") && second.contains("cnonce=\"c\""))
    }

    @Test func `a body is covered if only auth-int is offered`() throws {
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\", algorithm=\"SHA-256\""
        var digest = try authentication(challenge, "u", "p", "c")
        let value = digest.authorization(method: "POST", target: "/", body: Array("body".utf8))
        #expect(
            value.contains(
                "response=\"43b1a8fe9d4be60caae4a780af09efafa9fb967679119e3c93645484c4266e46\""
            )
        )
        #expect(value.contains("qop=auth-int"))
    }

    @Test func `quotes and letters outside ASCII are escaped`() throws {
        let challenge = #"Digest realm="a\"b\\c", nonce="n""#
        var quoted = try authentication(challenge, "x\"y", "p", "c")
        let value = quoted.authorization(method: "GET", target: "/", body: [])
        #expect(value.hasPrefix(#"Digest username="x\"y", realm="a\"b\\c", nonce="n""#))
        var extended = try authentication(challenge, "\u{E9}\r\n", "p", "c")
        let other = extended.authorization(method: "GET", target: "/", body: [])
        #expect(other.hasPrefix("Digest username*=UTF-8''%C3%A9%0D%0A, "))
    }

    @Test(arguments: [
        "Basic realm=\"r\"", "Digest realm=\"r\"", "Digest",
        "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-1",
        "Digest realm=\"r\", nonce=\"n\", algorithm=\"\"",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth-conf\"",
        "Digest realm=\"r\", nonce=\"n\", qop=\"\"",
    ])
    func `an unsupported digest challenge is ignored`(text: String) throws {
        let challenge = try #require(Challenge(text))
        #expect(DigestChallenge(challenge) == nil)
    }

    @Test(arguments: [
        ("stale=true", true, false), ("stale=TRUE", true, false), ("stale=\"true\"", true, false),
        ("stale=false", false, false), ("stale=1", false, false), ("userhash=true", false, true),
        ("userhash=false", false, false),
    ])
    func `stale and userhash flags are parsed`(text: String, isStale: Bool, hashesUser: Bool) throws
    {
        let challenge = try #require(Challenge("Digest realm=\"r\", nonce=\"n\", \(text)"))
        let digest = try #require(DigestChallenge(challenge))
        #expect(digest.isStale == isStale)
        #expect(digest.hashesUser == hashesUser)
    }

    @Test func `a user name with a colon has no digest`() throws {
        let challenge = try #require(Challenge("Digest realm=\"r\", nonce=\"n\""))
        let credentials = HTTPCredentials(user: "a:b", password: "c")
        let digest = try #require(DigestChallenge(challenge))
        #expect(DigestAuthentication(digest, credentials, clientNonce: "c") == nil)
    }
}

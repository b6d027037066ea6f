import HTTPClient
import Testing
import Wire

@Suite struct ChallengeParserTests {
    @Test(
        arguments: [
            // Challenges that follow the grammar.
            (
                "Basic realm=\"a\", Digest realm=b, nonce=c",
                ["Basic realm=\"a\"", "Digest realm=\"b\", nonce=\"c\""]
            ),
            ("Negotiate YII=, Basic realm=x", ["Negotiate YII=", "Basic realm=\"x\""]),
            ("Basic, realm=\"x\"", ["Basic"]), ("", []), ("realm=x", []),
            // Common deviations from the grammar, as other clients parse them.
            ("Basic realm=My Site", ["Basic realm=\"My Site\""]),
            ("Basic realm=a/b;c", ["Basic realm=\"a/b;c\""]),
            ("Basic realm=\"open", ["Basic realm=\"open\""]),
            ("Digest realm=\"r\" nonce=\"n\"", ["Digest realm=\"r\", nonce=\"n\""]),
            (
                "Digest realm=\"r\"\tqop=auth nonce = n algorithm=MD5",
                ["Digest realm=\"r\", qop=\"auth\", nonce=\"n\", algorithm=MD5"]
            ),
            (
                "Digest realm=\"r\", qop=auth,auth-int, nonce=\"n\", algorithm=SHA-256",
                [
                    "Digest realm=\"r\", qop=\"auth,auth-int\", nonce=\"n\", algorithm=SHA-256"
                ]
            ),
            (
                "Digest realm=\"a, qop=auth,auth\", qop=auth, nonce=\"n\"",
                ["Digest realm=\"a, qop=auth,auth\", qop=\"auth\", nonce=\"n\""]
            ),
            (
                "Digest qop = auth-int , auth , nonce=n",
                ["Digest qop=\"auth-int , auth\", nonce=\"n\""]
            ),
            ("Digest realm=My Site, nonce=\"n\"", ["Digest realm=\"My Site\", nonce=\"n\""]),
            (
                "NTLM, Basic realm=a b c, Digest realm=x, nonce=\"y\"",
                ["NTLM", "Basic realm=\"a b c\"", "Digest realm=\"x\", nonce=\"y\""]
            ),
            ("Basic \"", ["Basic"]), ("\"x\", Basic realm=y", ["Basic realm=\"y\""]),
            // A list of qop values after words that are no parameters.
            (
                "x ~~~~ (y) \"z\", Digest qop=auth,auth-int, nonce=n",
                ["x", "Digest qop=\"auth,auth-int\", nonce=\"n\""]
            ),
        ] as [(String, [String])]
    )
    func `challenges are parsed, including malformed ones`(line: String, challenges: [String]) {
        #expect(ChallengeParser.parse([line]).map(\.description) == challenges)
    }

    @Test(arguments: ["Digest nonce=\"n\"", "Digest nonce=n qop=auth"])
    func `a digest challenge without a realm has an empty realm`(line: String) {
        let choices = SupportedChallenge.rankedByStrength(
            ChallengeParser.parse([line]),
            allowing: .any
        )
        #expect(choices.map(\.realm) == [""])
    }

    @Test func `a malformed digest challenge is preferred to Basic`() {
        let line = "Basic realm=x, Digest realm=My Site, nonce=n"
        let choices = SupportedChallenge.rankedByStrength(
            ChallengeParser.parse([line]),
            allowing: .any
        )
        #expect(choices.map(\.realm) == ["My Site", "x"])
    }
}

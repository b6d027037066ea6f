import Testing
import Wire

@Suite struct ChallengeTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            // The examples of §11.6.1 and RFC 7616 §3.9.1.
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                [
                    "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
                    "Basic realm=\"simple\"",
                ]
            ),
            (
                "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=SHA-256",
                [
                    "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=SHA-256"
                ]
            ),
            ("Basic", ["Basic"]), ("Negotiate, NTLM", ["Negotiate", "NTLM"]),
            ("Negotiate YII=, Basic realm=x", ["Negotiate YII=", "Basic realm=\"x\""]),
            ("Basic REALM = \"a\\b\" ", ["Basic realm=\"ab\""]),
            ("Bearer a-._~+/9==", ["Bearer a-._~+/9=="]),
            (",, ,Basic a=b,,c=d ,", ["Basic a=b, c=d"]), ("A b, C d=e", ["A b", "C d=e"]),
            ("Basic , a=b", ["Basic a=b"]), ("A a=b, B", ["A a=b", "B"]), ("A \t b=c", ["A b=c"]),
            ("A b=\"\u{e9}\"", ["A b=\"\u{e9}\""]), ("A b=", ["A b="]), ("", []), (" , ", []),
            // Malformed values: challenges that were complete before the error are kept.
            ("realm=\"x\"", []), ("Basic realm=\"x", []), ("Basic realm=", ["Basic realm="]),
            ("A b, Basic realm=\"x", ["A b"]), ("A b=c, d=\"e", []), ("A b=c d=e", []),
            ("A b=c, \"", ["A b=c"]), ("A b=c, D e=\"", ["A b=c"]), ("A b=c; d=e", []),
            ("A b, c=d", ["A b"]), ("A b==c", []), ("A \"b\"", []), ("A\0", []), ("=", []),
            ("A b=c, d =", []), ("\u{e9} a=b", []), ("A b=\u{e9}", []), ("A/b c=d", []),
        ] as [(String, [String])]
    )
    func `§11.6.1: a line with several challenges is split`(text: String, challenges: [String]) {
        let list = Challenge.list([text])
        #expect(list.map(\.description) == challenges)
        let joined = list.map(\.description).joined(separator: ", ")
        #expect(Challenge.list([joined]) == list)
        #expect((Challenge(joined) != nil) == (list.count == 1))
    }

    @Test(.tags(.rfc9110))
    func `§11.6.1: several lines form one list, and an invalid line does not affect others`() {
        let list = Challenge.list([
            "Basic realm=\"a\"", "B \"", "Digest realm=\"b\", nonce=\"c\"", "",
        ])
        #expect(list.map(\.scheme) == ["Basic", "Digest"])
        #expect(list.map(\.realm) == ["a", "b"])
        #expect(list[1]["NONCE"] == "c" && list[1]["x"] == nil && list[0].isScheme("BASIC"))
    }

    @Test func `challenges are built only from valid parts`() {
        let realm = FieldParameter("realm", "a\"b")!
        let challenge = Challenge(scheme: "Basic", parameters: [realm])!
        #expect(challenge.description == "Basic realm=\"a\\\"b\"")
        #expect(Challenge("basic realm=\"a\\\"b\"") == challenge)
        #expect(Set([challenge, Challenge("BASIC realm=\"a\\\"b\"")!]).count == 1)
        #expect(Challenge(scheme: "B", token68: "abc=")?.payload == .token68("abc="))
        #expect(Challenge(scheme: "B", token68: "abc=")?.realm == nil)
        #expect(Challenge(scheme: "B", token68: "a b") == nil)
        #expect(Challenge(scheme: "B", token68: "") == nil)
        #expect(Challenge(scheme: "a b") == nil && Challenge(scheme: "", token68: "x") == nil)
        #expect(Challenge("A, B") == nil && Challenge("") == nil && Challenge("A b=\"") == nil)
    }
}

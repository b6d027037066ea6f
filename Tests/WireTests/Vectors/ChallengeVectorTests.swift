import Testing
import Wire

/// The cases of greenbytes.de, "Test Cases for the HTTP WWW-Authenticate header field"
/// (test.greenbytes.de/tech/tc/httpauth).
///
/// One case is not in the table: a value folded over two lines concerns head decoding, and has a test
/// at the end of this file. Each row has its name there, the field lines, and the formatted challenges.
private let challengeVectors: [(name: String, lines: [String], challenges: [String])] = [
    ("simplebasic", ["Basic realm=\"foo\""], ["Basic realm=\"foo\""]),
    ("simplebasicucase", ["BASIC REALM=\"foo\""], ["BASIC realm=\"foo\""]),
    // greenbytes regards an unquoted realm as invalid. RFC 9110 §11.5 forbids senders to use one, but
    // says that recipients might have to support both forms.
    ("simplebasictok", ["Basic realm=foo"], ["Basic realm=\"foo\""]),
    ("simplebasictokbs", ["Basic realm=\\f\\o\\o"], []),
    // As above; the apostrophes are part of the token.
    ("simplebasicsq", ["Basic realm='foo'"], ["Basic realm=\"'foo'\""]),
    ("simplebasicpct", ["Basic realm=\"foo%20bar\""], ["Basic realm=\"foo%20bar\""]),
    ("simplebasiccomma", ["Basic , realm=\"foo\""], ["Basic realm=\"foo\""]),
    // The comma ends a challenge without parameters, and the rest is malformed.
    ("simplebasiccomma2", ["Basic, realm=\"foo\""], ["Basic"]),
    // Whether a realm is required is not decided by the parser, but by the scheme.
    ("simplebasicnorealm", ["Basic"], ["Basic"]),
    // Invalid too: §11.2 permits a parameter only once. Both are kept, and the first one applies.
    (
        "simplebasic2realms", ["Basic realm=\"foo\", realm=\"bar\""],
        ["Basic realm=\"foo\", realm=\"bar\""]
    ),
    ("simplebasicwsrealm", ["Basic realm = \"foo\""], ["Basic realm=\"foo\""]),
    ("simplebasicrealmsqc", ["Basic realm=\"\\f\\o\\o\""], ["Basic realm=\"foo\""]),
    ("simplebasicrealmsqc2", ["Basic realm=\"\\\"foo\\\"\""], ["Basic realm=\"\\\"foo\\\"\""]),
    (
        "simplebasicnewparam1", ["Basic realm=\"foo\", bar=\"xyz\",, a=b,,,c=d"],
        ["Basic realm=\"foo\", bar=xyz, a=b, c=d"]
    ),
    (
        "simplebasicnewparam2", ["Basic bar=\"xyz\", realm=\"foo\""],
        ["Basic bar=xyz, realm=\"foo\""]
    ),
    ("simplebasicrealmiso88591", ["Basic realm=\"foo-\u{e4}\""], ["Basic realm=\"foo-\u{e4}\""]),
    (
        "simplebasicrealmutf8", ["Basic realm=\"foo-\u{c3}\u{a4}\""],
        ["Basic realm=\"foo-\u{c3}\u{a4}\""]
    ),
    (
        "simplebasicrealmrfc2047", ["Basic realm=\"=?ISO-8859-1?Q?foo-=E4?=\""],
        ["Basic realm=\"=?ISO-8859-1?Q?foo-=E4?=\""]
    ),
    (
        "multibasicunknown", ["Basic realm=\"basic\", Newauth realm=\"newauth\""],
        ["Basic realm=\"basic\"", "Newauth realm=\"newauth\""]
    ),
    (
        "multibasicunknownnoparam", ["Basic realm=\"basic\", Newauth"],
        ["Basic realm=\"basic\"", "Newauth"]
    ),
    (
        "multibasicunknown2", ["Newauth realm=\"newauth\", Basic realm=\"basic\""],
        ["Newauth realm=\"newauth\"", "Basic realm=\"basic\""]
    ),
    (
        "multibasicunknown2np", ["Newauth, Basic realm=\"basic\""],
        ["Newauth", "Basic realm=\"basic\""]
    ),
    (
        "multibasicunknown2mf", ["Newauth realm=\"newauth\"", "Basic realm=\"basic\""],
        ["Newauth realm=\"newauth\"", "Basic realm=\"basic\""]
    ),
    ("multibasicempty", [",Basic realm=\"basic\""], ["Basic realm=\"basic\""]),
    (
        "multibasicqs",
        [
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\" "
        ],
        [
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
            "Basic realm=\"simple\"",
        ]
    ),
    (
        "multidisgscheme",
        ["Newauth realm=\"Newauth Realm\", basic=foo, Basic realm=\"Basic Realm\" "],
        ["Newauth realm=\"Newauth Realm\", basic=foo", "Basic realm=\"Basic Realm\""]
    ),
    ("unknown", ["Newauth param=\"value\""], ["Newauth param=value"]),
    ("parametersnotrequired", ["A, B"], ["A", "B"]),
    (
        "disguisedrealm", ["Basic foo=\"realm=nottherealm\", realm=\"basic\""],
        ["Basic foo=\"realm=nottherealm\", realm=\"basic\""]
    ),
    (
        "disguisedrealm2", ["Basic nottherealm=\"nottherealm\", realm=\"basic\""],
        ["Basic nottherealm=nottherealm, realm=\"basic\""]
    ),
    ("missingquote", ["Basic realm=\"basic"], []),
]

@Suite struct ChallengeVectorTests {
    @Test(.tags(.rfc9110), arguments: challengeVectors.indices)
    func `greenbytes: field lines give their challenges`(index: Int) {
        let row = challengeVectors[index]
        #expect(Challenge.list(row.lines).map(\.description) == row.challenges, "\(row.name)")
    }

    @Test func `greenbytes: the first of two realms counts`() {
        #expect(Challenge("Basic realm=\"foo\", realm=\"bar\"")?.realm == "foo")
        #expect(Challenge("Basic foo=\"realm=nottherealm\", realm=\"basic\"")?.realm == "basic")
    }

    @Test(.tags(.rfc9112)) func `greenbytes: simplebasiclf is accepted only by lenient`() {
        let head = "HTTP/1.1 401 A\r\nWWW-Authenticate: Basic\r\n realm=\"foo\"\r\n\r\n"
        #expect(DecodedHead(head, .response, .strict).error == .foldedLine(offset: 41))
        let lenient = DecodedHead(head, .response, .lenient).response
        let value = lenient?.headers[.wwwAuthenticate] ?? ""
        #expect(Challenge.list([value]).map(\.description) == ["Basic realm=\"foo\""])
    }
}

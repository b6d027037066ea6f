import Testing
import Wire

/// The cases of greenbytes.de, "Test Cases for the HTTP WWW-Authenticate header field"
/// (test.greenbytes.de/tech/tc/httpauth), all but one: the value that is folded over two lines is a
/// matter of heads, and the test at the end of this file.
///
/// Each row: its name there, the field lines, and the challenges as they are written again.
private let challengeVectors: [(name: String, lines: [String], challenges: [String])] = [
    ("simplebasic", ["Basic realm=\"foo\""], ["Basic realm=\"foo\""]),
    ("simplebasicucase", ["BASIC REALM=\"foo\""], ["BASIC realm=\"foo\""]),
    // To greenbytes a realm without quotes is invalid. §11.5 forbids to send one and says that
    // recipients might have to support both.
    ("simplebasictok", ["Basic realm=foo"], ["Basic realm=\"foo\""]),
    ("simplebasictokbs", ["Basic realm=\\f\\o\\o"], []),
    // As above; the apostrophes are part of the token.
    ("simplebasicsq", ["Basic realm='foo'"], ["Basic realm=\"'foo'\""]),
    ("simplebasicpct", ["Basic realm=\"foo%20bar\""], ["Basic realm=\"foo%20bar\""]),
    ("simplebasiccomma", ["Basic , realm=\"foo\""], ["Basic realm=\"foo\""]),
    // No space, so no parameters: a challenge without them, and behind it something broken.
    ("simplebasiccomma2", ["Basic, realm=\"foo\""], ["Basic"]),
    // That Basic needs a realm is for whoever knows Basic to say.
    ("simplebasicnorealm", ["Basic"], ["Basic"]),
    // Invalid too: §11.2 lets a parameter occur once. Both are kept, the first one counts.
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

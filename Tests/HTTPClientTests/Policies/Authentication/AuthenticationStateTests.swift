import ClientSupport
import HTTPClient
import Testing
import Wire

/// Tests the answers to 401 and 407, without a socket.
@Suite struct AuthenticationStateTests {
    private static let ada = HTTPCredentials(user: "ada", password: "secret")
    private static let origin = "http://a"

    private func subject(_ path: String) throws -> ProtectedRequest {
        try AuthenticationTarget(to: Self.origin + path).request
    }

    private func ranked(
        _ lines: String...,
        allowing policy: HTTPAuthentication.Policy = .any
    ) -> [SupportedChallenge] {
        SupportedChallenge.rankedByStrength(Challenge.list(lines), allowing: policy)
    }

    private func digest(_ nonce: String, _ rest: String = "") -> String {
        "Digest realm=\"r\", qop=\"auth\", nonce=\"\(nonce)\"\(rest)"
    }

    /// Stores a challenge by answering it.
    private func learn(
        _ line: String,
        at path: String = "/",
        by machine: inout AuthenticationState,
        sentWith sent: SentCredentials = .nothing
    ) throws -> AuthorizationHeader? {
        machine.answer(
            ranked(line),
            with: Self.ada,
            try subject(path),
            sentWith: sent,
            failures: 0,
            clientNonce: "c"
        )
    }

    @Test func `RFC 7616 §3.9.1: the stronger of two challenges is answered`() throws {
        let rest = """
            realm="http-auth@example.org", qop="auth, auth-int", \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        var machine = AuthenticationState()
        let proof = machine.answer(
            ranked("Digest \(rest), algorithm=MD5", "Digest \(rest), algorithm=SHA-256"),
            with: HTTPCredentials(user: "Mufasa", password: "Circle of Life"),
            try subject("/dir/index.html"),
            sentWith: .nothing,
            failures: 0,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        #expect(
            proof?.value.contains(
                "response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\""
            ) == true
        )
    }

    @Test(
        arguments: [
            (["Basic realm=\"r\""], .any, ["basic"]),
            (["Basic, Digest realm=r, nonce=n"], .any, ["MD5", "basic"]),
            (
                [
                    "Digest realm=r, nonce=n, algorithm=MD5", "Basic realm=b",
                    "Digest realm=r, nonce=n, algorithm=SHA-256-sess",
                    "Digest realm=r, nonce=n, algorithm=SHA-512-256",
                ], .any, ["SHA-512-256", "SHA-256-sess", "MD5", "basic"]
            ),
            (["Basic, Digest realm=r, nonce=n"], .digest, ["MD5"]),
            (["Basic, Digest realm=r, nonce=n"], .basic, ["basic"]),
            (["Negotiate", "NTLM abc=", "Bearer realm=\"x\""], .any, []), ([], .any, []),
            (["Digest realm=r, nonce=n, algorithm=SHA-1, Basic realm=b"], .any, ["basic"]),
            (["Digest realm=r, nonce=\"unclosed"], .any, []),
        ] as [([String], HTTPAuthentication.Policy, [String])]
    )
    func `challenges are ranked by strength`(
        lines: [String],
        policy: HTTPAuthentication.Policy,
        names: [String]
    ) {
        let found = SupportedChallenge.rankedByStrength(Challenge.list(lines), allowing: policy).map
        { choice in
            switch choice {
            case .basic: "basic"
            case .digest(let challenge): challenge.algorithm?.name ?? "MD5"
            }
        }
        #expect(found == names)
    }

    @Test(
        arguments: [
            // RFC 7617 §2.2: protection space of Basic.
            ("Basic realm=r", "/docs/index.html", "/docs/", true),
            ("Basic realm=r", "/docs/index.html", "/docs/test.doc", true),
            ("Basic realm=r", "/docs/index.html", "/docs/deep/er?x", true),
            ("Basic realm=r", "/docs/index.html", "/docs", false),
            ("Basic realm=r", "/docs/index.html", "/", false),
            ("Basic realm=r", "/docs/index.html", "/docsx/a", false),
            ("Basic realm=r", "/docs/index.html", "/docs/../admin", false),
            ("Basic realm=r", "/docs/index.html", "/docs/%2e%2E/admin", false),
            ("Basic realm=r", "", "/all", true),
            // RFC 7616 §3.3: protection space of Digest.
            ("Digest realm=r, nonce=n", "/docs/a", "/elsewhere", true),
            ("Digest realm=r, nonce=n, domain=\"\"", "/docs/a", "/elsewhere", true),
            ("Digest realm=r, nonce=n, domain=\"/x /y\"", "/x/a", "/y/b", true),
            ("Digest realm=r, nonce=n, domain=\"/x /y\"", "/x/a", "/z", false),
            ("Digest realm=r, nonce=n, domain=\"http://a/x\"", "/", "/x/y", true),
            // Entries of another origin and invalid entries are ignored; only the requested path is left.
            ("Digest realm=r, nonce=n, domain=\"http://b/\"", "/x", "/y", false),
            ("Digest realm=r, nonce=n, domain=\"http://b/ ::\"", "/x", "/x", true),
        ] as [(String, String, String, Bool)]
    )
    func `credentials apply to the paths of their protection space`(
        challenge: String,
        asked: String,
        next: String,
        isInside: Bool
    ) throws {
        var machine = AuthenticationState()
        #expect(try learn(challenge, at: asked, by: &machine) != nil)
        let proof = machine.preempt(try subject(next))
        #expect((proof != nil) == isInside)
    }

    /// A step of a call that a server refuses again and again.
    enum Step: String {
        /// Basic, or a digest with the nonce after the colon.
        case basic, n1, n2, n3
        /// The response is final.
        case final
    }

    @Test(
        arguments: [
            ("Basic", ["Basic", "Basic"], [.basic, .final]),
            ("Digest with the same nonce", ["Digest n1", "Digest n1"], [.n1, .final]),
            ("Digest with a new nonce", ["Digest n1", "Digest n2"], [.n1, .final]),
            ("a stale nonce", ["Digest n1", "Digest n2 stale"], [.n1, .n2]),
            ("stale, but the same nonce", ["Digest n1", "Digest n1 stale"], [.n1, .final]),
            ("Digest after Basic", ["Basic", "Digest n1", "Digest n2"], [.basic, .n1, .final]),
            ("Basic after Digest", ["Digest n1", "Basic"], [.n1, .final]),
            ("an unknown scheme", ["Negotiate"], [.final]),
            (
                "a limit on new nonces",
                ["Digest n1", "Digest n2 stale", "Digest n3 stale", "Digest n1 stale"],
                [.n1, .n2, .n3, .final]
            ),
        ] as [(String, [String], [Step])],
        [true, false]
    )
    func `origins and proxies are answered by the same rules`(
        row: (name: String, challenges: [String], steps: [Step]),
        isProxy: Bool
    ) throws {
        let request =
            isProxy ? ProtectedRequest(method: "CONNECT", target: "a:443") : try subject("/")
        var state = AuthenticationState()
        var sent = SentCredentials.nothing
        var steps: [Step] = []
        for text in row.challenges {
            let words = text.split(separator: " ")
            let line =
                words[0] == "Digest"
                ? digest(String(words[1]), words.count > 2 ? ", stale=true" : "")
                : "\(words[0]) realm=\"r\""
            let header = state.answer(
                ranked(line),
                withOnly: Self.ada,
                request,
                sentWith: sent,
                clientNonce: "c"
            )
            guard let header else {
                steps.append(.final)
                break
            }
            sent = header.sent
            if case .digest(let nonce) = sent.scheme {
                steps.append(try #require(Step(rawValue: nonce)))
            } else {
                steps.append(.basic)
            }
        }
        #expect(steps == row.steps, "\(row.name)")
    }

    @Test func `each use of a nonce has its own count`() throws {
        var machine = AuthenticationState()
        let first = try learn(digest("n1"), by: &machine)
        #expect(first?.value.contains("nc=00000001") == true)
        let second = machine.preempt(try subject("/a"))
        #expect(second?.value.contains("nc=00000002") == true)
        // Another first request is challenged with the same nonce.
        let third = try learn(digest("n1"), by: &machine)
        #expect(third?.value.contains("nc=00000003") == true)
        let fourth = try learn(digest("n2"), by: &machine)
        #expect(fourth?.value.contains("nc=00000001") == true)
    }

    @Test func `a next nonce from the server replaces only the nonce it was sent for`() throws {
        var machine = AuthenticationState()
        let first = try #require(try learn(digest("n1"), by: &machine)).sent
        machine.updateNonce(to: "n2", after: first)
        let second = try #require(machine.preempt(try subject("/")))
        #expect(second.value.contains("nonce=\"n2\""))
        #expect(second.value.contains("nc=00000001"))
        machine.updateNonce(to: "n3", after: first)
        machine.updateNonce(to: "n4", after: .nothing)
        let third = machine.preempt(try subject("/"))
        #expect(third?.value.contains("nonce=\"n2\"") == true)
        #expect(third?.value.contains("nc=00000002") == true)
    }

    @Test func `a session algorithm keeps its key when the nonce changes`() throws {
        // H(A1) depends on the first nonce. Both digests were computed with Python's hashlib.
        var machine = AuthenticationState()
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5-sess"
        let first = try #require(
            machine.answer(
                ranked(challenge),
                with: HTTPCredentials(user: "u", password: "p"),
                try subject("/"),
                sentWith: .nothing,
                failures: 0,
                clientNonce: "c"
            )
        )
        #expect(first.value.contains("response=\"6e4aac8b22e97762f88ccd0d5ccf5b1d\""))
        machine.updateNonce(to: "m", after: first.sent)
        let second = machine.preempt(try subject("/"))
        #expect(second?.value.contains("response=\"5f74f8cfb5fd59cf9270d46c5ac6e3c2\"") == true)
    }

    @Test func `a digest challenge is decided by its nonce, stale and the credentials sent`() throws
    {
        var machine = AuthenticationState()
        let asked = try #require(try learn(digest("n1"), by: &machine)).sent
        let unasked = try #require(machine.preempt(try subject("/"))).sent
        func verdict(
            _ line: String,
            _ sent: SentCredentials
        ) throws -> AuthenticationState.ChallengeDecision {
            var copy = machine
            return copy.decide(try #require(ranked(line).first), sentWith: sent)
        }
        let refused = AuthenticationState.ChallengeDecision.needsCredentials(
            refused: Self.ada,
            failures: 1
        )
        #expect(try verdict(digest("n2"), asked) == refused)
        #expect(try verdict(digest("n1", ", stale=true"), asked) == refused)
        #expect(try verdict(digest("n2", ", stale=true"), asked) == .known(Self.ada))
        #expect(try verdict(digest("n2"), unasked) == .known(Self.ada))
        #expect(try verdict(digest("n1"), unasked) == refused)
        // After a rejected digest, the password is not sent with Basic.
        #expect(try verdict("Basic realm=r", asked) == .final)
        #expect(try verdict(digest("n3"), .nothing) == .known(Self.ada))
        // Rejected credentials are not sent preemptively again.
        let other = machine.decide(try #require(ranked(digest("n2")).first), sentWith: asked)
        #expect(other == refused)
        #expect(machine.preempt(try subject("/")) == nil)
    }

    @Test func `the number of stored realms is limited`() throws {
        var machine = AuthenticationState()
        for number in 0..<100 {
            let path = "/\(number)/"
            #expect(try learn("Basic realm=\"\(number)\"", at: path, by: &machine) != nil)
        }
        let kept = try (0..<100).count { machine.preempt(try subject("/\($0)/")) != nil }
        #expect(kept == 8)
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct AuthenticationCacheTests {
    private static let basic = "Basic YWRhOnNlY3JldA=="
    private let memory = AuthenticationCache()

    /// A provider that returns its credentials in order and records the challenges.
    private final class SequenceProvider: HTTPCredentialProvider {
        let asked = Locked<[HTTPAuthentication.ChallengeContext]>([])
        private let ring: [HTTPCredentials]

        init(_ ring: [HTTPCredentials]) { self.ring = ring }

        func credentials(
            for challenge: HTTPAuthentication.ChallengeContext
        ) async throws -> HTTPCredentials? {
            let count = asked.withLock { asked in
                asked.append(challenge)
                return asked.count
            }
            return count <= ring.count ? ring[count - 1] : nil
        }
    }

    private func answer(
        _ authentication: HTTPAuthentication,
        to head: ResponseHead,
        at url: String = "http://a/",
        initialOrigin: Origin? = nil,
        sentWith sent: SentCredentials = .nothing
    ) async throws -> AuthorizationHeader? {
        try await memory.answer(
            authentication,
            to: head,
            try AuthenticationTarget(to: url, initialOrigin: initialOrigin),
            sentWith: sent
        )
    }

    @Test(
        arguments: [
            "https://a/", "http://a:81/", "http://b/", "http://a.b/", "http://[::1]/",
        ]
    )
    func `no credentials are sent to another origin`(url: String) async throws {
        let initialOrigin = Origin(scheme: .http, host: "a")
        let netrc = try HTTPNetrc(text: "machine other login x default login ada password p")
        let all: [HTTPAuthentication] = [
            .basic(user: "ada", password: "secret"), .digest(user: "ada", password: "secret"),
            .any(user: "ada", password: "secret"), .bearer("token"),
            .bearer(HTTPTokenSource("token") { _ in "new" }),
        ]
        let head = ResponseHead.unauthorized("Digest realm=r, nonce=n", "Basic realm=r", "Bearer")
        for authentication in all {
            let subject = try AuthenticationTarget(to: url, initialOrigin: initialOrigin)
            #expect(try await memory.preempt(authentication, subject) == nil)
            #expect(
                try await answer(authentication, to: head, at: url, initialOrigin: initialOrigin)
                    == nil
            )
            // Nor after the initial origin has received credentials.
            _ = try await answer(authentication, to: head)
            #expect(try await memory.preempt(authentication, subject) == nil)
            var listed = authentication
            listed.origins = [try #require(try URI(url).origin)]
            let own = try AuthenticationTarget(to: "http://a/")
            #expect(try await memory.preempt(listed, own) == nil)
            #expect(try await answer(listed, to: head) == nil)
            let found = try await answer(listed, to: head, at: url, initialOrigin: initialOrigin)
            let unasked = try await memory.preempt(listed, subject)
            #expect(found != nil || unasked != nil)
        }
        // The default entry of a netrc applies only to the host of the initial origin.
        let isNamed = try URI(url).host == "a"
        let subject = try AuthenticationTarget(to: url, initialOrigin: initialOrigin)
        let proof = try await memory.preempt(.netrc(netrc, policy: .basic), subject)
        #expect((proof != nil) == isNamed)
    }

    @Test func `netrc and provider credentials for HTTPS are not sent over plain HTTP`()
        async throws
    {
        let initialOrigin = Origin(scheme: .https, host: "a")
        let netrc = try HTTPNetrc(text: "machine a login x password y")
        let subject = try AuthenticationTarget(to: "http://a/", initialOrigin: initialOrigin)
        #expect(try await memory.preempt(.netrc(netrc, policy: .basic), subject) == nil)
        let ring = SequenceProvider([HTTPCredentials(user: "a", password: "b")])
        let head = ResponseHead.unauthorized("Basic realm=r")
        #expect(
            try await answer(
                .provider(ring),
                to: head,
                at: "http://a/",
                initialOrigin: initialOrigin
            ) == nil
        )
        #expect(ring.asked.withLock { $0 } == [])
    }

    @Test func `only Basic credentials and tokens are sent preemptively`() async throws {
        let subject = try AuthenticationTarget(to: "http://a/")
        func unasked(_ authentication: HTTPAuthentication) async throws -> String? {
            try await memory.preempt(authentication, subject)?.value
        }
        #expect(try await unasked(.basic(user: "ada", password: "secret")) == Self.basic)
        #expect(try await unasked(.any(user: "ada", password: "secret")) == nil)
        #expect(try await unasked(.digest(user: "ada", password: "secret")) == nil)
        #expect(try await unasked(.bearer("t")) == "Bearer t")
        let netrc = try HTTPNetrc(text: "machine a login ada password secret")
        #expect(try await unasked(.netrc(netrc)) == nil)
        #expect(try await unasked(.netrc(netrc, policy: .basic)) == Self.basic)
        let error = await failure { _ = try await unasked(.basic(user: "a:b", password: "c")) }
        #expect(error?.kind == .invalidRequest(.colonInUserName))
        #expect(error?.request == "GET http://a/")
    }

    @Test func `two users of one origin do not share credentials`() async throws {
        let head = ResponseHead.unauthorized("Basic realm=r")
        let subject = try AuthenticationTarget(to: "http://a/")
        let ada = HTTPAuthentication.any(user: "ada", password: "secret")
        #expect(try await answer(ada, to: head)?.value == Self.basic)
        #expect(try await memory.preempt(ada, subject)?.value == Self.basic)
        let eve = HTTPAuthentication.any(user: "eve", password: "secret")
        #expect(try await memory.preempt(eve, subject) == nil)
        let same = HTTPAuthentication.any(user: "ada", password: "secret")
        #expect(try await memory.preempt(same, subject)?.value == Self.basic)
    }

    @Test func `a provider is asked until it returns the same credentials again`() async throws {
        let ring = SequenceProvider([
            HTTPCredentials(user: "one", password: "1"),
            HTTPCredentials(user: "two", password: "2"),
            HTTPCredentials(user: "two", password: "2"),
        ])
        let authentication = HTTPAuthentication.provider(ring)
        let head = ResponseHead.unauthorized("Bearer, basic realm=\"R\"")
        let first = try #require(try await answer(authentication, to: head))
        let second = try #require(
            try await answer(authentication, to: head, sentWith: first.sent)
        )
        #expect(second.value != first.value)
        // The same credentials again do not justify another attempt.
        let third = try await answer(authentication, to: head, sentWith: second.sent)
        #expect(third == nil)
        let asked = ring.asked.withLock { $0 }
        #expect(asked.map(\.failures) == [0, 1, 2])
        #expect(asked.map(\.previousUser) == [nil, "one", "two"])
        #expect(asked[0].realm == "R" && asked[0].scheme == "Basic")
        #expect(asked[0].offeredSchemes == ["Bearer", "basic"])
        // Rejected credentials are removed from the cache.
        #expect(try await memory.preempt(authentication, .init(to: "http://a/")) == nil)
    }

    @Test func `a provider that throws fails the call`() async throws {
        struct Broken: HTTPCredentialProvider {
            func credentials(
                for challenge: HTTPAuthentication.ChallengeContext
            ) async throws -> HTTPCredentials? {
                throw WireError.malformedHost
            }
        }
        let head = ResponseHead.unauthorized("Basic")
        let error = await failure { _ = try await answer(.provider(Broken()), to: head) }
        guard case .authenticationFailed(.provider) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.underlying as? WireError == .malformedHost)
        #expect(error?.head == head)
    }

    @Test func `a request sent by a provider is sent without credentials`() async throws {
        final class Recursive: HTTPCredentialProvider {
            let memory = AuthenticationCache()
            let own = Locked<HTTPAuthentication?>(nil)

            func credentials(
                for challenge: HTTPAuthentication.ChallengeContext
            ) async throws -> HTTPCredentials? {
                let authentication = try #require(own.withLock { $0 })
                let inner = try await memory.answer(
                    authentication,
                    to: .unauthorized("Basic"),
                    .init(to: "http://a/"),
                    sentWith: .nothing
                )
                #expect(inner == nil)
                return HTTPCredentials(user: "ada", password: "secret")
            }
        }
        let provider = Recursive()
        let authentication = HTTPAuthentication.provider(provider)
        provider.own.withLock { $0 = authentication }
        // Breaks the retain cycle.
        defer { provider.own.withLock { $0 = nil } }
        let head = ResponseHead.unauthorized("Basic")
        #expect(try await answer(authentication, to: head)?.value == Self.basic)
    }

    @Test(
        arguments: [
            [""], ["Basic"], ["Basic realm=\"r\"", "Basic realm=\"r\""], ["Negotiate, NTLM"],
            ["Digest realm=\"r\", nonce=\"n\", stale=true"],
            ["Digest realm=\"r\", nonce=\"n\", stale=true", "Basic realm=\"r\""],
            ["Digest realm=\"r\", nonce=\"n\", Digest realm=\"s\", nonce=\"m\", algorithm=SHA-256"],
            ["Bearer error=\"invalid_token\""], ["Digest realm=\"r\", nonce=\"COUNT\", stale=true"],
            ["Basic realm=\"COUNT\""], ["Digest realm=\"COUNT\", nonce=\"COUNT\""],
            [String(repeating: "Basic realm=\"r\", ", count: 100_000)],
            ["Digest realm=\"\(String(repeating: "r", count: 2_000_000))\", nonce=\"n\""],
        ]
    )
    func `a server that challenges without end is limited`(lines: [String]) async throws {
        let ring = SequenceProvider(
            (0..<100).map { HTTPCredentials(user: "u\($0)", password: "p") }
        )
        let all: [HTTPAuthentication] = [
            .any(user: "ada", password: "secret"), .basic(user: "ada", password: "secret"),
            .digest(user: "ada", password: "secret"), .bearer("token"), .provider(ring),
            .bearer(HTTPTokenSource("token") { ($0 ?? "") + "+" }),
            .bearer(HTTPTokenSource("token") { $0 ?? "" }),
        ]
        for authentication in all {
            for _ in 0..<3 {
                let subject = try AuthenticationTarget(to: "http://a/")
                var sent = try await memory.preempt(authentication, subject)?.sent ?? .nothing
                var count = 0
                while true {
                    var head = ResponseHead(status: .unauthorized)
                    for line in lines {
                        let parts = line.split(separator: "COUNT", omittingEmptySubsequences: false)
                        head.headers.append(
                            .wwwAuthenticate,
                            parts.joined(separator: "\(count)")
                        )
                    }
                    let next = try await answer(
                        authentication,
                        to: head,
                        sentWith: sent
                    )
                    guard let next else { break }
                    sent = next.sent
                    count += 1
                    try #require(count <= AuthenticationState.maxAnswers)
                }
            }
        }
    }

    @Test(arguments: [200, 400, 403, 407, 500])
    func `statuses other than 401 are not challenges`(code: Int) async throws {
        var head = ResponseHead.unauthorized("Basic")
        head.status = HTTPStatus(code)
        let proof = try await answer(.any(user: "ada", password: "secret"), to: head)
        #expect(proof == nil)
    }

    @Test func `a rejected token is refreshed once, and older rejections use the new token`()
        async throws
    {
        let count = Atomic<Int>(0)
        let source = HTTPTokenSource("t0") { _ in
            "t\(count.add(1, ordering: .relaxed).newValue)"
        }
        let authentication = HTTPAuthentication.bearer(source)
        let subject = try AuthenticationTarget(to: "http://a/")
        let first = try #require(try await memory.preempt(authentication, subject))
        #expect(first.value == "Bearer t0")
        let head = ResponseHead.unauthorized("Bearer error=\"invalid_token\"")
        let second = try #require(
            try await answer(authentication, to: head, sentWith: first.sent)
        )
        #expect(second.value == "Bearer t1")
        // This request was sent before the refresh and rejected after it.
        let late = try #require(try await answer(authentication, to: head, sentWith: first.sent))
        #expect(late.value == "Bearer t1")
        // The new token is rejected as well, so the 401 is the final response.
        let third = try await answer(authentication, to: head, sentWith: second.sent)
        #expect(third == nil)
        #expect(count.load(ordering: .relaxed) == 1)
        for other in ["Basic realm=r", "Bearer error=\"insufficient_scope\""] {
            let proof = try await answer(
                authentication,
                to: .unauthorized(other),
                sentWith: first.sent
            )
            #expect(proof == nil)
        }
    }

    @Test func `a hundred rejected calls cause one refresh, and all succeed`() async throws {
        let count = Atomic<Int>(0)
        let server = try await HTTPTestServer.start { request in
            request.headers[.authorization] == "Bearer new"
                ? .text("in") : .status(.unauthorized)
        }
        let url = server.url + "/"
        let source = HTTPTokenSource("old") { _ in
            count.add(1, ordering: .relaxed)
            return "new"
        }
        let exchange = AuthenticatedExchange(memory: memory, authentication: .bearer(source))
        let statuses = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<100 {
                group.addTask { try await exchange.send(HTTPRequest(url)).response.status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: .ok, count: 100))
        #expect(count.load(ordering: .relaxed) == 1)
        await server.stop()
    }

    @Test func `a nonce count is never used twice`() async throws {
        let authentication = HTTPAuthentication.any(user: "ada", password: "secret")
        let head = ResponseHead.unauthorized("Digest realm=r, nonce=n, qop=auth")
        let subject = try AuthenticationTarget(to: "http://a/")
        let memory = memory
        let values = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        return try await memory.answer(
                            authentication,
                            to: head,
                            subject,
                            sentWith: .nothing
                        )?.value
                    }
                    return try await memory.preempt(authentication, subject)?.value
                }
            }
            return try await group.reduce(into: [String]()) { values, value in
                if let value { values.append(value) }
            }
        }
        let numbers = values.compactMap { value in
            value.firstRange(of: "nc=").map { value[$0.upperBound...].prefix(8) }
        }
        #expect(numbers.count == values.count && numbers.count >= 100)
        #expect(Set(numbers).count == numbers.count)
    }
}

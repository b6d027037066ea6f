import ClientSupport
import HTTPClient
import HTTPClientTesting
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// A cache together with the other policies of a client, and the parts of a request that its key must tell apart.
@Suite(.timeLimit(.minutes(10))) struct CachePolicyTests {
    private struct Rejection: Error {}

    /// What a caller gets, collected or streamed.
    private struct Answer {
        let status: HTTPStatus
        let text: String
        let cacheStatus: HTTPResponse.CacheStatus?
        let attempts: Int

        var outcome: HTTPResponse.CacheStatus.Outcome? { cacheStatus?.outcome }
    }

    private func fetch(
        _ request: HTTPRequest,
        in client: HTTPClient,
        isStreamed: Bool
    ) async throws -> Answer {
        guard isStreamed else {
            let response = try await client.send(request)
            return Answer(
                status: response.status,
                text: response.text,
                cacheStatus: response.cacheStatus,
                attempts: response.metrics.attempts.count
            )
        }
        let response = try await client.stream(request)
        let body = try await response.body.collect()
        return Answer(
            status: response.status,
            text: String(decoding: body, as: UTF8.self),
            cacheStatus: response.cacheStatus,
            attempts: response.metrics.attempts.count
        )
    }

    // MARK: - Authentication

    private static let credentials = HTTPAuthentication.any(user: "user", password: "secret")

    /// Creates a server that asks for credentials of a scheme, and permits storing all of its responses.
    private func guarded(
        by scheme: String,
        _ control: String = "public, max-age=60"
    ) async throws -> CachedOrigin {
        let challenge =
            scheme == "Basic"
            ? #"Basic realm="r""#
            : #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#
        let headers: [FieldName: String] = [.cacheControl: control, .etag: #""a""#]
        return try await CachedOrigin { request in
            guard request.headers[.authorization]?.hasPrefix("\(scheme) ") == true else {
                return .text("who", headers, status: .unauthorized)
                    .header(.wwwAuthenticate, challenge)
            }
            let isKnown = request.headers[.ifNoneMatch] == #""a""#
            return .text(isKnown ? "" : "in", headers, status: isKnown ? .notModified : .ok)
        }
    }

    // Without `public`, a response answers only requests with the same Authorization, and each Digest is another.
    @Test(
        arguments: [
            ("Basic", "max-age=60"), ("Basic", "public, max-age=60"),
            ("Digest", "public, max-age=60"),
        ],
        [false, true]
    )
    func `the response after a challenge is stored, and the challenge is not`(
        row: (scheme: String, control: String),
        isStreamed: Bool
    ) async throws {
        let origin = try await guarded(by: row.scheme, row.control)
        let client = origin.client { $0.authentication = Self.credentials }
        let request = HTTPRequest(origin.server.url)
        let first = try await fetch(request, in: client, isStreamed: isStreamed)
        #expect(first.text == "in" && first.outcome == .miss && first.attempts == 2)
        #expect(try client.cache?.responses.map(\.head.status) == [.ok])
        let second = try await fetch(request, in: client, isStreamed: isStreamed)
        #expect(second.text == "in" && second.outcome == .hit && second.attempts == 0)
        #expect(origin.count == 2)
    }

    @Test(arguments: ["Basic", "Digest"], [false, true])
    func `a response that is not public answers no request of another user`(
        scheme: String,
        isStreamed: Bool
    ) async throws {
        let origin = try await guarded(by: scheme, "max-age=60")
        let cache = HTTPCache()
        for user in ["user", "other"] {
            let client = origin.client {
                $0.authentication = .any(user: user, password: "secret")
                $0.cache = .cache(cache)
            }
            let request = HTTPRequest(origin.server.url)
            let answer = try await fetch(request, in: client, isStreamed: isStreamed)
            #expect(answer.text == "in" && answer.outcome == .miss && answer.attempts == 2)
            // A value of Digest is for one request, so that no other could use the response.
            #expect(answer.cacheStatus?.refusal == (scheme == "Digest" ? "authorization" : nil))
        }
        #expect(origin.count == 4)
        #expect(try cache.responses.count == (scheme == "Digest" ? 0 : 2))
    }

    @Test(arguments: [false, true])
    func `a challenge without an answer is not stored`(isStreamed: Bool) async throws {
        let origin = try await guarded(by: "Basic")
        let client = origin.client()
        for count in 1...2 {
            let request = HTTPRequest(origin.server.url)
            let refused = try await fetch(request, in: client, isStreamed: isStreamed)
            #expect(refused.status == .unauthorized && refused.text == "who")
            #expect(refused.outcome == .miss && refused.cacheStatus?.refusal == "status")
            #expect(try client.cache?.statistics.entryCount == 0 && origin.count == count)
        }
    }

    @Test(arguments: ["Basic", "Digest"], [false, true])
    func `a stored response is validated although the origin asks for credentials first`(
        scheme: String,
        isStreamed: Bool
    ) async throws {
        let origin = try await guarded(by: scheme)
        let cache = HTTPCache()
        for outcome in [HTTPResponse.CacheStatus.Outcome.miss, .revalidated, .revalidated] {
            // A new client does not know the realm yet, so its first request has no credentials.
            let client = origin.client {
                $0.authentication = Self.credentials
                $0.cache = .cache(cache)
            }
            let request = HTTPRequest(origin.server.url)
            let answer = try await fetch(request, in: client, isStreamed: isStreamed)
            #expect(answer.status == .ok && answer.text == "in" && answer.attempts == 2)
            #expect(answer.outcome == outcome)
            origin.advance(61)
        }
        #expect(origin.count == 6)
    }

    // MARK: - Validators and observers

    @Test(arguments: [false, true])
    func `a validator sees a stored response, and can reject it`(isStreamed: Bool) async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let seen = Locked<[String]>([])
        let validator = HTTPClosureValidator { outcome, _, _ in
            let response = try outcome.get()
            let status = try #require(response.cacheStatus)
            seen.withLock { $0.append("\(status.outcome) \(response.text)") }
            return status.outcome == .hit ? .fail(Rejection()) : .accept
        }
        let client = origin.client { $0.validators = [validator] }
        let request = HTTPRequest(origin.server.url)
        let first = try await fetch(request, in: client, isStreamed: isStreamed)
        #expect(first.text == "1" && first.outcome == .miss)
        let error = await failure { try await fetch(request, in: client, isStreamed: isStreamed) }
        #expect(error?.underlying is Rejection)
        // Validators see only the head of a streamed response.
        #expect(seen.withLock { $0 } == (isStreamed ? ["miss ", "hit "] : ["miss 1", "hit 1"]))
        // The rejection is of this call only: the response stays in the cache.
        let accepting = client.with { $0.validators = [] }
        let hit = try await fetch(request, in: accepting, isStreamed: isStreamed)
        #expect(hit.text == "1" && hit.outcome == .hit && origin.count == 1)
    }

    /// An observer that notes responses with the outcomes of the cache.
    private final class ResponseNotes: HTTPObserver {
        private let list = Locked<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func observe(_ step: HTTPStep, _ context: HTTPContext) {
            let word: String
            switch step {
            case .began: word = "began"
            case .sending: word = "sending"
            case .received(let response): word = "received \(Self.outcome(response))"
            case .ended(.success(let response)): word = "ended \(Self.outcome(response))"
            case .failed, .ended: word = "failed"
            case .streamed(_, nil): word = "streamed"
            default: return
            }
            list.withLock { $0.append(word) }
        }

        private static func outcome(_ response: HTTPResponse) -> String {
            response.cacheStatus.map { "\($0.outcome)" } ?? "without a status"
        }
    }

    @Test(arguments: [false, true])
    func `an observer sees a stored response as a response`(isStreamed: Bool) async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let notes = ResponseNotes()
        let client = origin.client { $0.observers = [notes] }
        for _ in 0..<2 {
            let request = HTTPRequest(origin.server.url)
            let answer = try await fetch(request, in: client, isStreamed: isStreamed)
            #expect(answer.text == "1")
        }
        let streamed = isStreamed ? ["streamed"] : []
        let miss = ["began", "sending", "received miss", "ended miss"] + streamed
        #expect(notes.all == miss + ["began", "received hit", "ended hit"] + streamed)
        #expect(origin.count == 1)
    }

    // MARK: - Limits

    @Test(arguments: [false, true])
    func `a validation in the background reads no more than can be stored`(
        inMemory: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let sent = Locked(0)
        let limit = 64 << 20
        let origin = try await CachedOrigin { request in
            let headers: [FieldName: String] = [
                .cacheControl: "max-age=10, stale-while-revalidate=100", .etag: #""1""#,
            ]
            guard request.headers.contains(.ifNoneMatch) else { return .text("1", headers) }
            // A body as good as endless, which only the buffers of the sockets hold back.
            var response = HTTPTestServer.Response.stream { writer in
                let block = [UInt8](repeating: 7, count: 256 << 10)
                while sent.withLock({ $0 }) < limit {
                    try await writer.write(block)
                    sent.withLock { $0 += block.count }
                }
            }
            for (name, value) in headers { response.headers[name] = value }
            return response
        }
        let cache =
            inMemory
            ? HTTPCache(maxBytes: 64 << 10)
            : try HTTPCache(directory: directory.path + "/cache", maxBytes: 64 << 10)
        let client = origin.client { $0.cache = .cache(cache) }
        _ = try await client.send(origin.server.url)
        origin.advance(11)
        let stale = try await client.send(origin.server.url)
        #expect(stale.text == "1" && stale.cacheStatus?.outcome == .staleHit)
        await client.pool.drain()
        #expect(origin.count == 2 && sent.withLock { $0 } < limit / 2)
        // The stored response stays as it was.
        let request = HTTPRequest(origin.server.url).with { $0.cacheMode = .onlyIfCached }
        #expect(try await client.send(request).text == "1" && origin.count == 2)
    }

    @Test(arguments: [false, true])
    func `a validation in the background waits for its place in the queue`(
        isStreamed: Bool
    ) async throws {
        let isOpen = Locked(false)
        let number = Locked(0)
        let origin = try await CachedOrigin { request in
            if request.path == "/slow" {
                while !isOpen.withLock({ $0 }) { await moment() }
                return .text("slow")
            }
            let now = number.withLock { number in
                number += 1
                return number
            }
            return .text(
                "\(now)",
                [.cacheControl: "max-age=10, stale-while-revalidate=100", .etag: "\"\(now)\""]
            )
        }
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = origin.client { $0.queue = queue }
        let request = HTTPRequest(origin.server.url + "/")
        _ = try await client.send(request)
        origin.advance(11)
        let slow = client.start(HTTPRequest(origin.server.url + "/slow"))
        while origin.count != 2 { await moment() }
        // The second one finds a validation that waits already.
        for _ in 0..<2 {
            let stale = try await fetch(request, in: client, isStreamed: isStreamed)
            #expect(stale.text == "1" && stale.outcome == .staleHit && stale.attempts == 0)
        }
        while queue.waitingCount == 0, origin.count == 2 { await moment() }
        #expect(queue.waitingCount == 1 && queue.runningCount == 1)
        #expect(origin.server.requests.map(\.path) == ["/", "/slow"])
        isOpen.withLock { $0 = true }
        #expect(try await slow.value.text == "slow")
        await client.pool.drain()
        #expect(origin.server.requests.map(\.path) == ["/", "/slow", "/"])
        #expect(origin.server.requests.last?.headers[.ifNoneMatch] == "\"1\"")
        let fresh = try await fetch(request, in: client, isStreamed: isStreamed)
        #expect(fresh.text == "2" && fresh.outcome == .hit && origin.count == 3)
    }

    // MARK: - Schemes and methods

    @Test(arguments: ["a.test", "a.test:8443"], [false, true])
    func `http and https do not answer for each other`(
        authority: String,
        isStreamed: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let schemes = ["http", "https"]
        // Stubs, because two servers would have two ports.
        let stubs = HTTPStubs {
            for scheme in schemes {
                HTTPStub(
                    .url("\(scheme)://\(authority)/x"),
                    answer: .text(scheme).header(.cacheControl, "max-age=60")
                )
            }
        }
        var configuration = HTTPClientConfiguration()
        configuration.cache = try .directory(directory.path + "/cache")
        configuration.stubs = stubs
        let client = HTTPClient(configuration, clock: WallClock().clock, seed: 1)
        for outcome in [HTTPResponse.CacheStatus.Outcome.miss, .hit] {
            for scheme in schemes {
                let request = HTTPRequest("\(scheme)://\(authority)/x")
                let answer = try await fetch(request, in: client, isStreamed: isStreamed)
                #expect(answer.text == scheme && answer.outcome == outcome)
            }
        }
        #expect(stubs.calls.count == 2)
    }

    @Test(arguments: [HTTPMethod.post, .put, .query, .head], [false, true])
    func `the response to another method never answers a GET`(
        method: HTTPMethod,
        isStreamed: Bool
    ) async throws {
        let origin = try await CachedOrigin { request in
            let headers: [FieldName: String] = [
                .cacheControl: "public, max-age=60", "Content-Location": request.target,
                "X": request.method.rawValue,
            ]
            return .text(request.method.rawValue, headers)
        }
        let directory = try TemporaryDirectory()
        let setting = try HTTPCache.Setting.directory(directory.path + "/cache")
        let client = origin.client { $0.cache = setting }
        let url = origin.server.url + "/x"
        let other = try await fetch(
            HTTPRequest(method, url),
            in: client,
            isStreamed: isStreamed
        )
        #expect(other.text == (method == .head ? "" : method.rawValue))
        #expect(other.outcome == (method == .head ? .miss : .bypassed))
        #expect(try client.cache?.statistics.entryCount == 0)
        for outcome in [HTTPResponse.CacheStatus.Outcome.miss, .hit] {
            let answer = try await fetch(HTTPRequest(url), in: client, isStreamed: isStreamed)
            #expect(answer.text == "GET" && answer.outcome == outcome && origin.count == 2)
        }
        // Nor does what follows the stored response replace it.
        _ = try await fetch(HTTPRequest(method, url), in: client, isStreamed: isStreamed)
        let last = try await fetch(HTTPRequest(url), in: client, isStreamed: isStreamed)
        #expect(last.text == "GET")
    }
}

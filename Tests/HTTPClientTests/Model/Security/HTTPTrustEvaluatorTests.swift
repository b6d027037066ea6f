import ClientSupport
import Dispatch
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPTrustEvaluatorTests {
    /// A record of the peers that evaluators were called with.
    private final class PeerRecord: Sendable {
        let asked = Locked<[HTTPTrustEvaluator.Peer]>([])

        var count: Int { asked.withLock { $0.count } }
        var last: HTTPTrustEvaluator.Peer? { asked.withLock { $0.last } }

        func note(_ peer: HTTPTrustEvaluator.Peer) {
            asked.withLock { $0.append(peer) }
        }
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `an accepting evaluator is called for each handshake`(
        version: HTTPSecurity.Version
    ) async throws {
        let secure = try await SecureServer()
        let record = PeerRecord()
        let client = secure.client {
            $0.connectionReuse = .off
            $0.security.maximumVersion = version
            $0.security.evaluator = .vetoing { peer in
                record.note(peer)
                await Task.yield()
                return .accept
            }
        }
        for round in 0..<3 {
            let response = try await client.send(HTTPRequest(secure.url))
            #expect(response.text == "hello")
            #expect(response.metrics.tls?.isResumed == (round > 0))
            #expect(record.count == round + 1)
            let peer = try #require(record.last)
            #expect(peer.host == "localhost")
            #expect(peer.verification == .accepted)
            #expect(peer.isResumed == (round > 0))
            #expect(peer.certificates == response.metrics.tls?.certificates)
        }
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a veto fails before a request is sent and leaves no session`(
        version: HTTPSecurity.Version
    ) async throws {
        let secure = try await SecureServer()
        let record = PeerRecord()
        let client = secure.client {
            $0.security.maximumVersion = version
            $0.security.evaluator = .vetoing { peer in
                record.note(peer)
                return .refuse(reason: "on a list")
            }
        }
        for _ in 0..<2 {
            let error = await failure { try await client.send(HTTPRequest(secure.url)) }
            #expect(error?.tlsReason == .vetoed(reason: "on a list"))
            #expect(error?.phase == .tlsHandshake)
            #expect(record.last?.isResumed == false)
        }
        #expect(secure.server.requests.isEmpty)
    }

    @Test func `a vetoing evaluator is not called after failed verification`()
        async throws
    {
        let certificates = try TestCertificates.shared.get()
        let secure = try await SecureServer(try certificates.untrusted("localhost"))
        let record = PeerRecord()
        let client = secure.client {
            $0.security.evaluator = .vetoing { peer in
                record.note(peer)
                return .accept
            }
        }
        let error = await failure { try await client.send(HTTPRequest(secure.url)) }
        guard case .certificate? = error?.tlsReason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record.count == 0)
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `an overriding evaluator can accept what verification rejected`(
        version: HTTPSecurity.Version
    ) async throws {
        let certificates = try TestCertificates.shared.get()
        let secure = try await SecureServer(try certificates.expired("elsewhere.test"))
        let record = PeerRecord()
        let accepting = secure.client {
            $0.connectionReuse = .off
            $0.security.maximumVersion = version
            $0.security.evaluator = .dangerouslyOverridingVerification { peer in
                record.note(peer)
                return .accept
            }
        }
        for round in 0..<2 {
            let response = try await accepting.send(HTTPRequest(secure.url))
            #expect(response.text == "hello")
            #expect(response.metrics.tls?.isVerified == false)
            #expect(record.last?.isResumed == (round == 1))
            guard case .refused(let reason)? = record.last?.verification else {
                Issue.record("\(String(describing: record.last))")
                return
            }
            // The first problem that verification reported.
            switch reason {
            case .certificate, .hostname: break
            default: Issue.record("\(reason)")
            }
        }
        let refusing = secure.client {
            $0.security.evaluator = .dangerouslyOverridingVerification { _ in
                .refuse(reason: "no")
            }
        }
        let error = await failure { try await refusing.send(HTTPRequest(secure.url)) }
        switch error?.tlsReason {
        case .certificate?, .hostname?: break
        default: Issue.record("\(String(describing: error))")
        }
        // Pins are still checked, but only against the server's own key.
        let pinned = secure.client {
            $0.security.evaluator = .dangerouslyOverridingVerification { _ in .accept }
            $0.security.pins = [
                HTTPPin.Rule(host: nil, pins: [.publicKey(sha256: .init(repeating: 1, count: 32))])
            ]
        }
        let mismatch = await failure { try await pinned.send(HTTPRequest(secure.url)) }
        guard case .pinMismatch? = mismatch?.tlsReason else {
            Issue.record("\(String(describing: mismatch))")
            return
        }
        #expect(secure.server.requests.count == 2)
    }

    @Test func `a hanging evaluator is limited by the timeout and does not block others`()
        async throws
    {
        let secure = try await SecureServer()
        let (events, sink) = AsyncStream.makeStream(of: String.self)
        let client = secure.client {
            $0.timeouts.tlsHandshake = .milliseconds(300)
            $0.security.evaluator = .vetoing { _ in
                try? await Task.sleep(for: .seconds(60))
                sink.yield(Task.isCancelled ? "cancelled" : "slept")
                return .accept
            }
        }
        var free = HTTPRequest(secure.url)
        free.security = secure.configuration.security
        async let hanging = failure { try await client.send(HTTPRequest(secure.url)) }
        // The loop serves other requests while the evaluator hangs.
        for _ in 0..<20 { #expect(try await client.send(free).text == "hello") }
        let error = await hanging
        #expect(error?.kind == .timedOut(.tlsHandshake))
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "cancelled")
    }

    @Test func `canceling the call cancels the evaluator`() async throws {
        let secure = try await SecureServer()
        let (events, sink) = AsyncStream.makeStream(of: String.self)
        let client = secure.client {
            $0.security.evaluator = .vetoing { _ in
                sink.yield("asked")
                try? await Task.sleep(for: .seconds(60))
                sink.yield(Task.isCancelled ? "cancelled" : "slept")
                return .accept
            }
        }
        let url = secure.url
        let call = Task { await failure { try await client.send(HTTPRequest(url)) } }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "asked")
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
        #expect(await iterator.next() == "cancelled")
        #expect(secure.server.requests.isEmpty)
    }

    @Test func `an evaluator works for blocking calls`() async throws {
        let secure = try await SecureServer()
        let client = secure.client {
            $0.security.evaluator = .vetoing { peer in
                await Task.yield()
                return peer.certificates.isEmpty ? .refuse(reason: "empty") : .accept
            }
        }
        let url = secure.url
        let text = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: try? client.blocking.send(HTTPRequest(url)).text)
            }
        }
        #expect(text == "hello")
    }

    @Test func `copies of an evaluator are equal, and different ones are not`() {
        let one = HTTPTrustEvaluator.vetoing { _ in .accept }
        let copy = one
        #expect(one == copy)
        #expect(one != .vetoing { _ in .accept })
        var settings = HTTPSecurity()
        settings.evaluator = one
        var same = HTTPSecurity()
        same.evaluator = copy
        #expect(settings == same)
        #expect(Set([settings, same]).count == 1)
    }
}

import Dispatch
import SocketTransport
import Testing

/// Tests lookups that never complete next to lookups that do.
@Suite(.timeLimit(.minutes(10))) struct GetaddrinfoResolverTests {
    /// Name servers that never answer names beginning with "dead", until they are released.
    private final class Servers: Sendable {
        private let released = DispatchSemaphore(value: 0)
        private let asked = AsyncStream.makeStream(of: String.self)

        var questions: AsyncStream<String> { asked.stream }

        func answer(_ name: HostQuery) -> GetaddrinfoResolver.LookupResult {
            asked.continuation.yield(name.host)
            if name.host.hasPrefix("dead") { released.wait() }
            return .success([.init(v4: 1)])
        }

        func release(_ count: Int) { for _ in 0..<count { released.signal() } }
    }

    private func lookUp(
        _ name: String,
        _ resolver: GetaddrinfoResolver
    ) async -> GetaddrinfoResolver.LookupResult {
        await withCheckedContinuation { continuation in
            _ = resolver.start(HostQuery(host: name)) { continuation.resume(returning: $0) }
        }
    }

    @Test func `names whose servers do not answer do not delay others`() async throws {
        let servers = Servers()
        let resolver = GetaddrinfoResolver { servers.answer($0) }
        // Regression: a limit of eight threads per process was too low.
        let dead = 40
        defer { servers.release(dead) }
        for number in 0..<dead { _ = resolver.start(HostQuery(host: "dead\(number)")) { _ in } }
        #expect(try await lookUp("alive", resolver).get().count == 1)
    }

    @Test func `an abandoned lookup frees its place for a queued one`() async throws {
        let servers = Servers()
        let resolver = GetaddrinfoResolver(maxThreads: 2) { servers.answer($0) }
        defer { servers.release(2) }
        var ids: [UInt64] = []
        for name in ["dead1", "dead2"] {
            ids.append(resolver.start(HostQuery(host: name)) { _ in })
        }
        var started = 0
        for await _ in servers.questions {
            started += 1
            if started == 2 { break }
        }
        // This lookup is queued behind both, and starts when one of them is canceled.
        let (answers, sink) = AsyncStream.makeStream(of: GetaddrinfoResolver.LookupResult.self)
        _ = resolver.start(HostQuery(host: "alive1")) { sink.yield($0) }
        #expect(!resolver.cancel(ids[0]))
        var answer = answers.makeAsyncIterator()
        #expect(try await answer.next()?.get().count == 1)
        // Later lookups can use the freed thread too.
        #expect(try await lookUp("alive2", resolver).get().count == 1)
    }

    @Test func `threads of abandoned lookups are limited`() async throws {
        let servers = Servers()
        let resolver = GetaddrinfoResolver(maxThreads: 1) { servers.answer($0) }
        var questions = servers.questions.makeAsyncIterator()
        for number in 0..<4 {
            let id = resolver.start(HostQuery(host: "dead\(number)")) { _ in }
            _ = await questions.next()
            #expect(!resolver.cancel(id))
        }
        let queued = resolver.start(HostQuery(host: "dead4")) { _ in }
        #expect(resolver.threadCount == 4)
        #expect(resolver.cancel(queued))
        servers.release(4)
        #expect(try await lookUp("alive", resolver).get().count == 1)
    }
}

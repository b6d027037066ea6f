import Dispatch
import SocketTransport
import Testing

/// Look-ups that do not end, beside some that do.
@Suite(.timeLimit(.minutes(1))) struct ResolverTests {
    /// Blocks for names that begin with "dead" until it is released.
    private final class Servers: Sendable {
        private let released = DispatchSemaphore(value: 0)
        private let asked = AsyncStream.makeStream(of: String.self)

        var questions: AsyncStream<String> { asked.stream }

        func answer(_ name: LookedUpName) -> Resolver.Answer {
            asked.continuation.yield(name.host)
            if name.host.hasPrefix("dead") { released.wait() }
            return .success([.init(v4: 1)])
        }

        func release(_ count: Int) { for _ in 0..<count { released.signal() } }
    }

    private func lookUp(_ name: String, _ resolver: Resolver) async -> Resolver.Answer {
        await withCheckedContinuation { continuation in
            _ = resolver.begin(LookedUpName(host: name)) { continuation.resume(returning: $0) }
        }
    }

    @Test func `names whose servers do not answer do not delay others`() async throws {
        let servers = Servers()
        let resolver = Resolver { servers.answer($0) }
        // Eight for the whole process were too few.
        let dead = 40
        defer { servers.release(dead) }
        for number in 0..<dead { _ = resolver.begin(LookedUpName(host: "dead\(number)")) { _ in } }
        #expect(try await lookUp("alive", resolver).get().count == 1)
    }

    @Test func `an abandoned look-up makes room for one that waits`() async throws {
        let servers = Servers()
        let resolver = Resolver(maximumThreads: 2) { servers.answer($0) }
        defer { servers.release(2) }
        var ids: [UInt64] = []
        for name in ["dead1", "dead2"] {
            ids.append(resolver.begin(LookedUpName(host: name)) { _ in })
        }
        var started = 0
        for await _ in servers.questions {
            started += 1
            if started == 2 { break }
        }
        // Queued behind both, and then let in.
        let (answers, sink) = AsyncStream.makeStream(of: Resolver.Answer.self)
        _ = resolver.begin(LookedUpName(host: "alive1")) { sink.yield($0) }
        #expect(!resolver.withdraw(ids[0]))
        var answer = answers.makeAsyncIterator()
        #expect(try await answer.next()?.get().count == 1)
        // The place is free for those who come later, too.
        #expect(try await lookUp("alive2", resolver).get().count == 1)
    }

    @Test func `threads of abandoned look-ups are limited`() async throws {
        let servers = Servers()
        let resolver = Resolver(maximumThreads: 1) { servers.answer($0) }
        var questions = servers.questions.makeAsyncIterator()
        for number in 0..<4 {
            let id = resolver.begin(LookedUpName(host: "dead\(number)")) { _ in }
            _ = await questions.next()
            #expect(!resolver.withdraw(id))
        }
        let queued = resolver.begin(LookedUpName(host: "dead4")) { _ in }
        #expect(resolver.threadCount == 4)
        #expect(resolver.withdraw(queued))
        servers.release(4)
        #expect(try await lookUp("alive", resolver).get().count == 1)
    }
}

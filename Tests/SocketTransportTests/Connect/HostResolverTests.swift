import Dispatch
import SocketTransport
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct HostResolverTests {
    private static let hosts: [IPAddress] = [.init(v4: 0x7f00_0001)]
    private let cache = HTTPDNSCacheOptions()

    /// A resolver whose lookups block their threads until the test signals `door`.
    private final class SlowResolver: Sendable {
        let door = DispatchSemaphore(value: 0)
        let begun = Atomic<Int>(0)

        func make(maxThreads: Int = 1) -> GetaddrinfoResolver {
            GetaddrinfoResolver(maxThreads: maxThreads) { _ in
                self.begun.add(1, ordering: .sequentiallyConsistent)
                self.door.wait()
                return .success(HostResolverTests.hosts)
            }
        }
    }

    private func ask(
        _ book: HostResolver,
        _ host: String,
        _ loop: EventLoop,
        within: Duration = .seconds(30)
    ) async -> GetaddrinfoResolver.LookupResult {
        await Task(executorPreference: loop) { () -> GetaddrinfoResolver.LookupResult in
            do throws(TransportError) {
                return .success(
                    try await book.addresses(
                        of: HostQuery(host: host),
                        on: loop,
                        until: Deadline.now().advanced(by: within),
                        in: CancellationScope()
                    )
                )
            } catch {
                return .failure(error)
            }
        }.value
    }

    @Test func `a caller that times out returns at once while the lookup continues`() async {
        let slow = SlowResolver()
        let book = HostResolver(cache: cache, resolver: slow.make())
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        // The lookup is still blocked, so a caller that waited for it would not return.
        let answer = await ask(book, "slow.example", loop, within: .milliseconds(30))
        #expect(answer == .failure(.timedOut(.resolve)))
        #expect(slow.begun.load(ordering: .sequentiallyConsistent) == 1)
        // A later caller joins the same lookup, so that a hanging name does not occupy every thread.
        async let later = ask(book, "slow.example", loop)
        slow.door.signal()
        #expect(await later == .success(Self.hosts))
        #expect(slow.begun.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test func `a cached result ages while the machine sleeps`() async {
        let lookups = Atomic<Int>(0)
        let resolver = GetaddrinfoResolver(maxThreads: 1) { _ in
            lookups.add(1, ordering: .sequentiallyConsistent)
            return .success(Self.hosts)
        }
        let book = HostResolver(cache: cache, resolver: resolver)
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        for (sleep, expected) in [(Int64(0), 1), (0, 1), (86_400_000_000_000, 2)] {
            loop.post { SimulatedTime.sleep = sleep }
            #expect(await ask(book, "host.example", loop) == .success(Self.hosts))
            #expect(lookups.load(ordering: .sequentiallyConsistent) == expected)
        }
    }

    @Test func `a canceled caller returns at once, and the others get the result`() async {
        let slow = SlowResolver()
        let book = HostResolver(cache: cache, resolver: slow.make())
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        async let other = ask(book, "slow.example", loop)
        let cancelled = await Task(executorPreference: loop) { () -> TransportError? in
            let scope = CancellationScope()
            _ = LoopTimer(on: loop, at: Deadline.now().advanced(by: .milliseconds(20))) {
                scope.cancel()
            }
            do throws(TransportError) {
                _ = try await book.addresses(
                    of: HostQuery(host: "slow.example"),
                    on: loop,
                    until: .never,
                    in: scope
                )
                return nil
            } catch {
                return error
            }
        }.value
        #expect(cancelled == .cancelled)
        slow.door.signal()
        #expect(await other == .success(Self.hosts))
        #expect(slow.begun.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test func `a queued lookup is withdrawn when its last waiter leaves`() async {
        let slow = SlowResolver()
        let book = HostResolver(cache: cache, resolver: slow.make())
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        async let first = ask(book, "first.example", loop)
        while slow.begun.load(ordering: .sequentiallyConsistent) == 0 { await moment() }
        let queued = await ask(book, "queued.example", loop, within: .milliseconds(20))
        #expect(queued == .failure(.timedOut(.resolve)))
        slow.door.signal()
        #expect(await first == .success(Self.hosts))
        // The resolver's thread is idle again. If the withdrawn lookup had run, it would be counted.
        async let again = ask(book, "other.example", loop)
        slow.door.signal()
        #expect(await again == .success(Self.hosts))
        #expect(slow.begun.load(ordering: .sequentiallyConsistent) == 2)
    }

    @Test func `many callers on several loops share one lookup`() async {
        let slow = SlowResolver()
        let book = HostResolver(cache: cache, resolver: slow.make(maxThreads: 4))
        let loops = (0..<4).map { _ in EventLoop.threaded() }
        defer { for loop in loops { loop.stop() } }
        let answers = await withTaskGroup(of: GetaddrinfoResolver.LookupResult.self) { group in
            for number in 0..<40 {
                group.addTask { await ask(book, "a.example", loops[number % 4]) }
            }
            group.addTask {
                while slow.begun.load(ordering: .sequentiallyConsistent) == 0 { await moment() }
                slow.door.signal()
                return .success(Self.hosts)
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: .success(Self.hosts), count: 41))
        #expect(slow.begun.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test func `a resolver that completes before it returns is handled`() async {
        let book = HostResolver(cache: cache) { _, completion in
            completion(.success(Self.hosts))
            return { .stillRunning }
        }
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        #expect(await ask(book, "a.example", loop) == .success(Self.hosts))
    }

    @Test func `a numeric address is not looked up`() async {
        let book = HostResolver(cache: cache) { _, completion in
            Issue.record("it was")
            completion(.success([]))
            return { .stillRunning }
        }
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        #expect(await ask(book, "127.0.0.1", loop) == .success(Self.hosts))
        #expect(await ask(book, "::1", loop) == .success([.init(v6: 1)]))
    }

    @Test func `the system resolver finds localhost in both families`() async throws {
        let lookUp = GetaddrinfoResolver.systemLookup
        let v4 = try lookUp(HostQuery(host: "localhost", family: .ipv4)).get()
        #expect(v4 == Self.hosts)
        let all = try lookUp(HostQuery(host: "localhost")).get()
        #expect(all.contains(Self.hosts[0]))
    }
}

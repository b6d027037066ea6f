import ClientSupport
import Dispatch
import Glibc
import HTTPClient
import Support
import Testing

/// Tests calls without free descriptors, and system calls interrupted by signals.
///
/// Each test runs in a separate process.
@Suite(.timeLimit(.minutes(10))) struct DescriptorTests {
    @Test func `idle connections are closed when no descriptor is left`() async {
        await #expect(processExitsWith: .success) {
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            let origins = try (0..<4).map { _ in try ScriptedOrigin(.always(reply)) }
            let last = try ScriptedOrigin(.always(reply))
            let client = HTTPClient()
            for origin in origins { _ = try await client.send(HTTPRequest(origin.url)) }
            DescriptorCount.limitFurtherDescriptors(0)
            let another = unsafe open("/dev/null", O_RDONLY)
            #expect(another == -1)
            // This process holds both ends of the new connection, so two descriptors are needed.
            #expect(try await client.send(HTTPRequest(last.url)).text == "hello")
            let again = try await client.send(HTTPRequest(last.url))
            #expect(again.metrics.isReused)
        }
    }

    @Test func `without idle connections a lack of descriptors is blamed on the machine`() async {
        await #expect(processExitsWith: .success) {
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            let first = try ScriptedOrigin([.expectHead, .reply(reply), .close])
            let second = try ScriptedOrigin(.always(reply))
            let client = HTTPClient()
            // After this request the loop has its descriptors, and both ends of the connection are closed.
            // The origin closes first; a descriptor that it closed later would make room for a connection.
            _ = try await client.send(HTTPRequest(first.url))
            while await client.pool.snapshot().idle > 0 { await moment() }
            DescriptorCount.limitFurtherDescriptors(0)
            let error = await failure { try await client.send(HTTPRequest(second.url)) }
            guard case .systemFailure = error?.kind else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(error?.blame == .machine)
            let named = await failure {
                try await client.send(HTTPRequest("http://localhost:\(second.port)/"))
            }
            #expect(named != nil)
        }
    }

    @Test func `signals do not interrupt calls`() async {
        await #expect(processExitsWith: .success) {
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"
            let body = [UInt8](repeating: 120, count: 200_000)
            let origin = try ScriptedOrigin([
                .forever([.expectHead, .reply(Array(reply.utf8) + body)])
            ])
            let client = HTTPClient()
            let url = origin.url
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { _ in }
            // Without SA_RESTART every blocking system call fails with EINTR.
            unsafe sigaction(SIGUSR1, &action, nil)
            let counts = await onThread { () -> [Int] in
                var mask = sigset_t()
                unsafe sigemptyset(&mask)
                unsafe sigaddset(&mask, SIGUSR1)
                unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
                let thread = pthread_self()
                let isOver = DispatchSemaphore(value: 0)
                let ended = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    while isOver.wait(timeout: .now() + .microseconds(50)) == .timedOut {
                        pthread_kill(thread, SIGUSR1)
                    }
                    ended.signal()
                }
                defer {
                    isOver.signal()
                    ended.wait()
                }
                return (0..<100).map { number in
                    var request = HTTPRequest(url)
                    if number % 4 == 0 { request.headers[.connection] = "close" }
                    return (try? client.blocking.send(request).body.count) ?? -1
                }
            }
            #expect(counts == Array(repeating: 200_000, count: 100))
        }
    }
}

import HTTPClient
import Support
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// The machine has no descriptor left for a while; in processes of their own, for they count all.
@Suite(.timeLimit(.minutes(2))) struct DescriptorFaultTests {
    @Test func `descriptors are exhausted, and then there are some again`() async {
        await #expect(processExitsWith: .success) {
            let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            let origin = try ScriptedOrigin([.expectHead, .reply(hello), .close])
            let client = HTTPClient()
            var limits = rlimit(rlim_cur: 256, rlim_max: 256)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            for _ in 0..<3 {
                // The loop has what it needs, and no end of a connection is left: the origin's went
                // first.
                _ = try await client.send(HTTPRequest(origin.url))
                while await client.pool.snapshot().idle > 0 { await Task.yield() }
                var held: [Int32] = []
                while true {
                    let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
                    guard descriptor >= 0 else { break }
                    held.append(descriptor)
                }
                #expect(!held.isEmpty)
                let error = await failure { try await client.send(HTTPRequest(origin.url)) }
                guard case .systemFailure = error?.kind else {
                    Issue.record("got \(String(describing: error))")
                    return
                }
                #expect(error?.blame == .machine)
                for descriptor in held { close(descriptor) }
            }
            await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
        }
    }
}

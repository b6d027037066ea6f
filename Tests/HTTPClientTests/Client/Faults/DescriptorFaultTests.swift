import ClientSupport
import HTTPClient
import Support
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Tests calls while no descriptor is free.
///
/// The tests run in separate processes because they count all descriptors.
@Suite(.timeLimit(.minutes(10))) struct DescriptorFaultTests {
    @Test func `calls fail while descriptors are exhausted and work again afterwards`() async {
        await #expect(processExitsWith: .success) {
            let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            let origin = try ScriptedOrigin([.expectHead, .reply(hello), .close])
            let client = HTTPClient()
            var limits = rlimit(rlim_cur: 256, rlim_max: 256)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            for _ in 0..<3 {
                // After this request the loop has its descriptors, and both ends of the connection are
                // closed: the origin closes first.
                _ = try await client.send(HTTPRequest(origin.url))
                while await client.pool.snapshot().idle > 0 { await moment() }
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

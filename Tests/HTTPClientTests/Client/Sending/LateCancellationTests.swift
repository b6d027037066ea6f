import Support
import Testing

@testable import HTTPClient
@testable import SocketTransport

#if canImport(Glibc)
import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct LateCancellationTests {
    /// The test runs on the client's loop and plays the origin there, which fixes the order of events.
    /// The response is in the kernel, and the loop has resumed the call because of it. Then the call is
    /// canceled before it runs.
    @Test func `a connection whose call was canceled at the last moment is not reused`()
        async throws
    {
        let listener = try TestSocket.listen()
        defer { close(listener.descriptor) }
        let client = HTTPClient()
        let loop = client.engine.loop
        let request = HTTPRequest("http://127.0.0.1:\(listener.port)/")
        let call = Task(executorPreference: loop) { try await client.send(request) }
        let origin = Task(executorPreference: loop) {
            var accepted = TestSocket.accept(listener.descriptor)
            while accepted == nil {
                await Task.yield()
                accepted = TestSocket.accept(listener.descriptor)
            }
            guard let descriptor = accepted else { return }
            defer { close(descriptor) }
            var byte: UInt8 = 0
            while unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK)) < 0 { await moment() }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
            unsafe answer.withUnsafeBytes {
                _ = unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // Wait here, without a turn of the loop, until the other end has the whole response.
            var unacknowledged: Int32 = 1
            while unacknowledged > 0 {
                guard unsafe ioctl(descriptor, UInt(TIOCOUTQ), &unacknowledged) == 0 else { return }
            }
            // In its next turn, the loop sees that the socket is readable and resumes the call. Then it
            // runs this action, and then the call.
            loop.post { call.cancel() }
            _ = await call.result
        }
        _ = await origin.value
        #expect(try await call.value.status == .ok)
        #expect(await client.pool.snapshot().idle == 0)
    }
}

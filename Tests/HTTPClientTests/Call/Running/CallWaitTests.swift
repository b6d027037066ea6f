import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests threads without a task that wait for a call.
@Suite(.timeLimit(.minutes(10))) struct CallWaitTests {
    private let client = HTTPClient()
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// Waits for a call on a thread.
    private func outcome<Value: Sendable>(
        of call: HTTPCall<Value>
    ) async -> Result<Value, HTTPError> {
        await onThread { Result { () throws(HTTPError) in try call.wait() } }
    }

    @Test func `waiting returns the value of every kind of call, also after its end`() async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let call = client.start(origin.url)
        for _ in 0..<2 { #expect(try await outcome(of: call).get().text == "hello") }
        #expect(call.state == .finished)
        let text = client.start(HTTPRequest(origin.url).returning(.text))
        #expect(try await outcome(of: text).get() == "hello")
        let directory = try TemporaryDirectory()
        let download = client.startDownload(origin.url, to: directory.path + "/file")
        #expect(try await outcome(of: download).get().size == 5)
        let response = try await outcome(of: client.startStream(origin.url)).get()
        let body = await onThread { Result { try response.blocking.collect() } }
        #expect(try body.get() == Array("hello".utf8))
        #expect(origin.connectionCount == 1)
    }

    @Test func `waiting throws the error of the call, also after its end`() async throws {
        let port = try UnreachablePorts.refusing()
        let call = client.start("http://127.0.0.1:\(port)/")
        for _ in 0..<2 {
            guard case .failure(let error) = await outcome(of: call),
                case .connectFailed = error.kind
            else {
                Issue.record("the call has not failed")
                return
            }
        }
    }

    @Test func `another thread cancels a call that a thread waits for`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        let call = client.start(origin.url)
        async let result = outcome(of: call)
        await gate.arrival()
        await onThread { call.cancel() }
        guard case .failure(let error) = await result else {
            Issue.record("the call has not failed")
            return
        }
        #expect(error.kind == .cancelled)
        #expect(call.state == .cancelled)
    }

    @Test func `all progress is reported before the wait ends`() async throws {
        let server = try await HTTPTestServer.start { request in .bytes(request.body) }
        let url = server.url
        let size = 300_000
        let reported = Locked<[HTTPProgress]>([])
        let client = client
        let count = await onThread {
            let request = HTTPRequest(.post, url).body(.bytes([UInt8](repeating: 1, count: size)))
            let call = client.start(request).onProgress { news in
                reported.withLock { $0.append(news) }
            }
            return (try? call.wait().body.count, reported.withLock { $0 })
        }
        #expect(count.0 == size)
        let last = count.1.filter(\.isFinal)
        #expect(Set(last.map(\.direction)) == [.upload, .download])
        #expect(last.allSatisfy { $0.completed == size })
    }

    @Test func `waiting inside a task is rejected, and the call continues`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let call = client.start(origin.url)
        await gate.arrival()
        let error = await failure { try call.wait() }
        #expect(error?.kind == .invalidRequest(.blockingInsideTask))
        #expect(error?.request == "GET \(origin.url)")
        gate.open()
        #expect(try await call.value.text == "hello")
        let late = await failure { try call.wait() }
        #expect(late?.kind == .invalidRequest(.blockingInsideTask))
    }

    @Test func `a call that is over keeps no client alive`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.idleTimeout = .seconds(3600)
        var client: HTTPClient? = HTTPClient(configuration)
        let call = try #require(client).start(origin.url)
        #expect(try await outcome(of: call).get().text == "hello")
        client = nil
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        #expect(try await call.value.text == "hello")
    }
}

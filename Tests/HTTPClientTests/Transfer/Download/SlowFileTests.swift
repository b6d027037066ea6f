import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests that a stalled disk delays only the downloads that wait for it.
@Suite(.timeLimit(.minutes(10))) struct SlowFileTests {
    private let client = HTTPClient()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Writes a body to a file, as a download does.
    private func write(
        _ url: String,
        to files: any DownloadFiles,
        on threads: FileThreads
    ) -> Task<Int, any Error> {
        Task(executorPreference: threads) { [client] in
            let response = try await client.stream(url)
            var writer = try DownloadWriter(
                creating: files,
                .resumable,
                boot: nil,
                DownloadWriter.Rules()
            )
            _ = try writer.receive(
                response.status,
                response.headers,
                from: nil,
                isVerbatim: true
            )
            try writer.claim()
            let transfer = FileTransfer()
            while case .bytes = try await response.next(into: transfer) {
                try transfer.write { pipe throws(DownloadWriter.WriteError) in
                    try writer.write(pipe)
                } orBytes: { bytes throws(DownloadWriter.WriteError) in
                    try writer.write(bytes)
                }
            }
            return writer.state.written
        }
    }

    @Test(arguments: [100, 2_000_000])
    func `writes that block delay neither other calls nor other downloads`(
        size: Int
    ) async throws {
        let server = try await HTTPTestServer.start { request in
            .bytes([UInt8](repeating: 7, count: request.path == "/short" ? 5 : size))
        }
        let threads = FileThreads()
        defer { threads.stop() }
        let gate = Gate()
        let blocked = Locked(0)
        let stalled = try (1..<FileThreads.maxThreads).map { number in
            let file = try OutputFile.create(beside: "\(directory.path)/\(number)")
            let slow = HookedFiles(file) { _, offset in
                guard offset == 0 else { return nil }
                blocked.withLock { $0 += 1 }
                gate.block()
                return nil
            }
            return write(server.url, to: slow, on: threads)
        }
        while blocked.withLock({ $0 }) < stalled.count { await moment() }
        for number in 0..<20 {
            #expect(try await client.send(server.url + "/short").body.count == 5)
            let file = try OutputFile.create(beside: "\(directory.path)/fast-\(number)")
            #expect(try await write(server.url, to: file, on: threads).value == size)
        }
        #expect(blocked.withLock { $0 } == stalled.count)
        gate.open()
        for task in stalled { #expect(try await task.value == size) }
    }

    @Test func `a callback that blocks its download delays no others`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("12345") }
        let gate = Gate()
        let blocked = Locked(0)
        // The client calls the observer on the thread that writes the file.
        let stalled = (1..<FileThreads.maxThreads).map { number in
            client.startDownload(server.url, to: "\(directory.path)/\(number)")
                .onProgress { progress in
                    guard progress.isFinal, progress.direction == .download else { return }
                    blocked.withLock { $0 += 1 }
                    gate.block()
                }
        }
        while blocked.withLock({ $0 }) < stalled.count { await moment() }
        for number in 0..<20 {
            let file = try await client.download(
                server.url,
                to: "\(directory.path)/fast-\(number)"
            )
            #expect(file.size == 5)
            let streamed = try await client.stream(server.url)
            #expect(try await streamed.write(to: "\(directory.path)/streamed").size == 5)
        }
        gate.open()
        for call in stalled { #expect(try await call.value.size == 5) }
    }
}

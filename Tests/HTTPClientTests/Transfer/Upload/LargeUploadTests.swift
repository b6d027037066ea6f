import CAllocations
import ClientSupport
import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests that a form with a huge file is sent in constant memory.
///
/// The measurement needs a separate process because tests run in parallel. The first test starts
/// this program again with `UPLOAD_BYTES` set. There only the second test runs. By hand:
/// `UPLOAD_BYTES=1073741824 swift test --filter LargeUploadTests`.
@Suite(.timeLimit(.minutes(10))) struct LargeUploadTests {
    private static let bytes = Environment.variable("UPLOAD_BYTES").flatMap { Int($0) }

    @Test(
        .enabled(if: bytes == nil),
        .enabled(if: allocations_are_counted() != 0, "a sanitizer uses additional memory")
    )
    func `a form with a file of 1 GiB takes no more memory than one of 1 KiB`() async throws {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        let child = try ChildProcess(
            [
                "/usr/bin/env", "UPLOAD_BYTES=\(1 << 30)", try OwnProgram.path(),
                "--testing-library", "swift-testing", "--filter", "LargeUploadTests",
            ],
            output: output
        )
        while child.exitStatus == nil { await moment() }
        let text = String(decoding: TestFileSystem.contents(of: output) ?? [], as: UTF8.self)
        #expect(child.exitStatus == 0, "\(text)")
        // The output also names skipped tests, so the word "passed" is required.
        #expect(text.contains("takes at most 16 MiB\" passed"), "\(text)")
    }

    @Test(.enabled(if: bytes != nil))
    func `child process: a form with a huge file takes at most 16 MiB`()
        async throws
    {
        let size = Self.bytes ?? 0
        let directory = try TemporaryDirectory()
        let path = try directory.write("", as: "sparse.bin")
        #expect(unsafe truncate(path, size) == 0)
        let sink = try DrainingOrigin()
        let client = HTTPClient()
        var form = MultipartForm()
        form.add(string: "1", name: "a")
        form.add(file: path, name: "f")
        let request = HTTPRequest(sink.url, method: .post, body: .multipart(form))
        let length = try #require(request.body.length)
        // A first request allocates everything that is allocated only once.
        var small = form
        small.parts[1] = small.parts[0]
        var first = request
        first.body = .multipart(small)
        #expect(try await client.send(first).status == .ok)

        // The kernel forgets the peak that it has recorded (proc(5)).
        try TestFileSystem.write(Array("5".utf8), to: "/proc/self/clear_refs")
        let idle = try peakResidentBytes()
        let response = try await client.send(request)
        #expect(response.text == "\(length)")
        #expect(response.metrics.attempts.first?.bodyBytesSent == length)
        let grown = try peakResidentBytes() - idle
        #expect(grown <= 16 << 20, "\(grown) bytes")
        print("\(length) bytes took \(grown >> 10) KiB")
    }
}

/// Returns the most memory of this process that was resident at one time, in bytes.
private func peakResidentBytes() throws -> Int {
    let status = TestFileSystem.contents(of: "/proc/self/status") ?? []
    // VmHWM:     2224 kB
    let found = String(decoding: status, as: UTF8.self).firstMatch(of: /VmHWM:\s+(\d+) kB/)
    return try #require(found.flatMap { Int($0.output.1) }) << 10
}

/// A server that discards each request body and answers with its length.
private final class DrainingOrigin: Sendable {
    let url: String
    private let listener: Int32
    private let worker: WorkerThread

    init() throws {
        let (descriptor, port) = try TestSocket.listen()
        listener = descriptor
        url = "http://127.0.0.1:\(port)"
        worker = try WorkerThread {
            while let connection = Self.acceptWaiting(descriptor) {
                while Self.answer(connection) {}
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        worker.join()
        close(listener)
    }

    /// Waits for a connection; returns nil when the listener was shut down.
    private static func acceptWaiting(_ listener: Int32) -> Int32? {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
        return TestSocket.accept(listener)
    }

    /// Serves one request; returns false at the end of the stream.
    private static func answer(_ connection: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var head: [UInt8] = []
        while true {
            let count = receive(connection, &buffer)
            guard count > 0 else { return false }
            head += buffer[..<count]
            guard let end = position(behind: "\r\n\r\n", in: head),
                let field = position(behind: "Content-Length: ", in: head)
            else { continue }
            let digits = head[field...].prefix { 0x30...0x39 ~= $0 }
            let length = Int(String(decoding: digits, as: UTF8.self)) ?? 0
            var left = length - (head.count - end)
            while left > 0 {
                let count = receive(connection, &buffer)
                guard count > 0 else { return false }
                left -= count
            }
            let answer = Array("\(length)".utf8)
            let reply =
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(answer.count)\r\n\r\n".utf8) + answer
            return unsafe send(connection, reply, reply.count, Int32(MSG_NOSIGNAL)) == reply.count
        }
    }

    private static func position(behind text: String, in bytes: [UInt8]) -> Int? {
        let sought = Array(text.utf8)
        // The head is short, so the search does not scan the body.
        let start = bytes.indices.prefix(1024).first { bytes[$0...].starts(with: sought) }
        return start.map { $0 + sought.count }
    }

    private static func receive(_ connection: Int32, _ buffer: inout [UInt8]) -> Int {
        while true {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count < 0, errno == EAGAIN || errno == EINTR else { return count }
            var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, -1)
        }
    }
}

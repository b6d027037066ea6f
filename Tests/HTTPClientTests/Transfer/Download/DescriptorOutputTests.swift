import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests writing the body of a streamed response to a descriptor of the caller.
@Suite(.timeLimit(.minutes(10))) struct DescriptorOutputTests {
    private let client = HTTPClient()
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    /// A body that the kernel can move, and one that goes through memory.
    enum Framing: CaseIterable, Sendable {
        case length
        case chunks
    }

    private func server(_ content: [UInt8], _ framing: Framing) async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            guard request.path != "/short" else { return .text("short") }
            return framing == .length ? .bytes(content) : .chunks([content])
        }
    }

    private func open(_ flags: Int32, _ path: String) throws -> Int32 {
        let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        return descriptor
    }

    /// Two connected descriptors, and what arrives at the second one.
    private enum Channel: CaseIterable, Sendable {
        case pipe
        case nonBlockingPipe
        case socket
        case nonBlockingSocket

        /// The end for reading and the end for writing.
        func open() -> (reading: Int32, writing: Int32) {
            var ends: [Int32] = [-1, -1]
            switch self {
            case .pipe, .nonBlockingPipe: _ = unsafe Glibc.pipe(&ends)
            case .socket, .nonBlockingSocket:
                let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                _ = unsafe socketpair(AF_UNIX, kind, 0, &ends)
            }
            if self == .nonBlockingPipe || self == .nonBlockingSocket {
                _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            }
            return (ends[0], ends[1])
        }
    }

    /// Reads to the end in small steps, on a separate thread.
    private func contents(of descriptor: Int32) async -> [UInt8] {
        await BlockingWork.run {
            var contents: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 10_000)
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return contents }
                contents += buffer[..<count]
            }
        }
    }

    @Test(arguments: Framing.allCases, [0, 5, 3_000_001])
    func `a body is written at the position of a file, which stays open`(
        framing: Framing,
        size: Int
    ) async throws {
        let content = TestContent.bytes(size)
        let server = try await server(content, framing)
        try directory.write("0123456789", as: "file")
        let descriptor = try open(O_WRONLY, path)
        defer { close(descriptor) }
        #expect(lseek(descriptor, 3, SEEK_SET) == 3)
        let response = try await client.stream(server.url)
        #expect(try await response.write(toDescriptor: descriptor) == size)
        #expect(lseek(descriptor, 0, SEEK_CUR) == 3 + size)
        let expected = Array("012".utf8) + content + Array("3456789".utf8.dropFirst(size))
        #expect(TestFileSystem.contents(of: path) == expected)
        // The connection is used again.
        #expect(try await client.send(server.url + "/short").metrics.isReused)
    }

    @Test(arguments: Framing.allCases)
    func `a body is appended, and read bytes are not written`(framing: Framing) async throws {
        let content = TestContent.bytes(1_000_000)
        let server = try await server(content, framing)
        try directory.write("old", as: "file")
        let descriptor = try open(O_WRONLY | O_APPEND, path)
        defer { close(descriptor) }
        let response = try await client.stream(server.url)
        var body = response.body.makeAsyncIterator()
        let first = try await body.next()?.count ?? 0
        let count = try await response.write(toDescriptor: descriptor)
        #expect(first > 0 && first + count == content.count)
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8) + content[first...])
        #expect(try await response.write(toDescriptor: descriptor) == 0)
    }

    @Test(arguments: Framing.allCases)
    private func `pipes and sockets get the whole body from a slow reader's view`(
        framing: Framing
    ) async throws {
        let content = TestContent.bytes(2_000_000)
        let server = try await server(content, framing)
        for channel in Channel.allCases {
            let (reading, writing) = channel.open()
            async let contents = contents(of: reading)
            let response = try await client.stream(server.url)
            #expect(try await response.write(toDescriptor: writing) == content.count)
            close(writing)
            #expect(await contents == content, "\(channel)")
            close(reading)
        }
    }

    @Test(arguments: Framing.allCases)
    private func `without a reader, only this call waits, and it can be canceled`(
        framing: Framing
    ) async throws {
        let content = TestContent.bytes(3_000_000)
        let server = try await server(content, framing)
        for channel in Channel.allCases {
            let ends = (0..<FileThreads.maxThreads).map { _ in channel.open() }
            let stalled = ends.map { end in
                Task {
                    let response = try await client.stream(server.url)
                    return try await response.write(toDescriptor: end.writing)
                }
            }
            // The first bytes have arrived everywhere.
            for end in ends {
                var byte = pollfd(fd: end.reading, events: Int16(POLLIN), revents: 0)
                while unsafe poll(&byte, 1, 0) == 0 { await moment() }
            }
            for _ in 0..<10 {
                let file = try await client.download(server.url + "/short", to: path)
                #expect(file.size == 5)
            }
            for task in stalled { task.cancel() }
            for task in stalled {
                #expect(await failure { try await task.value }?.kind == .cancelled)
            }
            for end in ends {
                close(end.reading)
                close(end.writing)
            }
        }
    }

    /// What ends the wait for a reader that never reads.
    private enum End: CaseIterable {
        case taskCancellation
        case cancel
        case totalTimeout
    }

    @Test(arguments: End.allCases, Channel.allCases)
    private func `a wait for a reader ends, also after the end of the body`(
        end: End,
        channel: Channel
    ) async throws {
        for framing in Framing.allCases {
            // The rest of a short body is received while its first bytes wait for the reader.
            for size in [300_000, 3_000_000] {
                let server = try await server(TestContent.bytes(size), framing)
                let (reading, writing) = channel.open()
                defer {
                    close(reading)
                    close(writing)
                }
                let response = try await response(server, endsByTimeout: end == .totalTimeout)
                let call = Task { try await response.write(toDescriptor: writing) }
                var byte = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
                // The timeout may come before the first byte.
                while end != .totalTimeout, unsafe poll(&byte, 1, 0) == 0 { await moment() }
                switch end {
                case .taskCancellation: call.cancel()
                case .cancel: response.cancel()
                case .totalTimeout: break
                }
                let kind = await failure { try await call.value }?.kind
                #expect(kind == (end == .totalTimeout ? .timedOut(.total) : .cancelled))
            }
        }
    }

    /// Returns a response whose call ends by its total timeout after some seconds, if asked.
    private func response(
        _ server: HTTPTestServer,
        endsByTimeout: Bool
    ) async throws -> HTTPStreamedResponse {
        var request = HTTPRequest(server.url)
        guard endsByTimeout else { return try await client.stream(request) }
        var total = Duration.seconds(1)
        while true {
            request.timeouts = HTTPTimeouts(total: total)
            do throws(HTTPError) {
                return try await client.stream(request)
            } catch {
                // A busy machine needs longer for the head.
                guard error.kind == .timedOut(.total), total < .seconds(60) else { throw error }
                total *= 2
            }
        }
    }

    @Test(arguments: Framing.allCases)
    private func `a reader that closes fails the call with EPIPE, and sends no signal`(
        framing: Framing
    ) async throws {
        let content = TestContent.bytes(3_000_000)
        let server = try await server(content, framing)
        for channel in Channel.allCases {
            let (reading, writing) = channel.open()
            close(reading)
            let response = try await client.stream(server.url)
            let error = await failure { try await response.write(toDescriptor: writing) }
            #expect(error?.kind == .descriptorFailed(errno: EPIPE, written: 0), "\(channel)")
            #expect(error?.head?.status == .ok)
            // The rest of the body is lost.
            #expect(await failure { try await response.body.collect() } != nil)
            close(writing)
        }
    }

    @Test(arguments: Framing.allCases)
    func `descriptors that cannot be written fail with the error of the system`(
        framing: Framing
    ) async throws {
        let server = try await server(TestContent.bytes(1_000_000), framing)
        try directory.write("", as: "file")
        let rows: [(Int32, Int32)] = [
            (try open(O_WRONLY, "/dev/full"), ENOSPC), (try open(O_RDONLY, path), EBADF),
            (-1, EBADF),
        ]
        for (descriptor, errno) in rows {
            let response = try await client.stream(server.url)
            let error = await failure { try await response.write(toDescriptor: descriptor) }
            #expect(error?.kind == .descriptorFailed(errno: errno, written: 0))
            #expect(error?.blame == .machine)
            if descriptor >= 0 { close(descriptor) }
        }
        let response = try await client.stream(server.url)
        let null = try open(O_WRONLY, "/dev/null")
        #expect(try await response.write(toDescriptor: null) == 1_000_000)
        close(null)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount a file system"))
    func `the error of a full disk counts the bytes before it`() async throws {
        let target = directory.path + "/small"
        try #require(unsafe mkdir(target, 0o700) == 0)
        try #require(unsafe mount("tmpfs", target, "tmpfs", 0, "size=300k") == 0)
        defer { unsafe _ = umount2(target, 2) }
        for framing in Framing.allCases {
            let content = TestContent.bytes(1_000_000)
            let server = try await server(content, framing)
            let file = target + "/file"
            let descriptor = try open(O_WRONLY | O_CREAT | O_TRUNC, file)
            defer { close(descriptor) }
            let response = try await client.stream(server.url)
            let error = await failure { try await response.write(toDescriptor: descriptor) }
            let written = try #require(TestFileSystem.contents(of: file))
            #expect(written.count > 200_000 && content.starts(with: written))
            #expect(error?.kind == .descriptorFailed(errno: ENOSPC, written: written.count))
        }
    }

    @Test func `a cut body is written up to the cut`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"
        let content = TestContent.bytes(700_000)
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Array(head.utf8) + content), .close,
        ])
        let descriptor = try open(O_WRONLY | O_CREAT, path)
        defer { close(descriptor) }
        let response = try await client.stream(origin.url)
        let error = await failure { try await response.write(toDescriptor: descriptor) }
        #expect(
            error?.kind
                == .truncatedResponse(.bodyTruncated(received: 700_000, expected: 900_000))
        )
        #expect(error?.metrics.bodyBytesDecoded == 700_000)
        #expect(TestFileSystem.contents(of: path) == content)
    }

    @Test func `a thread writes a body to a descriptor`() async throws {
        let content = TestContent.bytes(1_000_000)
        let server = try await server(content, .length)
        let descriptor = try open(O_WRONLY | O_CREAT, path)
        defer { close(descriptor) }
        let count = await BlockingWork.run { [client] in
            Result {
                try client.blocking.stream(server.url).blocking.write(toDescriptor: descriptor)
            }
        }
        #expect(try count.get() == content.count)
        #expect(TestFileSystem.contents(of: path) == content)
    }
}

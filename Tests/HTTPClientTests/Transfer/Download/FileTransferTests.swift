import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests writing the body of a streamed response to an open file.
@Suite(.timeLimit(.minutes(10))) struct FileTransferTests {
    private let client = HTTPClient()

    private func head(_ fields: String...) -> String {
        "HTTP/1.1 200 OK\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private func file(in directory: TemporaryDirectory) throws -> OutputFile {
        try OutputFile.create(beside: directory.path + "/a")
    }

    /// The parts of a transfer that a test observes, in order.
    private final class Log: Sendable {
        let positions = Locked<[Int]>([])

        func record(_ position: Int) { positions.withLock { $0.append(position) } }
        var last: Int { positions.withLock { $0.last ?? 0 } }
    }

    /// The reason why a transfer ended early.
    private enum Failure: Error {
        case body(HTTPError)
        case file(Errno)
    }

    /// Writes a body to a file in steps, as downloads do.
    ///
    /// - Returns: the number of bytes that went through the pipe.
    @discardableResult
    private static func write(
        _ response: HTTPStreamedResponse,
        to file: OutputFile,
        step: Int = .max,
        onWritten: (Int) -> Void = { _ in }
    ) async throws(Failure) -> Int {
        let transfer = FileTransfer()
        var position = 0
        while true {
            do throws(HTTPError) {
                guard case .bytes = try await response.next(into: transfer, atMost: step) else {
                    return transfer.pipedBytes
                }
            } catch {
                throw .body(error)
            }
            do throws(Errno) {
                try transfer.write { pipe throws(Errno) in
                    let count = pipe.count
                    try file.write(pipe, at: position)
                    position += count
                } orBytes: { bytes throws(Errno) in
                    try file.write(bytes, at: position)
                    position += bytes.count
                }
            } catch {
                throw .file(error)
            }
            onWritten(position)
        }
    }

    /// Runs a transfer on a thread that may block, as downloads do.
    private func transfer(
        _ request: HTTPRequest,
        to file: OutputFile,
        step: Int = .max,
        onWritten: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Result<Int, Failure> {
        let response = try await client.stream(request)
        let files = FileThreads()
        defer { files.stop() }
        return await Task(executorPreference: files) {
            do throws(Failure) {
                return .success(
                    try await Self.write(response, to: file, step: step, onWritten: onWritten)
                )
            } catch {
                return .failure(error)
            }
        }.value
    }

    enum Framing: CaseIterable, Sendable {
        case length
        case untilClose
        case chunked
        case gzip
        case tls
    }

    @Test(arguments: Framing.allCases, [0, 1, 16_383, 300_000, 3_000_001])
    func `a body arrives completely, and only a plain one goes through the pipe`(
        framing: Framing,
        size: Int
    ) async throws {
        let bytes = TestContent.bytes(size)
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        var configuration = HTTPClient.Configuration()
        let server: HTTPTestServer
        var origin: ScriptedOrigin?
        switch framing {
        case .tls:
            server = try await HTTPTestServer.start(tls: .selfIssued) { _ in .bytes(bytes) }
            configuration.security.trust = .pem(server.certificateAuthorityPEM)
        case .gzip:
            server = try await HTTPTestServer.start { _ in
                HTTPTestServer.Response.bytes(bytes).gzipped()
            }
        case .chunked:
            server = try await HTTPTestServer.start { _ in .chunks([bytes, [7]]) }
        case .length: server = try await HTTPTestServer.start { _ in .bytes(bytes) }
        case .untilClose:
            server = try await HTTPTestServer.start { _ in .bytes([]) }
            origin = try ScriptedOrigin([.expectHead, .reply(head()), .reply(bytes), .close])
        }
        let client = HTTPClient(configuration)
        let response = try await client.stream(HTTPRequest(origin?.url ?? server.url))
        let log = Log()
        let piped = try await Self.write(response, to: file) { log.record($0) }
        let expected = framing == .chunked ? bytes + [7] : bytes
        #expect(TestFileSystem.contents(of: file.path) == expected)
        #expect(log.last == expected.count)
        let isPlain = framing == .length || framing == .untilClose
        if !isPlain || size < 256 << 10 && framing == .length { #expect(piped == 0) }
        if isPlain, size > 1 << 20 { #expect(piped > size / 2) }
        #expect(response.trailers != nil)
        #expect(response.metrics.bodyBytesDecoded == expected.count)
        if framing != .gzip { #expect(response.metrics.bodyBytesReceived == expected.count) }
        if framing == .length {
            #expect(response.metrics.bytesReceived == size + response.head.rawByteCount)
            let next = try await client.send(HTTPRequest(server.url))
            #expect(next.metrics.isReused)
        }
    }

    @Test func `bytes that arrived with the head are written before more bytes arrive`()
        async throws
    {
        let bytes = TestContent.bytes(1 << 20)
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply(Array(head("Content-Length: \(bytes.count)").utf8) + bytes[..<1000]),
            .pause(gate), .reply(Array(bytes[1000...])),
        ])
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let log = Log()
        let result = try await transfer(HTTPRequest(origin.url), to: file) { position in
            log.record(position)
            gate.open()
        }
        #expect(log.positions.withLock { $0.first } == 1000)
        #expect(try result.get() > 0)
        #expect(TestFileSystem.contents(of: file.path) == bytes)
    }

    @Test func `bytes after the announced length are not in the file, and close the connection`()
        async throws
    {
        let bytes = TestContent.bytes(1_000_000)
        let announced = head("Content-Length: \(bytes.count)")
        let surplus = [UInt8](repeating: 1, count: 100_000)
        let origin = try ScriptedOrigin { _ in
            [.expectHead, .reply(Array(announced.utf8) + bytes + surplus)]
        }
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let result = try await transfer(HTTPRequest(origin.url), to: file)
        #expect(try result.get() > 0)
        #expect(TestFileSystem.contents(of: file.path) == bytes)
        let next = try await client.stream(HTTPRequest(origin.url))
        #expect(!next.metrics.isReused)
    }

    @Test func `bytes of a slow peer are written before the rest arrives`() async throws {
        let bytes = TestContent.bytes(1 << 20)
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head("Content-Length: \(bytes.count)")),
            .reply(Array(bytes[..<10])), .pause(gate), .reply(Array(bytes[10...])),
        ])
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let result = try await transfer(HTTPRequest(origin.url), to: file) { position in
            if position >= 10 { gate.open() }
        }
        #expect(try result.get() > 0)
        #expect(TestFileSystem.contents(of: file.path) == bytes)
    }

    @Test(arguments: [0, 1, 999, 16_384, 262_144, 1_000_000, 2_999_999], [true, false])
    func `a cut body is written up to the cut, and fails as in memory`(
        count: Int,
        hasLength: Bool
    ) async throws {
        let bytes = TestContent.bytes(3_000_000)
        let fields =
            hasLength
            ? head("Content-Length: \(bytes.count)") : head("Transfer-Encoding: chunked")
        var sent = Array(bytes[..<count])
        if !hasLength { sent = Array("2dc6c0\r\n".utf8) + sent }
        let script: OriginScript = [.expectHead, .reply(fields), .reply(sent), .close]
        let origin = try ScriptedOrigin { _ in script }
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let result = try await transfer(HTTPRequest(origin.url), to: file)
        let inMemory = await failure {
            var body = try await client.stream(HTTPRequest(origin.url)).body.makeAsyncIterator()
            while try await body.next() != nil {}
        }
        guard case .failure(.body(let error)) = result else {
            Issue.record("got \(result)")
            return
        }
        #expect(error.kind == inMemory?.kind)
        #expect(error.phase == inMemory?.phase)
        if hasLength {
            #expect(
                error.kind
                    == .truncatedResponse(.bodyTruncated(received: count, expected: bytes.count))
            )
        }
        #expect(error.metrics.bodyBytesReceived == count)
        #expect(TestFileSystem.contents(of: file.path) == Array(bytes[..<count]))
    }

    @Test func `a reset is reported after the bytes before it`() async throws {
        let bytes = TestContent.bytes(600_000)
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head("Content-Length: 3000000")), .reply(bytes), .pause(gate),
            .reset,
        ])
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let result = try await transfer(HTTPRequest(origin.url), to: file) { position in
            if position == bytes.count { gate.open() }
        }
        guard case .failure(.body(let error)) = result, case .connectionLost = error.kind else {
            Issue.record("got \(result)")
            return
        }
        #expect(TestFileSystem.contents(of: file.path) == bytes)
    }

    @Test func `a slow file stalls no other call, and the peer is not read meanwhile`()
        async throws
    {
        let size = 48 << 20
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head("Content-Length: \(size)")),
            .reply([UInt8](repeating: 5, count: size)),
        ])
        let other = try await HTTPTestServer.start { _ in .text("other") }
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let (steps, blocked) = (Log(), AsyncStream.makeStream(of: Void.self))
        let gate = Gate()
        let call = Task {
            // The closure blocks the file thread, as a slow disk would.
            try await transfer(HTTPRequest(origin.url), to: file) { position in
                steps.record(position)
                if steps.positions.withLock({ $0.count }) == 3 {
                    blocked.continuation.yield()
                    gate.block()
                }
            }
        }
        for await _ in blocked.stream { break }
        for _ in 0..<100 {
            #expect(try await client.send(HTTPRequest(other.url)).text == "other")
        }
        #expect(steps.positions.withLock { $0.count } == 3)
        gate.open()
        _ = try await call.value.get()
        let positions = steps.positions.withLock { $0 }
        #expect(positions.last == size)
        // At most one pipe is on its way.
        let sizes = zip([0] + positions, positions).map { $1 - $0 }
        #expect(sizes.allSatisfy { $0 <= TransferPipe.defaultCapacity })
    }

    /// Returns a response of which a part has been read, while more have arrived at the socket.
    private func halfReadResponse(
        into transfer: FileTransfer
    ) async throws -> HTTPStreamedResponse {
        let (first, all) = (Gate(), Gate())
        let origin = try ScriptedOrigin([
            // Far from its end, so that only the bytes that have arrived decide what is read.
            .expectHead, .reply(head("Content-Length: 10000000")), .pause(first),
            .reply([UInt8](repeating: 7, count: 100_000)), .pause(all),
        ])
        let response = try await client.stream(origin.url)
        first.open()
        // On loopback, bytes that were sent have arrived.
        await all.arrival()
        _ = try await response.next(into: transfer, atMost: 40_000)
        return response
    }

    @Test func `a canceled task gets no bytes that have arrived`() async throws {
        let transfer = FileTransfer(isInspected: true)
        let response = try await halfReadResponse(into: transfer)
        let error = await Task { @concurrent in
            // SAFETY: the task does not leave the closure.
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await failure { try await response.next(into: transfer) }
        }.value
        #expect(error?.kind == .cancelled)
    }

    @Test(arguments: [FileThreads.maxThreads, FileThreads.maxThreads + 1])
    func `a thread is given back after each step if there are more transfers`(
        count: Int
    ) async throws {
        let transfers = (0..<count).map { _ in FileTransfer(isInspected: true) }
        var responses: [HTTPStreamedResponse] = []
        for transfer in transfers {
            responses.append(try await halfReadResponse(into: transfer))
        }
        let (response, transfer) = (responses[0], transfers[0])
        let threads = FileThreads()
        let gate = Gate()
        defer {
            gate.open()
            threads.stop()
        }
        // Only one thread is left.
        let blocked = Locked(0)
        let block: @Sendable () async -> Void = {
            blocked.withLock { $0 += 1 }
            gate.block()
        }
        for _ in 1..<FileThreads.maxThreads {
            Task(executorPreference: threads, operation: block)
        }
        while blocked.withLock({ $0 }) < FileThreads.maxThreads - 1 { await moment() }
        let isGivenBack = try await Task(executorPreference: threads) {
            let hasRun = Locked(false)
            Task(executorPreference: threads) { hasRun.withLock { $0 = true } }
            _ = try await response.next(into: transfer)
            return hasRun.withLock { $0 }
        }.value
        #expect(isGivenBack == (count > FileThreads.maxThreads))
        withExtendedLifetime((client, responses, transfers)) {}
    }

    @Test func `a limit applies to each step`() async throws {
        let size = 1_000_000
        let server = try await HTTPTestServer.start { _ in .bytes(TestContent.bytes(size)) }
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let log = Log()
        let result = try await transfer(HTTPRequest(server.url), to: file, step: 70_000) {
            log.record($0)
        }
        #expect(try result.get() > 0)
        let positions = log.positions.withLock { $0 }
        #expect(zip([0] + positions, positions).allSatisfy { $1 - $0 <= 70_000 })
        #expect(TestFileSystem.contents(of: file.path) == TestContent.bytes(size))
    }

    @Test func `a file that splice refuses is written from memory, without a gap`() async throws {
        let bytes = TestContent.bytes(3_000_000)
        let server = try await HTTPTestServer.start { _ in .bytes(bytes) }
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        // The kernel refuses splice to such a file (EINVAL).
        DescriptorCount.add(O_APPEND, toFile: file.path)
        let piped = try await transfer(HTTPRequest(server.url), to: file).get()
        // The pipe is not used again after the first refusal.
        #expect(piped > 0 && piped <= TransferPipe.defaultCapacity)
        #expect(TestFileSystem.contents(of: file.path) == bytes)
    }

    @Test func `a download that was cut in a pipe is continued by the next call`() async throws {
        let bytes = TestContent.bytes(3_000_000)
        let start = head("Content-Length: \(bytes.count)", "ETag: \"v1\"")
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1500000-2999999/3000000\r\n"
            + "Content-Length: 1500000\r\nETag: \"v1\"\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(Array(start.utf8) + bytes[..<1_500_000]), .close],
            [
                .expectHead(lines: "Range: bytes=1500000-", "If-Range: \"v1\""),
                .reply(Array(rest.utf8) + bytes[1_500_000...]),
            ],
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a"
        var configuration = HTTPClient.Configuration()
        configuration.retries = .standard(maxRetries: 0)
        let client = HTTPClient(configuration)
        let error = await failure {
            try await client.download(origin.url, to: path, options: .resume)
        }
        #expect(error?.metrics.bodyBytesReceived == 1_500_000)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 1_500_000)
        #expect(TestFileSystem.contents(of: path) == bytes)
        #expect(TestFileSystem.names(in: directory.path) == ["a"])
        #expect(origin.failures == [])
    }

    @Test func `a file with an expected digest is verified, and not piped`() async throws {
        let bytes = TestContent.bytes(1_000_000)
        let server = try await HTTPTestServer.start { _ in .bytes(bytes) }
        let directory = try TemporaryDirectory()
        var options = HTTPDownloadOptions()
        options.expectedDigest = try .sha256(of: bytes)
        let path = directory.path + "/a"
        let verified = try await client.download(server.url, to: path, options: options)
        #expect(verified.size == bytes.count)
        options.expectedDigest = try .sha256(of: [1])
        let error = await failure {
            try await client.download(server.url, to: path, options: options)
        }
        guard case .digestMismatch = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test(arguments: [300_000, 999_999, 1_000_000])
    func `a body that grows beyond the maximum size is refused`(limit: Int) async throws {
        let bytes = TestContent.bytes(1_000_000)
        let script: OriginScript = [.expectHead, .reply(head()), .reply(bytes), .close]
        let origin = try ScriptedOrigin { _ in script }
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a"
        var options = HTTPDownloadOptions()
        options.maxSize = limit
        guard limit < bytes.count else {
            let file = try await client.download(origin.url, to: path, options: options)
            #expect(file.size == limit)
            return
        }
        let error = await failure {
            try await client.download(origin.url, to: path, options: options)
        }
        #expect(error?.kind == .fileTooLarge(limit: limit))
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test func `a full disk fails the download, and no end of a transfer leaves descriptors`()
        async
    {
        // The limits of files and descriptors belong to a process.
        await #expect(processExitsWith: .success) {
            let size = 3_000_000
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
            let body = [UInt8](repeating: 7, count: size)
            let origin = try ScriptedOrigin([
                .forever([.expectHead, .reply(Array(reply.utf8) + body)])
            ])
            let directory = try TemporaryDirectory()
            let client = HTTPClient()
            let path = directory.path + "/a"
            #expect(try await client.download(origin.url, to: path).size == size)
            let before = DescriptorCount.openFiles()
            for _ in 0..<3 { _ = try await client.download(origin.url, to: path) }
            #expect(DescriptorCount.openFiles() == before)

            // The kernel reports EFBIG, after it has written a part of the pipe.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 1_700_000, rlim_max: 1 << 40)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            // At its end, the process may write a profile of the lines that ran, which is larger.
            defer {
                limit.rlim_cur = limit.rlim_max
                unsafe _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            }
            let error = await failure { try await client.download(origin.url, to: path) }
            guard case .fileFailed(let failed, .write, let reason) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(failed.hasPrefix(directory.path))
            #expect(reason == Errno(rawValue: EFBIG).description)
            #expect(TestFileSystem.names(in: directory.path) == ["a"])
            // The connection of the failed download and its other end are closed later.
            while DescriptorCount.openFiles() > before { await moment() }
        }
    }

    @Test func `without a descriptor for the pipe a body is copied`() async {
        await #expect(processExitsWith: .success) {
            let size = 3_000_000
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
            let body = [UInt8](repeating: 7, count: size)
            let origin = try ScriptedOrigin([.expectHead, .reply(Array(reply.utf8) + body)])
            let response = try await HTTPClient().stream(HTTPRequest(origin.url))
            DescriptorCount.limitFurtherDescriptors(0)
            let transfer = FileTransfer()
            var count = 0
            while case .bytes = try await response.next(into: transfer) {
                transfer.write { _ in
                    Issue.record("no pipe is possible")
                } orBytes: {
                    count += $0.count
                }
            }
            #expect(count == size)
        }
    }

    @Test(arguments: [true, false])
    func `cancellation ends a transfer`(isFlowing: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let steps: [OriginStep] =
            isFlowing
            ? [.replyForever([UInt8](repeating: 1, count: 1 << 20))]
            : [.reply([UInt8](repeating: 1, count: 500_000)), .pause(gate)]
        let origin = try ScriptedOrigin(
            OriginScript(
                [.expectHead, .reply(head("Content-Length: \(1 << 50)"))] + steps
            )
        )
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        let begun = AsyncStream.makeStream(of: Void.self)
        let response = try await client.stream(HTTPRequest(origin.url))
        let call = Task {
            do throws(Failure) {
                try await Self.write(response, to: file) { position in
                    if position >= 500_000 { begun.continuation.yield() }
                    // The file does not grow without limit if the test fails to end it.
                    try? file.truncate(to: 0)
                }
                return Failure?.none
            } catch {
                return error
            }
        }
        for await _ in begun.stream { break }
        call.cancel()
        guard case .body(let error)? = await call.value else {
            Issue.record("expected an error")
            return
        }
        #expect(error.kind == .cancelled)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test(arguments: [true, false])
    func `a transfer that lasts too long times out`(isFlowing: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let steps: [OriginStep] =
            isFlowing
            ? [.replyForever([UInt8](repeating: 1, count: 1 << 20))]
            : [.reply([UInt8](repeating: 1, count: 500_000)), .pause(gate)]
        let origin = try ScriptedOrigin(
            OriginScript([.expectHead, .reply(head("Content-Length: \(1 << 50)"))] + steps)
        )
        let directory = try TemporaryDirectory()
        let file = try file(in: directory)
        var request = HTTPRequest(origin.url)
        var timeouts = HTTPTimeouts()
        if isFlowing {
            timeouts.total = .milliseconds(300)
        } else {
            timeouts.readIdle = .milliseconds(100)
        }
        request.timeouts = timeouts
        let result = try await transfer(request, to: file) { _ in try? file.truncate(to: 0) }
        guard case .failure(.body(let error)) = result else {
            Issue.record("got \(result)")
            return
        }
        #expect(error.kind == .timedOut(isFlowing ? .total : .body))
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Downloads that the cache answers, and stores.
@Suite(.timeLimit(.minutes(10))) struct CachedDownloadTests {
    private static let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    /// Answers with the same content, a strong entity tag, and the parts that a request asks for.
    private func origin(
        _ control: String = "max-age=60",
        content: [UInt8] = content
    ) async throws -> CachedOrigin {
        try await CachedOrigin { request in
            let headers: [FieldName: String] = [.cacheControl: control, .etag: "\"1\""]
            if request.headers[.ifNoneMatch] == "\"1\"" {
                return .text("", headers, status: .notModified)
            }
            var response = HTTPTestServer.Response.bytes(content)
            if let text = request.headers[.range], let range = RangeHeader(text),
                case .bounded(let positions)? = range.ranges.first
            {
                let end = min(positions.upperBound + 1, content.count)
                response = .bytes(Array(content[positions.lowerBound..<end]))
                response.status = .partialContent
                response.headers[.contentRange] =
                    "bytes \(positions.lowerBound)-\(end - 1)/\(content.count)"
            }
            for (name, value) in headers { response.headers[name] = value }
            return response
        }
    }

    @Test(arguments: [false, true])
    func `a stored response is downloaded without a request`(inMemory: Bool) async throws {
        let directory = try TemporaryDirectory()
        let origin = try await origin()
        let cache = try HTTPCache(directory: directory.path + "/cache")
        let client = origin.client { if !inMemory { $0.cache = .cache(cache) } }
        let path = directory.path + "/file"
        let first = try await client.download(origin.server.url, to: path)
        #expect(first.metrics.cacheStatus?.description == "HTTPClient; fwd=uri-miss; stored")
        for number in 2...3 {
            let next = "\(path)\(number)"
            let file = try await client.download(origin.server.url, to: next)
            #expect(file.metrics.cacheStatus?.description == "HTTPClient; hit; ttl=60")
            #expect(file.size == Self.content.count && file.head.status == .ok)
            #expect(TestFileSystem.contents(of: next) == Self.content)
        }
        // Other calls use it too.
        let sent = try await client.send(origin.server.url)
        #expect(sent.body == Self.content && sent.cacheStatus?.outcome == .hit)
        let streamed = try await client.stream(origin.server.url)
        let written = try await streamed.write(to: path)
        #expect(written.size == Self.content.count)
        #expect(TestFileSystem.contents(of: path) == Self.content && origin.count == 1)
    }

    @Test func `the kernel copies a stored content`() async throws {
        await #expect(processExitsWith: .success) {
            /// Returns the number of system calls of this process that have read.
            func reads() throws -> Int {
                let text = String(
                    decoding: TestFileSystem.contents(of: "/proc/self/io") ?? [],
                    as: UTF8.self
                )
                let line = text.split(separator: "\n").first { $0.hasPrefix("syscr: ") }
                return try #require((line?.dropFirst(7)).flatMap { Int($0) })
            }
            let directory = try TemporaryDirectory()
            // A closure for each byte takes minutes with a sanitizer.
            let content = [UInt8](repeating: 7, count: 32 << 20)
            let origin = try await CachedOrigin { _ in
                .bytes(content).header(.cacheControl, "max-age=60")
            }
            let cache = try HTTPCache(directory: directory.path + "/cache")
            let client = origin.client { $0.cache = .cache(cache) }
            _ = try await client.download(origin.server.url, to: directory.path + "/1")
            let before = try reads()
            let file = try await client.download(origin.server.url, to: directory.path + "/2")
            let count = try reads() - before
            // Verifying reads 128 chunks; reading them again would be as many.
            #expect(count >= 128 && count < 200, "\(count) reads")
            #expect(file.metrics.cacheStatus?.outcome == .hit)
            #expect(TestFileSystem.contents(of: directory.path + "/2") == content)
        }
    }

    private struct CuttingInterceptor: HTTPInterceptor {
        let cut: @Sendable () throws -> Void

        func intercept(
            _ request: HTTPRequest,
            _ context: HTTPContext,
            next: HTTPNext
        ) async throws -> HTTPInterceptorResult {
            let result = try await next(request)
            try cut()
            return result
        }
    }

    @Test func `a stored content that is cut before it is copied is blamed, and not the file`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let origin = try await origin()
        let cache = try HTTPCache(directory: directory.path + "/cache")
        let folder = directory.path + "/cache/v1/"
        /// Cuts the stored content, which was verified already.
        let cut: @Sendable () throws -> Void = {
            for name in TestFileSystem.names(in: folder) where name.hasSuffix(".body") {
                try TestFileSystem.write([7], to: folder + name)
            }
        }
        let client = origin.client { $0.cache = .cache(cache) }
        let path = directory.path + "/file"
        _ = try await client.send(origin.server.url)
        let streamed = try await client.stream(origin.server.url)
        #expect(streamed.cacheStatus?.outcome == .hit)
        try cut()
        let error = await #expect(throws: HTTPError.self) { try await streamed.write(to: path) }
        guard case .fileFailed(let failed, .read, _)? = error?.kind else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(failed.hasPrefix(folder) && failed.hasSuffix(".body"))
        #expect(TestFileSystem.contents(of: path) == nil)

        // A download continues with the response of the origin.
        _ = try await client.send(origin.server.url)
        let count = origin.count
        let cutting = client.with {
            $0.interceptors = [CuttingInterceptor(cut: cut)]
        }
        let file = try await cutting.download(origin.server.url, to: path)
        #expect(file.size == Self.content.count)
        #expect(TestFileSystem.contents(of: path) == Self.content && origin.count == count + 1)
    }

    @Test(.enabled(if: TestFileSystem.mode(of: "/dev/shm") != nil, "another file system"))
    func `a content on another file system is copied`() async throws {
        let directory = try TemporaryDirectory()
        let other = try TemporaryDirectory(in: "/dev/shm")
        let origin = try await origin()
        let cache = try HTTPCache(directory: other.path + "/cache")
        let client = origin.client { $0.cache = .cache(cache) }
        for number in 1...2 {
            let path = "\(directory.path)/\(number)"
            _ = try await client.download(origin.server.url, to: path)
            #expect(TestFileSystem.contents(of: path) == Self.content && origin.count == 1)
        }
    }

    @Test func `a 304 confirms a stored response, which becomes the file`() async throws {
        let directory = try TemporaryDirectory()
        let origin = try await origin()
        let client = origin.client()
        let path = directory.path + "/file"
        _ = try await client.send(origin.server.url)
        origin.advance(61)
        let file = try await client.download(origin.server.url, to: path)
        #expect(file.metrics.cacheStatus?.outcome == .revalidated && file.head.status == .ok)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.server.requests.last?.headers[.ifNoneMatch] == "\"1\"")
    }

    @Test(arguments: [false, true])
    func `the origin is asked for a content that has the expected digest`(
        inMemory: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let cache = try HTTPCache(directory: directory.path + "/cache")
        let client = origin.client { if !inMemory { $0.cache = .cache(cache) } }
        let path = directory.path + "/file"
        _ = try await client.send(origin.server.url)
        var options = HTTPDownloadOptions()
        options.expectedDigest = try HTTPDigest.sha256(of: Array("2".utf8))
        for outcome: HTTPResponse.CacheStatus.Outcome in [.miss, .hit] {
            let file = try await client.download(origin.server.url, to: path, options: options)
            #expect(file.metrics.cacheStatus?.outcome == outcome)
            #expect(TestFileSystem.contents(of: path) == Array("2".utf8) && origin.count == 2)
        }
        // The origin is asked once.
        options.expectedDigest = try HTTPDigest.sha256(of: Array("9".utf8))
        let error = await #expect(throws: HTTPError.self) {
            try await client.download(origin.server.url, to: path, options: options)
        }
        guard case .digestMismatch = error?.kind else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(origin.count == 3)
    }

    @Test func `a stored response is not requested in segments`() async throws {
        let directory = try TemporaryDirectory()
        let origin = try await origin()
        let client = origin.client()
        let path = directory.path + "/file"
        let options = HTTPDownloadOptions(segments: .upTo(2, minSize: 300_000))
        // The parts are not stored.
        let parts = try await client.download(origin.server.url, to: path, options: options)
        #expect(TestFileSystem.contents(of: path) == Self.content && parts.head.status != .ok)
        #expect(try client.cache?.responses.isEmpty == true)
        let count = origin.count
        #expect(count > 1)
        _ = try await client.send(origin.server.url)
        let file = try await client.download(origin.server.url, to: path, options: options)
        #expect(file.metrics.cacheStatus?.outcome == .hit && file.head.status == .ok)
        #expect(TestFileSystem.contents(of: path) == Self.content && origin.count == count + 1)
        // Without the stored response, there are parts again.
        var request = HTTPRequest(origin.server.url)
        request.cacheMode = .reload
        _ = try await client.download(request, to: path, options: options)
        #expect(origin.count > count + 2)
    }

    @Test func `the segments of an interrupted file are continued in spite of a stored response`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let isCut = Locked(true)
        let asked = Locked<Set<Int>>([])
        let origin = try await CachedOrigin { request in
            let headers: [FieldName: String] = [.cacheControl: "max-age=60", .etag: "\"1\""]
            var response = HTTPTestServer.Response.bytes(Self.content)
            if let text = request.headers[.range], let range = RangeHeader(text)?.ranges.first,
                case .bounded(let positions) = range
            {
                let end = min(positions.upperBound + 1, Self.content.count)
                let part = positions.lowerBound..<end
                // A connection can take over what another one has asked for.
                asked.withLock { $0.formUnion(part) }
                response = .bytes(Array(Self.content[part])).status(.partialContent)
                    .header(
                        .contentRange,
                        "bytes \(part.lowerBound)-\(end - 1)/\(Self.content.count)"
                    )
                if part.lowerBound > 0, isCut.withLock({ $0 }) {
                    response = response.truncated(to: 100_000)
                }
            }
            for (name, value) in headers { response.headers[name] = value }
            return response
        }
        let client = origin.client()
        let path = directory.path + "/file"
        var options = HTTPDownloadOptions.resume
        options.segments = .upTo(2, minSize: 300_000)
        await #expect(throws: HTTPError.self) {
            try await client.download(origin.server.url, to: path, options: options)
        }
        isCut.withLock { $0 = false }
        asked.withLock { $0 = [] }
        _ = try await client.send(origin.server.url)
        let file = try await client.download(origin.server.url, to: path, options: options)
        #expect(TestFileSystem.contents(of: path) == Self.content && file.resumedOffset > 0)
        // Only the missing bytes were requested, all in segments.
        #expect(asked.withLock { $0.count } == Self.content.count - file.resumedOffset)
    }

    @Test func `only-if-cached sends no request of a download`() async throws {
        let directory = try TemporaryDirectory()
        let origin = try await origin()
        let client = origin.client()
        let path = directory.path + "/file"
        var request = HTTPRequest(origin.server.url)
        request.cacheMode = .onlyIfCached
        for options in [
            HTTPDownloadOptions(), HTTPDownloadOptions(segments: .upTo(2, minSize: 300_000)),
        ] {
            let error = await #expect(throws: HTTPError.self) {
                try await client.download(request, to: path, options: options)
            }
            #expect(error?.kind == .rejectedStatus(.gatewayTimeout))
            #expect(error?.metrics.cacheStatus?.outcome == .unavailable)
        }
        #expect(origin.count == 0)
        _ = try await client.send(origin.server.url)
        _ = try await client.download(request, to: path)
        #expect(TestFileSystem.contents(of: path) == Self.content && origin.count == 1)
    }

    @Test func `the rest of a file is requested from the origin`() async throws {
        let directory = try TemporaryDirectory()
        let origin = try await CachedOrigin { request in
            let whole = HTTPTestServer.Response.bytes(Self.content)
                .header(.cacheControl, "max-age=60").header(.etag, "\"1\"")
            guard let text = request.headers[.range], let range = RangeHeader(text)?.ranges.first,
                case .from(let start) = range
            else { return whole.truncated(to: 400_000) }
            let end = Self.content.count
            return .bytes(Array(Self.content[start...])).status(.partialContent)
                .header(.cacheControl, "max-age=60").header(.etag, "\"1\"")
                .header(.contentRange, "bytes \(start)-\(end - 1)/\(end)")
        }
        let path = directory.path + "/file"
        let client = origin.client()
        await #expect(throws: HTTPError.self) {
            try await client.download(origin.server.url, to: path, options: .resume)
        }
        let file = try await client.download(origin.server.url, to: path, options: .resume)
        #expect(file.resumedOffset > 0)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(try client.cache?.responses.isEmpty == true)
    }

    @Test func `a content with a coding becomes the file as it was received`() async throws {
        let directory = try TemporaryDirectory()
        let origin = try await CachedOrigin { _ in
            .bytes(Self.content).header(.cacheControl, "max-age=60").gzipped()
        }
        let client = origin.client()
        let path = directory.path + "/file"
        #expect(try await client.send(origin.server.url).body == Self.content)
        let file = try await client.download(origin.server.url, to: path)
        #expect(file.metrics.cacheStatus?.outcome == .hit)
        let plain = try await HTTPClient().download(origin.server.url, to: path + "2")
        let received = TestFileSystem.contents(of: plain.path)
        #expect(TestFileSystem.contents(of: path) == received && received != Self.content)
        #expect(try await client.send(origin.server.url).body == Self.content)
        #expect(origin.count == 2)
    }

    @Test func `a canceled task reads no more of a stored response`() async throws {
        let origin = try await origin()
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        let streamed = try await client.stream(origin.server.url)
        var body = streamed.body.makeAsyncIterator()
        #expect(try await body.next()?.isEmpty == false)
        let task = Task { [body] in
            while !Task.isCancelled { await Task.yield() }
            var body = body
            return try await body.next()
        }
        task.cancel()
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        #expect(error?.isCancellation == true)
    }
}

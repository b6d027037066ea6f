import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests downloads from nginx with its entity tags and ranges.
@Suite(.timeLimit(.minutes(10))) struct NginxDownloadTests {
    private static let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 4) }

    private func data(
        of response: HTTPResponse,
        validator: String,
        offset: Int,
        in directory: TemporaryDirectory
    ) throws -> HTTPResumeData {
        HTTPResumeData(
            url: "\(response.url)",
            validator: validator,
            offset: offset,
            total: Self.content.count,
            target: directory.path + "/big.bin",
            name: try part(offset, in: directory)
        )
    }

    private func part(_ size: Int, in directory: TemporaryDirectory) throws -> String {
        let name = ".big.bin.abcdefgh.part"
        try directory.write(Array(Self.content[..<size]), as: name)
        return name
    }

    @Test(arguments: [FieldName.etag, .lastModified])
    func `a download from nginx resumes with its validator`(validator: FieldName) async throws {
        let nginx = try Nginx(files: ["big.bin": Self.content])
        let directory = try TemporaryDirectory()
        let client = HTTPClient()
        let request = HTTPRequest("\(nginx.url)/files/big.bin")
        var asked = request
        asked.method = .head
        let head = try await client.send(asked)
        let state = try #require(head.headers[validator])
        let path = directory.path + "/big.bin"
        let rest = try await client.download(
            request,
            to: path,
            options: .resuming(data(of: head, validator: state, offset: 1_234_567, in: directory))
        )
        #expect(rest.head.status == .partialContent)
        #expect(rest.resumedOffset == 1_234_567)
        #expect(rest.metrics.bodyBytesReceived == Self.content.count - 1_234_567)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        nginx.stop()
    }

    @Test func `a changed file is downloaded again, and a complete one is not`() async throws {
        let nginx = try Nginx(files: ["big.bin": Self.content])
        let directory = try TemporaryDirectory()
        let client = HTTPClient()
        let request = HTTPRequest("\(nginx.url)/files/big.bin")
        let path = directory.path + "/big.bin"
        let first = try await client.download(request, to: path)
        #expect(first.size == Self.content.count)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        let head = try await client.send(HTTPRequest("\(nginx.url)/files/big.bin", method: .head))
        let restarted = try await client.download(
            request,
            to: path,
            options: .resuming(data(of: head, validator: "\"other\"", offset: 1000, in: directory))
        )
        #expect(restarted.head.status == .ok)
        #expect(restarted.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        let done = try await client.download(
            request,
            to: path,
            options: .resuming(
                data(
                    of: head,
                    validator: try #require(head.headers[.etag]),
                    offset: Self.content.count,
                    in: directory
                )
            )
        )
        #expect(done.head.status == .rangeNotSatisfiable)
        #expect(done.metrics.bodyBytesReceived < 1000)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["big.bin"])
        nginx.stop()
    }

    @Test(arguments: [0, 1, 100_000, 100_001, 1_500_000])
    func `parts of a file from nginx arrive over several connections`(size: Int) async throws {
        let content = Array(Self.content[..<size])
        let nginx = try Nginx(files: ["big.bin": content])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/big.bin"
        let file = try await HTTPClient().download(
            "\(nginx.url)/files/big.bin",
            to: path,
            options: HTTPDownloadOptions(journal: .on, segments: .upTo(4, minSize: 100_000))
        )
        #expect(file.size == size)
        #expect(TestFileSystem.contents(of: path) == content)
        #expect(TestFileSystem.names(in: directory.path) == ["big.bin"])
        let connections = Set(file.metrics.attempts.map(\.connectionID))
        // nginx answers a range of an empty file with 200.
        if size <= 100_000 { #expect(file.metrics.attempts.count == 1) }
        if size == 1_500_000 { #expect(connections.count >= 2 && file.metrics.attempts.count > 4) }
        nginx.stop()
    }
}

import Glibc
import HTTPClient
import HTTPTestServer
import Support

/// A check that the client does not hold the content that it transfers in memory.
///
///     Footprint [MIB]              default 1024 MiB each way
///     Footprint serve              a server, which the first form starts as a separate process
///     Footprint serve-tls FILE     the same with TLS, for downloads; FILE gets its certificate authority
///
/// It discards a body, downloads files in one and in several parts and over TLS, stores a download in a directory and
/// in a storage of its program and downloads it from there, and uploads a sparse file in a multipart form. After a small transfer of each kind, the
/// resident memory must never rise by more than 4 MiB, whatever the size.
@main struct Footprint {
    /// The permitted rise of resident memory above that of an idle client, in KiB.
    private static let bound = 4 << 10

    private let origin: String
    private let secureOrigin: String
    private let directory: TemporaryDirectory
    private let client: HTTPClient
    /// The same client with a cache in a directory.
    private let cachingClient: HTTPClient
    /// The same client with a cache in a storage that this program provides.
    private let storingClient: HTTPClient

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            if arguments == ["serve"] { try StreamingOrigin().serve() }
            if arguments.first == "serve-tls", let file = arguments.dropFirst().first {
                try await serveSecurely(file)
            }
            guard let mebibytes = arguments.first.map({ Int($0) }) ?? 1024, arguments.count < 2,
                mebibytes << 10 >= 8 * bound
            else {
                throw Violation("usage: Footprint [MIB], at least \(8 * bound >> 10)")
            }
            try await run(bytes: mebibytes << 20)
        } catch {
            print("footprint: FAILED: \(error)")
            exit(1)
        }
    }

    /// Answers GET over TLS with the number of bytes in the path.
    private static func serveSecurely(_ file: String) async throws -> Never {
        let block = [UInt8](repeating: 0x61, count: 256 << 10)
        let server = try await HTTPTestServer.start(tls: .selfIssued) { request in
            let count = Int(request.path.dropFirst()) ?? 0
            return .stream { writer in
                var left = count
                while left > 0 {
                    try await writer.write(Array(block.prefix(left)))
                    left -= min(left, block.count)
                }
            }
        }
        try TestFileSystem.write(server.certificateAuthorityPEM, to: file)
        let port: Substring? = server.url.split(separator: ":").last
        print(port ?? "")
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    private static func run(bytes: Int) async throws {
        let directory = try TemporaryDirectory()
        let files = (port: "\(directory.path)/port", tls: "\(directory.path)/tls")
        let authority = "\(directory.path)/authority"
        let program = "/proc/\(getpid())/exe"
        let server = try ChildProcess([program, "serve"], output: files.port)
        defer { server.stop() }
        let secure = try ChildProcess([program, "serve-tls", authority], output: files.tls)
        defer { secure.stop() }
        let footprint = try Footprint(
            origin: "http://127.0.0.1:\(try await port(in: files.port, of: server))",
            secureOrigin: "https://127.0.0.1:\(try await port(in: files.tls, of: secure))",
            authority: TestFileSystem.contents(of: authority) ?? [],
            directory: directory,
            storing: bytes
        )
        let (cache, storage) = (footprint.cachingClient, footprint.storingClient)
        let transfers: [(String, (Int) async throws -> Void)] = [
            ("discarded body", footprint.discard),
            ("download", { try await footprint.download($0) }),
            ("download in parts", { try await footprint.download($0, in: .upTo(4)) }),
            ("download over TLS", { try await footprint.download($0, isSecure: true) }),
            ("download to a cache", { try await footprint.download($0, by: cache, .miss) }),
            ("download from a cache", { try await footprint.download($0, by: cache, .hit) }),
            ("download to a storage", { try await footprint.download($0, by: storage, .miss) }),
            ("download from a storage", { try await footprint.download($0, by: storage, .hit) }),
            ("upload", footprint.upload),
        ]
        // The first transfers allocate what code, buffers and connections need once.
        for (_, transfer) in transfers { try await transfer(32 << 20) }
        var rises: [String] = []
        for (name, transfer) in transfers {
            let rise = try await measured(name) { try await transfer(bytes) }
            rises.append("\(rise) KiB (\(name))")
        }
        print(
            "check: \(bytes >> 20) MiB each; of \(bound) KiB, resident memory rose by "
                + rises.joined(separator: ", ")
        )
    }

    private init(
        origin: String,
        secureOrigin: String,
        authority: [UInt8],
        directory: TemporaryDirectory,
        storing bytes: Int
    ) throws {
        self.origin = origin
        self.secureOrigin = secureOrigin
        self.directory = directory
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .direct
        configuration.security.trust = .pem(authority)
        client = HTTPClient(configuration)
        // A response of an eighth of the limit can be stored.
        let cache = try HTTPCache(directory: "\(directory.path)/cache", maxBytes: 16 * bytes)
        cachingClient = client.with { $0.cache = .cache(cache) }
        let storage = FileStorage(path: "\(directory.path)/storage")
        TestFileSystem.makeDirectory(storage.path)
        let storing = HTTPCache(storage: storage, maxBytes: 16 * bytes)
        storingClient = client.with { $0.cache = .cache(storing) }
    }

    /// Waits for a server process to print its port.
    private static func port(in path: String, of server: ChildProcess) async throws -> String {
        for _ in 0..<2000 where server.exitStatus == nil {
            let text = String(decoding: TestFileSystem.contents(of: path) ?? [], as: UTF8.self)
            if text.hasSuffix("\n") { return "\(text.dropLast())" }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Violation("the server did not start")
    }

    private static func measured(
        _ name: String,
        _ work: () async throws -> Void
    ) async throws -> Int {
        let before = try ResidentMemory.begin()
        try await work()
        let rise = try ResidentMemory.peak() - before
        guard rise <= bound else {
            throw Violation("the \(name) took \(rise) KiB above the \(before) KiB before it")
        }
        return rise
    }

    private func discard(_ bytes: Int) async throws {
        let response = try await client.stream("\(origin)/\(bytes)")
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        guard count == bytes else { throw Violation("\(count) bytes arrived") }
    }

    private func download(
        _ bytes: Int,
        in segments: HTTPDownloadOptions.Segments = .off,
        isSecure: Bool = false
    ) async throws {
        let path = "\(directory.path)/download"
        defer { unsafe unlink(path) }
        let request = HTTPRequest("\(isSecure ? secureOrigin : origin)/\(bytes)")
        let options = HTTPDownloadOptions(segments: segments)
        let call = request.startDownload(to: path, options: options, in: client)
        let file = try await call.onProgress { _ in }.value
        guard file.size == bytes else { throw Violation("\(file.size) bytes arrived") }
        let connections = Set(file.metrics.attempts.map(\.connectionID)).count
        guard segments == .off || bytes < 512 << 20 || connections > 1 else {
            throw Violation("the parts arrived over one connection")
        }
    }

    /// Downloads with a cache, which has stored nothing for this size, or the whole response.
    private func download(
        _ bytes: Int,
        by client: HTTPClient,
        _ outcome: HTTPResponse.CacheStatus.Outcome
    ) async throws {
        let path = "\(directory.path)/download"
        defer { unsafe unlink(path) }
        let url = "\(origin)/\(bytes)/stored"
        let file = try await client.download(url, to: path)
        guard file.size == bytes else { throw Violation("\(file.size) bytes arrived") }
        let status = file.metrics.cacheStatus
        guard status?.outcome == outcome, status?.refusal == nil else {
            throw Violation("the cache reports: \(status?.description ?? "nothing")")
        }
        if outcome == .hit { try client.cache?.removeAll() }
    }

    private func upload(_ bytes: Int) async throws {
        let path = "\(directory.path)/upload"
        defer { unsafe unlink(path) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, bytes) == 0 else {
            throw Violation("cannot create \(path): errno \(errno)")
        }
        close(descriptor)
        let request = HTTPRequest(origin, method: .post).multipart { form in
            form.add(string: "sparse", name: "kind")
            form.add(file: path, name: "file")
        }
        guard let length = request.body.length, length > bytes else {
            throw Violation("the form has no length before it is sent")
        }
        let answer = try await request.start(in: client).onProgress { _ in }.value
        guard answer.text == "\(length)" else {
            throw Violation("\(length) bytes were announced, but \(answer.text) arrived")
        }
    }
}

/// An error that describes a failed check.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) {
        description = text
    }
}

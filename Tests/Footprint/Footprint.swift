import Glibc
import HTTPClient
import Support

/// A check that the client does not hold the content that it transfers in memory.
///
///     Footprint [MIB]      default 1024 MiB each way
///     Footprint serve      the server, which the first form starts as a separate process
///
/// It downloads to a file, and uploads a sparse file in a multipart form. After a small transfer of
/// each kind, the resident memory must never rise by more than 16 MiB, whatever the size.
@main struct Footprint {
    /// The permitted rise of resident memory above that of an idle client, in KiB.
    private static let bound = 16 << 10

    private let origin: String
    private let directory: TemporaryDirectory
    private let client: HTTPClient

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            if arguments == ["serve"] { try StreamingOrigin().serve() }
            guard let mebibytes = arguments.first.map({ Int($0) }) ?? 1024, arguments.count < 2,
                mebibytes << 10 >= 4 * bound
            else {
                throw Violation("usage: Footprint [MIB], at least \(4 * bound >> 10)")
            }
            try await run(bytes: mebibytes << 20)
        } catch {
            print("footprint: FAILED: \(error)")
            exit(1)
        }
    }

    private static func run(bytes: Int) async throws {
        let directory = try TemporaryDirectory()
        let portFile = "\(directory.path)/port"
        let server = try ChildProcess(["/proc/\(getpid())/exe", "serve"], output: portFile)
        defer { server.stop() }
        let footprint = Footprint(
            origin: try await port(in: portFile, of: server),
            directory: directory
        )
        // The first transfers allocate what code, buffers and connections need once.
        try await footprint.download(bytes: 4 << 20)
        try await footprint.upload(bytes: 4 << 20)
        let rise = [
            try await measured("download") { try await footprint.download(bytes: bytes) },
            try await measured("upload") { try await footprint.upload(bytes: bytes) },
        ]
        print(
            "check: \(bytes >> 20) MiB each way; resident memory rose by \(rise[0]) KiB for the"
                + " download and \(rise[1]) KiB for the upload, of \(bound)"
        )
    }

    private init(origin: String, directory: TemporaryDirectory) {
        self.origin = origin
        self.directory = directory
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .direct
        client = HTTPClient(configuration)
    }

    /// Waits for the server process to print its port, and returns its URL.
    private static func port(in path: String, of server: ChildProcess) async throws -> String {
        for _ in 0..<2000 where server.exitStatus == nil {
            let text = String(decoding: TestFileSystem.contents(of: path) ?? [], as: UTF8.self)
            if text.hasSuffix("\n") { return "http://127.0.0.1:\(text.dropLast())" }
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

    private func download(bytes: Int) async throws {
        let path = "\(directory.path)/download"
        defer { unsafe unlink(path) }
        let request = HTTPRequest("\(origin)/\(bytes)")
        let file = try await request.startDownload(to: path, in: client).onProgress { _ in }.value
        guard file.size == bytes else { throw Violation("\(file.size) bytes arrived") }
    }

    private func upload(bytes: Int) async throws {
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

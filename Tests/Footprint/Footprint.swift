import Glibc
import HTTPClient
import Support

/// Checks that what is moved through the client does not lie in its memory.
///
///     Footprint [MIB]      default 1024 MiB each way
///     Footprint serve      the other end, which the first form starts as a process of its own
///
/// Downloads to a file, and uploads a sparse file in a multipart form. Behind a small one of each, the
/// resident memory may not rise by more than 16 MiB at any moment, whatever the size.
@main struct Footprint {
    /// How far the resident memory may rise above what an idle client takes, in KiB.
    private static let bound = 16 << 10

    private let origin: String
    private let folder: TemporaryFolder
    private let client: HTTPClient

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            if arguments == ["serve"] { try StreamingOrigin().serve() }
            guard let mebibytes = arguments.first.map({ Int($0) }) ?? 1024, arguments.count < 2,
                mebibytes << 10 >= 4 * bound
            else {
                throw Violation("say how many MiB, \(4 * bound >> 10) or more, or nothing")
            }
            try await run(octets: mebibytes << 20)
        } catch {
            print("footprint: FAILED: \(error)")
            exit(1)
        }
    }

    private static func run(octets: Int) async throws {
        let folder = try TemporaryFolder()
        let said = "\(folder.path)/port"
        let server = try ChildProcess(["/proc/\(getpid())/exe", "serve"], output: said)
        defer { server.stop() }
        let footprint = Footprint(origin: try await port(in: said, of: server), folder: folder)
        // What code, buffers and connections take once is there afterwards.
        try await footprint.download(octets: 4 << 20)
        try await footprint.upload(octets: 4 << 20)
        let rise = [
            try await measured("download") { try await footprint.download(octets: octets) },
            try await measured("upload") { try await footprint.upload(octets: octets) },
        ]
        print(
            "check: \(octets >> 20) MiB each way; resident memory rose by \(rise[0]) KiB for the"
                + " download and \(rise[1]) KiB for the upload, of \(bound)"
        )
    }

    private init(origin: String, folder: TemporaryFolder) {
        self.origin = origin
        self.folder = folder
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .direct
        client = HTTPClient(configuration)
    }

    /// Waits for the other process to say where it listens.
    private static func port(in path: String, of server: ChildProcess) async throws -> String {
        for _ in 0..<2000 where server.exitStatus == nil {
            let text = String(decoding: Folder.contents(of: path) ?? [], as: UTF8.self)
            if text.hasSuffix("\n") { return "http://127.0.0.1:\(text.dropLast())" }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Violation("the other end did not start")
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

    private func download(octets: Int) async throws {
        let path = "\(folder.path)/download"
        defer { unsafe unlink(path) }
        let request = HTTPRequest("\(origin)/\(octets)")
        let file = try await request.runDownload(to: path, in: client).onProgress { _ in }.value
        guard file.size == octets else { throw Violation("\(file.size) octets came") }
    }

    private func upload(octets: Int) async throws {
        let path = "\(folder.path)/upload"
        defer { unsafe unlink(path) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, octets) == 0 else {
            throw Violation("cannot make \(path): errno \(errno)")
        }
        close(descriptor)
        let request = HTTPRequest(origin, method: .post).multipart { form in
            form.add(string: "sparse", name: "kind")
            form.add(file: path, name: "file")
        }
        guard let length = request.body.length, length > octets else {
            throw Violation("the form does not know its length before it is sent")
        }
        let answer = try await request.run(in: client).onProgress { _ in }.value
        guard answer.text == "\(length)" else {
            throw Violation("\(length) octets were announced, and \(answer.text) came")
        }
    }
}

/// Says what is not as it has to be.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) {
        description = text
    }
}

import AsyncHTTPClient
import Glibc
import NIOCore
import NIOFileSystem
import NIOSSL
import Synchronization

// AsyncHTTPClient with the arguments of `floor` and `http-bench`: ahc get|close|down|save|up URL N C.
// Each of C tasks uses one connection. Bodies are collected, discarded piece by piece, or written to
// the file SAVE by the delegate for files; up sends the file UPLOAD. CA=file trusts only that file;
// VERIFY=0 verifies nothing. It prints the line that `floor` prints. Each task first sends 3
// requests that are not counted.

let arguments = CommandLine.arguments
guard arguments.count >= 5, let count = Int(arguments[3]), let tasks = Int(arguments[4]) else {
    print("usage: ahc get|close|down|save|up URL N C")
    exit(2)
}
let (mode, url) = (arguments[1], arguments[2])

var configuration = HTTPClient.Configuration()
configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = tasks
configuration.httpVersion = .http1Only
var tls = TLSConfiguration.makeClientConfiguration()
if let file = getenv("CA") { tls.trustRoots = .file(String(cString: file)) }
if let verify = getenv("VERIFY"), verify[0] == 0x30 { tls.certificateVerification = .none }
configuration.tlsConfiguration = tls
let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)

func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

func usage() -> rusage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage
}

func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

struct Refused: Error {}

func request(
    _ client: HTTPClient,
    _ mode: String,
    _ url: String,
    isWarmUp: Bool
) async throws -> Int {
    switch mode {
    case "save" where !isWarmUp: return try await save(client, url)
    case "up" where !isWarmUp: return try await upload(client, url)
    default: break
    }
    var request = HTTPClientRequest(url: url)
    if isWarmUp, mode == "down" || mode == "save" { request.method = .HEAD }
    if mode == "close" { request.headers.add(name: "Connection", value: "close") }
    let response = try await client.execute(request, timeout: .seconds(60))
    guard response.status == .ok else { throw Refused() }
    guard mode == "down" else {
        return try await response.body.collect(upTo: 1 << 30).readableBytes
    }
    var bytes = 0
    for try await piece in response.body { bytes += piece.readableBytes }
    return bytes
}

/// Writes the body to a new file SAVE.
func save(_ client: HTTPClient, _ url: String) async throws -> Int {
    guard let path = getenv("SAVE").map({ String(cString: $0) }) else { throw Refused() }
    // The delegate does not shorten a file that is there.
    unlink(path)
    let progress = try await client.execute(
        request: HTTPClient.Request(url: url),
        delegate: FileDownloadDelegate(path: path)
    ).get()
    guard progress.head.status == .ok else { throw Refused() }
    return progress.receivedBytes
}

/// Sends the file UPLOAD.
func upload(_ client: HTTPClient, _ url: String) async throws -> Int {
    guard let path = getenv("UPLOAD").map({ String(cString: $0) }) else { throw Refused() }
    return try await FileSystem.shared.withFileHandle(forReadingAt: FilePath(path)) { file in
        let size = try await file.info().size
        var request = HTTPClientRequest(url: url)
        request.method = .PUT
        request.body = .stream(file.readChunks(), length: .known(size))
        let response = try await client.execute(request, timeout: .seconds(60))
        guard (200..<300).contains(response.status.code) else { throw Refused() }
        _ = try await response.body.collect(upTo: 1 << 20)
        return Int(size)
    }
}

struct Totals {
    var bytes = 0
    var errors = 0
    var nanoseconds: [Int64] = []
}

let remaining = Atomic(count)

/// Runs `each` in this many tasks until no work is left.
func run(_ rounds: Int?) async -> Totals {
    await withTaskGroup(of: Totals.self) { group in
        for _ in 0..<tasks {
            group.addTask { [client, mode, url] in
                var part = Totals()
                var made = 0
                while rounds.map({ made < $0 })
                    ?? (remaining.subtract(1, ordering: .relaxed).newValue >= 0)
                {
                    made += 1
                    let start = monotonic()
                    do {
                        part.bytes += try await request(client, mode, url, isWarmUp: rounds != nil)
                    } catch {
                        print("ahc: \(error)")
                        part.errors += 1
                    }
                    part.nanoseconds.append(monotonic() - start)
                }
                return part
            }
        }
        return await group.reduce(into: Totals()) {
            $0.bytes += $1.bytes
            $0.errors += $1.errors
            $0.nanoseconds += $1.nanoseconds
        }
    }
}

func percentile(_ part: Double, of sorted: [Int64]) -> Double {
    Double(sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]) / 1e3
}

/// Measures, prints the line, and ends the process.
func measure() async {
    _ = await run(3)
    let (before, start) = (usage(), monotonic())
    var totals = await run(nil)
    let (end, after) = (monotonic(), usage())
    totals.nanoseconds.sort()

    let user = seconds(after.ru_utime) - seconds(before.ru_utime)
    let system = seconds(after.ru_stime) - seconds(before.ru_stime)
    let wall = Double(end - start) / 1e9
    print(
        "peer=ahc-\(mode) n=\(count) c=\(tasks) wall_s=\(wall) rps=\(Double(count) / wall)",
        "p50_us=\(percentile(0.5, of: totals.nanoseconds))",
        "p99_us=\(percentile(0.99, of: totals.nanoseconds))",
        "user_us_per_req=\(user * 1e6 / Double(count)) sys_us_per_req=\(system * 1e6 / Double(count))",
        "cpu_s=\(user + system) maxrss_kib=\(after.ru_maxrss)",
        "bytes=\(totals.bytes) errors=\(totals.errors)"
    )
    do {
        try await client.shutdown()
    } catch {
        print("ahc: \(error)")
        exit(1)
    }
    exit(totals.errors > 0 ? 1 : 0)
}

// An asynchronous main function would end the first thread, and valgrind fails when that happens.
Task.detached { await measure() }
while true { pause() }

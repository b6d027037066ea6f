import Foundation
import FoundationNetworking
import Synchronization

// URLSession of swift-corelibs-foundation with the arguments of `floor` and `http-bench`:
// urlsession get|down|save|up URL N C. C tasks share one session. save moves the file of a download
// task to SAVE, and up sends the file UPLOAD. It trusts what is installed on the system, so it has no
// mode with TLS. Each task first sends 3 requests that are not counted. It prints the line that
// `floor` prints.

let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[3]), let tasks = Int(arguments[4]), count > 0,
    tasks > 0,
    ["get", "down", "save", "up"].contains(arguments[1]), let url = URL(string: arguments[2])
else {
    print("usage: urlsession get|down|save|up URL N C")
    exit(2)
}
let mode = arguments[1]
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = tasks
configuration.urlCache = nil
let saved = getenv("SAVE").map { String(cString: $0) }
let sent = getenv("UPLOAD").map { String(cString: $0) }
// A download task writes into the folder for temporary files: in that of SAVE, the move copies nothing.
if mode == "save", let saved { setenv("TMPDIR", (saved as NSString).deletingLastPathComponent, 1) }
let session = URLSession(configuration: configuration)

func usage() -> rusage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage
}

func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

struct Refused: Error {}

/// Sends a request and returns the length of the body, which URLSession always collects.
func send(_ method: String) async throws -> Int {
    var request = URLRequest(url: url)
    request.httpMethod = method
    let (body, response) = try await session.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Refused() }
    return body.count
}

/// Saves the body in the file SAVE.
func save() async throws -> Int {
    let (file, response) = try await session.download(from: url)
    guard let saved, (response as? HTTPURLResponse)?.statusCode == 200 else { throw Refused() }
    unlink(saved)
    try FileManager.default.moveItem(atPath: file.path, toPath: saved)
    return try size(of: saved)
}

/// Sends the file UPLOAD.
func upload() async throws -> Int {
    guard let sent else { throw Refused() }
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    let (_, response) = try await session.upload(for: request, fromFile: URL(fileURLWithPath: sent))
    guard let status = (response as? HTTPURLResponse)?.statusCode, 200..<300 ~= status else {
        throw Refused()
    }
    return try size(of: sent)
}

func size(of path: String) throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
}

struct Totals {
    var bytes = 0
    var errors = 0
    var times: [Duration] = []
}

let remaining = Atomic(count)

/// Runs the tasks until no work is left; with `rounds`, each sends that many requests.
func run(_ method: String, _ rounds: Int?) async -> Totals {
    await withTaskGroup(of: Totals.self) { group in
        for _ in 0..<tasks {
            group.addTask {
                var part = Totals()
                var made = 0
                while rounds.map({ made < $0 })
                    ?? (remaining.subtract(1, ordering: .relaxed).newValue >= 0)
                {
                    made += 1
                    let start = ContinuousClock.now
                    do {
                        switch (mode, rounds) {
                        case ("save", nil): part.bytes += try await save()
                        case ("up", nil): part.bytes += try await upload()
                        default: part.bytes += try await send(method)
                        }
                        part.times.append(.now - start)
                    } catch {
                        print("urlsession: \(error)")
                        part.errors += 1
                    }
                }
                return part
            }
        }
        return await group.reduce(into: Totals()) {
            $0.bytes += $1.bytes
            $0.errors += $1.errors
            $0.times += $1.times
        }
    }
}

func percentile(_ part: Double, of times: [Duration]) -> Double {
    times.isEmpty ? 0 : times[Int(part * Double(times.count))] / Duration.microseconds(1)
}

/// Measures, prints the line, and ends the process.
func measure() async {
    guard await run(mode == "down" || mode == "save" ? "HEAD" : "GET", 3).errors == 0 else {
        print("urlsession: the warm-up failed")
        exit(1)
    }
    let (before, start) = (usage(), ContinuousClock.now)
    var totals = await run("GET", nil)
    let (wall, after) = ((ContinuousClock.now - start) / Duration.seconds(1), usage())
    totals.times.sort()

    let user = seconds(after.ru_utime) - seconds(before.ru_utime)
    let system = seconds(after.ru_stime) - seconds(before.ru_stime)
    print(
        "peer=urlsession-\(mode) n=\(count) c=\(tasks) wall_s=\(wall) rps=\(Double(count) / wall)",
        "p50_us=\(percentile(0.5, of: totals.times)) p99_us=\(percentile(0.99, of: totals.times))",
        "user_us_per_req=\(user * 1e6 / Double(count)) sys_us_per_req=\(system * 1e6 / Double(count))",
        "cpu_s=\(user + system) maxrss_kib=\(after.ru_maxrss) bytes=\(totals.bytes) errors=\(totals.errors)"
    )
    exit(totals.errors > 0 ? 1 : 0)
}

// An asynchronous main function would end the first thread, and valgrind fails when that happens.
Task.detached { await measure() }
while true { pause() }

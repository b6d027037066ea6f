import CMemory
import Dispatch
import Glibc
@_spi(Measuring) import HTTPClient
import Synchronization

enum Mode: String, Sendable {
    case get
    /// As `get`, but each request is created from its text, and only a success status counts.
    case fetch
    /// As `get`, but only the engine's part of a call.
    case bare
    case close
    /// Sends each request to the next of 10 000 origins, whose ports begin with that of the URL.
    case origins
    /// Opens C connections, and measures them while they are idle.
    case idle
    case down
    case save
    /// Downloads one file in parts.
    case segments
    case up
    /// Streams of records: Server-Sent Events, lines, and NDJSON.
    case events
    case lines
    case json
}

/// The executor or thread of the calls.
enum CallPath: Sendable {
    case globalExecutor
    case loop
    case blocking
}

/// A benchmark run, which sends the requests and prints the line.
final class Bench: Sendable {
    let mode: Mode
    let url: String
    let count: Int
    let concurrency: Int
    let path: CallPath
    let client: HTTPClient
    let request: HTTPRequest
    private let prepared: PreparedRequest
    /// The requests of mode origins.
    private let requests: [HTTPRequest]
    /// The number of requests of mode origins that have been started.
    private let started = Atomic(0)
    /// The number of requests that have not been started.
    private let remaining: Atomic<Int>
    private let totals = Mutex(Totals())
    private let idleConnections: IdleConnections
    /// The result of mode idle.
    private let idleFigures = Mutex<IdleFigures?>(nil)

    struct Totals: Sendable {
        var nanoseconds: [Int64] = []
        var bytes: UInt64 = 0
        var errors = 0

        mutating func add(_ other: Totals) {
            nanoseconds += other.nanoseconds
            bytes += other.bytes
            errors += other.errors
        }
    }

    init(mode: Mode, url: String, count: Int, concurrency: Int, path: CallPath) {
        self.mode = mode
        self.url = url
        self.count = count
        self.concurrency = concurrency
        self.path = path
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = concurrency
        configuration.maxConnections = max(256, concurrency)
        configuration.collectLimit = 1 << 30
        if mode == .close { configuration.connectionReuse = .off }
        if let file = environment("CA") { configuration.security.trust = .file(file) }
        if environment("RESUME") == "0" { configuration.security.resumption = .off }
        if environment("POLICIES") == "1" { addPolicies(to: &configuration.settings) }
        if environment("INTERCEPTOR") == "1" {
            configuration.settings.interceptors = [PassingInterceptor()]
        }
        if let cache = environment("CACHE") { configuration.cache = Self.cache(cache) }
        if environment("VERIFY") == "0" { configuration.security.verification = .disabled }
        client = HTTPClient(configuration)
        let plain = HTTPRequest(url)
        request = environment("WATCH") == "1" ? plain.onProgress { _ in } : plain
        do throws(HTTPError) {
            prepared = try client.prepared(request)
        } catch {
            fail("\(error)")
        }
        requests = mode == .origins ? Self.requests(from: url) : []
        remaining = Atomic(count)
        idleConnections = IdleConnections(client: client, request: request, count: count)
    }

    /// Returns a cache in memory, or an empty one in a directory.
    private static func cache(_ place: String) -> HTTPCache.Setting {
        guard place != "memory" else { return .memory() }
        do throws(HTTPError) {
            let cache = try HTTPCache(directory: place)
            try cache.removeAll()
            return .cache(cache)
        } catch {
            fail("\(error)")
        }
    }

    /// Returns a request to each of the 10 000 origins.
    private static func requests(from url: String) -> [HTTPRequest] {
        guard let uri = try? URI(url), let port = uri.port, port + 9_999 <= 65_535 else {
            fail("the URL of mode origins has a port up to 55536")
        }
        return (0..<10_000).map { HTTPRequest("http://\(uri.host ?? ""):\(port + $0)/") }
    }

    func run() {
        let (start, end, before, after): (Int64, Int64, rusage, rusage)
        switch path {
        case .blocking: (start, end, before, after) = runBlocking()
        case .globalExecutor, .loop: (start, end, before, after) = runAsync()
        }
        report(wall: end - start, before, after)
    }

    // MARK: - Running

    private func runAsync() -> (Int64, Int64, rusage, rusage) {
        let executor: (any TaskExecutor)? = path == .loop ? client.executor : nil
        let marks = Mutex<(Int64, Int64, rusage, rusage)>((0, 0, rusage(), rusage()))
        let done = DispatchSemaphore(value: 0)
        Task.detached { [self] in
            await warmUp(executor)
            let allocated = allocated_bytes()
            let (before, start) = (resourceUse(), monotonic())
            await runTasks(executor) { bench in await bench.work() }
            let (end, after) = (monotonic(), resourceUse())
            if mode == .idle {
                let figures = await idleConnections.figures(allocatedBefore: allocated)
                idleFigures.withLock { $0 = figures }
            }
            marks.withLock { $0 = (start, end, before, after) }
            done.signal()
        }
        done.wait()
        return marks.withLock { $0 }
    }

    /// Sends requests that are not counted: three for each connection, and with large bodies three without one.
    ///
    /// Their errors are not counted either: the requests that count meet the same ones.
    private func warmUp(_ executor: (any TaskExecutor)?) async {
        switch mode {
        case .idle:
            _ = try? await client.send(request)
        case .down, .save, .segments, .up:
            var head = request
            head.method = mode == .up ? .get : .head
            for _ in 0..<3 { _ = try? await client.send(head) }
        default:
            await runTasks(executor) { bench in
                for _ in 0..<3 { _ = await bench.sendOne() }
                return Totals()
            }
            guard environment("CACHE") ?? "memory" != "memory" else { return }
            // A store reads the metadata of a file again until its last change is more than two seconds ago.
            try? await Task.sleep(for: .seconds(4))
            await runTasks(executor) { bench in
                for _ in 0..<3 { _ = await bench.sendOne() }
                return Totals()
            }
        }
    }

    private func runTasks(
        _ executor: (any TaskExecutor)?,
        _ body: @escaping @Sendable (Bench) async -> Totals
    ) async {
        await withTaskGroup(of: Totals.self) { group in
            // The connections of a download in parts belong to one call.
            for _ in 0..<(mode == .segments ? 1 : concurrency) {
                group.addTask(executorPreference: executor) { await body(self) }
            }
            for await part in group { totals.withLock { $0.add(part) } }
        }
    }

    private nonisolated(nonsending) func work() async -> Totals {
        var part = Totals()
        part.nanoseconds.reserveCapacity(count / concurrency + 1)
        while remaining.subtract(1, ordering: .relaxed).newValue >= 0 {
            let start = monotonic()
            switch await sendOne() {
            case .some(let bytes): part.bytes += bytes
            case .none: part.errors += 1
            }
            part.nanoseconds.append(monotonic() - start)
        }
        return part
    }

    /// Sends one request and returns the bytes of its body; nil when it failed.
    private nonisolated(nonsending) func sendOne() async -> UInt64? {
        do throws(HTTPError) {
            switch mode {
            case .get, .close:
                let response = try await client.send(request)
                guard response.status == .ok else { return nil }
                return UInt64(response.body.count)
            case .origins:
                let number = started.add(1, ordering: .relaxed).oldValue
                let response = try await client.send(requests[number % requests.count])
                guard response.status == .ok else { return nil }
                return UInt64(response.body.count)
            case .idle:
                return try await idleConnections.open()
            case .fetch:
                return UInt64(try await HTTPRequest(url).send(in: client).body.count)
            case .bare:
                return UInt64(try await client.exchange(prepared))
            case .down:
                let response = try await client.stream(request)
                guard response.status == .ok else { return nil }
                var bytes: UInt64 = 0
                for try await chunk in response.body { bytes += UInt64(chunk.count) }
                return bytes
            case .events, .lines, .json:
                return try await readRecords()
            case .save:
                return try await save()
            case .segments:
                return try await download()
            case .up:
                return try await upload()
            }
        } catch {
            printError("\(error)")
            return nil
        }
    }

    /// Reads the records of a body; returns the bytes of their text, or for JSON the number of values.
    private nonisolated(nonsending) func readRecords() async throws(HTTPError) -> UInt64 {
        let response = try await client.stream(request)
        var sum: UInt64 = 0
        switch mode {
        case .events:
            for try await event in response.events() { sum += UInt64(event.data.utf8.count) }
        case .lines:
            for try await line in response.lines() { sum += UInt64(line.utf8.count) }
        default:
            for try await value in response.jsonRecords() { sum += value.isNull ? 0 : 1 }
        }
        return sum
    }

    /// Reads the records of a body on the calling thread; returns the same as `readRecords`.
    private func readRecordsBlocking() throws(HTTPError) -> UInt64 {
        let response = try client.blocking.stream(request)
        var sum: UInt64 = 0
        switch mode {
        case .events:
            let events = response.events().blocking
            while let event = try events.next() { sum += UInt64(event.data.utf8.count) }
        case .lines:
            let lines = response.lines().blocking
            while let line = try lines.next() { sum += UInt64(line.utf8.count) }
        default:
            let values = response.jsonRecords().blocking
            while let value = try values.next() { sum += value.isNull ? 0 : 1 }
        }
        return sum
    }

    private func sendBlocking() throws(HTTPError) -> UInt64? {
        switch mode {
        case .events, .lines, .json: return try readRecordsBlocking()
        case .down:
            let response = try client.blocking.stream(request)
            guard response.status == .ok else { return nil }
            let body = response.body.blocking
            var bytes: UInt64 = 0
            while let chunk = try body.next() { bytes += UInt64(chunk.count) }
            return bytes
        default:
            let response = try client.blocking.send(request)
            return response.status == .ok ? UInt64(response.body.count) : nil
        }
    }

    private nonisolated(nonsending) func save() async throws(HTTPError) -> UInt64? {
        guard let target = environment("SAVE") else { fail("SAVE names no file") }
        let response = try await client.stream(request)
        guard response.status == .ok else { return nil }
        return UInt64(try await response.write(to: target).size)
    }

    private nonisolated(nonsending) func download() async throws(HTTPError) -> UInt64 {
        guard let target = environment("SAVE") else { fail("SAVE names no file") }
        var options = HTTPDownloadOptions()
        options.segments = .upTo(concurrency)
        options.syncPolicy = .never
        return UInt64(try await client.download(request, to: target, options: options).size)
    }

    private nonisolated(nonsending) func upload() async throws(HTTPError) -> UInt64? {
        guard let path = environment("UPLOAD") else { fail("UPLOAD names no file") }
        var upload = request.body(.file(path))
        upload.method = .put
        let response = try await client.send(upload)
        guard response.status.kind == .successful else { return nil }
        return UInt64(response.metrics.attempts.last?.bodyBytesSent ?? 0)
    }

    private func runBlocking() -> (Int64, Int64, rusage, rusage) {
        switch mode {
        case .get, .close, .down, .events, .lines, .json: break
        default: fail("--blocking is for get, close, down and records")
        }
        onThreads {
            var head = self.request
            head.method = .head
            for _ in 0..<3 {
                if self.mode == .down {
                    _ = try? self.client.blocking.send(head)
                } else {
                    _ = try? self.sendBlocking()
                }
            }
        }
        let (before, start) = (resourceUse(), monotonic())
        onThreads {
            var part = Totals()
            while self.remaining.subtract(1, ordering: .relaxed).newValue >= 0 {
                let start = monotonic()
                do {
                    if let bytes = try self.sendBlocking() {
                        part.bytes += bytes
                    } else {
                        part.errors += 1
                    }
                } catch {
                    printError("\(error)")
                    part.errors += 1
                }
                part.nanoseconds.append(monotonic() - start)
            }
            self.totals.withLock { $0.add(part) }
        }
        return (start, monotonic(), before, resourceUse())
    }

    private func onThreads(_ body: @escaping @Sendable () -> Void) {
        guard concurrency > 1 else {
            body()
            return
        }
        DispatchQueue.concurrentPerform(iterations: concurrency) { _ in body() }
    }

    // MARK: - Reporting

    private func report(wall: Int64, _ before: rusage, _ after: rusage) {
        var totals = totals.withLock { $0 }
        totals.nanoseconds.sort()
        let user = seconds(after.ru_utime) - seconds(before.ru_utime)
        let system = seconds(after.ru_stime) - seconds(before.ru_stime)
        print(
            "peer=httpclient-\(mode.rawValue) n=\(count) c=\(concurrency)",
            "wall_s=\(fixed(Double(wall) / 1e9, 4))",
            "rps=\(fixed(Double(count) / (Double(wall) / 1e9), 0))",
            "p50_us=\(fixed(percentile(totals.nanoseconds, 0.50), 1))",
            "p99_us=\(fixed(percentile(totals.nanoseconds, 0.99), 1))",
            "user_us_per_req=\(fixed(user * 1e6 / Double(count), 2))",
            "sys_us_per_req=\(fixed(system * 1e6 / Double(count), 2))",
            "cpu_s=\(fixed(user + system, 3))",
            "maxrss_kib=\(after.ru_maxrss)",
            "bytes=\(totals.bytes) errors=\(totals.errors)",
            idleFigures.withLock { figures in
                figures.map {
                    "idle_kib=\(fixed($0.kibibytes, 2)) idle_cpu_ms=\(fixed($0.cpuMilliseconds, 2))"
                }
                    ?? ""
            }
        )
        if totals.errors > 0 { exit(1) }
    }

    private func percentile(_ sorted: [Int64], _ part: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let index = min(sorted.count - 1, Int(part * Double(sorted.count)))
        return Double(sorted[index]) / 1e3
    }
}

/// Writes a line on standard error.
func printError(_ message: String) {
    let line = Array("http-bench: \(message)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

private func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

func resourceUse() -> rusage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage
}

func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
}

/// Adds the policies of a typical service: a default validator, a jar with a cookie for the server,
/// and an observer.
private func addPolicies(to settings: inout HTTPClient.Settings) {
    let jar = CookieJar()
    if let cookie = Cookie("session", "0123456789abcdef", domain: "127.0.0.1") { jar.set(cookie) }
    settings.cookies = .jar(jar)
    settings.validators = [HTTPDefaultValidator(accepting: .successful)]
    settings.observers = [CountingObserver()]
}

private final class CountingObserver: HTTPObserver {
    private let steps = Atomic(0)

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        steps.wrappingAdd(1, ordering: .relaxed)
    }
}

/// An interceptor that changes nothing.
private struct PassingInterceptor: HTTPInterceptor {
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult { try await next(request) }
}

private func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// Formats a number with this many decimal places.
private func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int64((value * scale).rounded())
    guard digits > 0 else { return String(whole) }
    let fraction = String(abs(whole % Int64(scale)))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(whole / Int64(scale)).\(zeros)\(fraction)"
}

import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing
import Wire

/// Compares the cache with a simple model in random histories of requests.
///
/// `CACHE_HISTORIES` sets the number of histories (default 1000), and `CACHE_SEED` the first seed (default 1).
/// `CACHE_HISTORIES=1 CACHE_SEED=…` repeats a failing history.
@Suite(.timeLimit(.minutes(10))) struct CacheHistoryTests {
    @Test func `random histories agree with the model of a private cache`() async throws {
        let first = number("CACHE_SEED") ?? 1
        let count = number("CACHE_HISTORIES") ?? 1000
        let results = await withTaskGroup(of: LaneResult.self) { group in
            for lane in 0..<2 {
                group.addTask { await run(first, count, lane: lane, of: 2, .memory) }
            }
            // The rules do not depend on the store, so a tenth shows that it keeps what they need.
            for place in [HistoryPlayer.Place.directory, .storage] {
                group.addTask { await run(first, max(count / 10, 1), lane: 0, of: 1, place) }
            }
            return await group.reduce(into: LaneResult()) { $0.add($1) }
        }
        for failure in results.failures { Issue.record("\(failure)") }
        print("cache histories: \(count), \(results.tally.sorted { $0.key < $1.key })")
        guard count >= 300 else { return }
        // An outcome that never occurs is not tested.
        for outcome in [
            "hit", "staleHit", "revalidated", "miss", "bypassed", "unavailable", "error",
        ] {
            #expect(results.tally[outcome, default: 0] > 0, "\(outcome)")
        }
    }

    private func number(_ name: String) -> Int? {
        Environment.variable(name).flatMap { Int($0) }
    }
}

private struct LaneResult: Sendable {
    var failures: [String] = []
    var tally: [String: Int] = [:]

    mutating func add(_ other: LaneResult) {
        failures += other.failures
        tally.merge(other.tally, uniquingKeysWith: +)
    }
}

/// Runs every seed of a lane; stops after three failures.
private func run(
    _ first: Int,
    _ count: Int,
    lane: Int,
    of lanes: Int,
    _ place: HistoryPlayer.Place
) async -> LaneResult {
    let player = HistoryPlayer(place)
    var result = LaneResult()
    for seed in stride(from: first + lane, to: first + count, by: lanes) {
        let history = CacheHistory(seed: UInt64(seed))
        guard let failure = await player.failure(of: history) else { continue }
        let shorter = await player.shortened(history)
        let text = await player.failure(of: shorter) ?? "the shorter history passes"
        result.failures.append("seed \(seed), \(place):\n\(failure)\nshorter:\n\(text)")
        if result.failures.count == 3 { break }
    }
    result.tally = player.tally
    return result
}

/// Plays histories, one after the other.
private final class HistoryPlayer {
    /// Where the responses are stored.
    enum Place: Sendable { case memory, directory, storage }

    private let place: Place
    private(set) var tally: [String: Int] = [:]
    private let time = WallClock()
    /// The clients of all histories share its thread.
    private let root: HTTPClient

    init(_ place: Place) {
        self.place = place
        var configuration = HTTPClientConfiguration()
        configuration.retries = HTTPRetryOptions(maxRetries: 0)
        configuration.redirects.mode = .refuse
        root = HTTPClient(configuration, clock: time.clock, seed: 1)
    }

    /// Returns the steps up to the first violation of the model; nil if there is none.
    func failure(of history: CacheHistory) async -> String? {
        switch place {
        case .memory: return await failure(of: history, HTTPCache())
        case .storage: return await failure(of: history, HTTPCache(storage: MemoryStorage()))
        case .directory:
            do {
                let directory = try TemporaryDirectory()
                defer { withExtendedLifetime(directory) {} }
                return await failure(of: history, try HTTPCache(directory: directory.path))
            } catch {
                return "no directory: \(error)"
            }
        }
    }

    private func failure(of history: CacheHistory, _ cache: HTTPCache) async -> String? {
        time.seconds.withLock { $0 = 1_800_000_000 }
        let origin = HistoryOrigin { [time] in time.seconds.withLock { $0 } }
        let clients = (0..<2).map { _ in
            root.with {
                $0.cache = .cache(cache)
                $0.dialer = origin
            }
        }
        var model = CacheModel()
        var log: [String] = []
        for step in history.steps {
            log.append("\(step)")
            switch step {
            case .clock(let seconds): time.seconds.withLock { $0 += seconds }
            case .origin(let path, let terms): origin.change(path, to: terms)
            case .call(let call):
                let before = origin.exchanges.count
                let response = await response(to: call, clients[call.client], origin)
                // The model learns what the background has stored, too.
                await cache.awaitRevalidations()
                let exchanges = Array(origin.exchanges[before...])
                let seen = CacheModel.Observation(response: response, exchanges: exchanges)
                tally[response.map { "\($0.outcome)" } ?? "error", default: 0] += 1
                log.append("    \(seen)")
                let now = time.seconds.withLock { $0 }
                if let violation = model.violation(of: call, seen, at: now) {
                    return (log + ["violation: \(violation.text)"]).joined(separator: "\n")
                }
            }
        }
        return nil
    }

    /// Returns a history that fails too, and of which no single step can be left out.
    func shortened(_ history: CacheHistory) async -> CacheHistory {
        var shortest = history
        var index = 0
        while index < shortest.steps.count {
            var shorter = shortest
            shorter.steps.remove(at: index)
            if await failure(of: shorter) != nil {
                (shortest, index) = (shorter, 0)
            } else {
                index += 1
            }
        }
        return shortest
    }

    private func response(
        to call: CacheCall,
        _ client: HTTPClient,
        _ origin: HistoryOrigin
    ) async -> CacheModel.Observation.Response? {
        var request = HTTPRequest(call.method, "http://origin.example/\(call.path)")
        request.cacheMode = call.mode
        if !call.control.text.isEmpty { request.headers[.cacheControl] = call.control.text }
        request.headers[.acceptLanguage] = call.language
        request.headers[.authorization] = call.user.map { "Bearer \($0)" }
        if let range = call.range { request = request.range(range) }
        if call.delivery == .collected {
            guard let response = try? await client.send(request) else { return nil }
            return .init(response.head, response.cacheStatus, body: response.body, isWhole: true)
        }
        if call.delivery == .dropped { origin.hold() }
        guard let response = try? await client.stream(request) else {
            origin.release(sendingRest: false)
            return nil
        }
        var body: [UInt8] = []
        var isWhole = true
        do {
            var pieces = response.body.makeAsyncIterator()
            // The origin does not hold an answer to a failure, because a stored response may replace it.
            let isDropped = call.delivery == .dropped && response.status.code < 500
            while let piece = try await pieces.next() {
                body += piece
                if isDropped { break }
            }
        } catch {
            isWhole = false
        }
        guard call.delivery == .dropped else {
            return .init(response.head, response.cacheStatus, body: body, isWhole: isWhole)
        }
        response.cancel()
        // What is held now is the answer to this call, or to a revalidation in the background.
        origin.release(sendingRest: response.cacheStatus?.usesStoredResponse == true)
        return .init(response.head, response.cacheStatus, body: body, isWhole: isWhole)
    }
}

extension CacheModel.Observation.Response {
    fileprivate init(
        _ head: ResponseHead,
        _ cacheStatus: HTTPResponse.CacheStatus?,
        body: [UInt8],
        isWhole: Bool
    ) {
        func number(_ name: FieldName) -> Int? { head.headers[name].flatMap { Int($0) } }
        self.init(
            status: head.status.code,
            outcome: cacheStatus?.outcome ?? .bypassed,
            age: number(.age),
            serial: number("X-Serial"),
            update: number("X-Update"),
            body: body,
            isWhole: isWhole
        )
    }
}

extension CacheModel.Observation: CustomStringConvertible {
    var description: String {
        let asked = exchanges.map { exchange in
            "[\(exchange.tag ?? exchange.changed.map { "\($0)" } ?? "")] → "
                + (exchange.answer.map { "\($0.status) #\($0.serial)" } ?? "closed")
        }
        let origin = asked.isEmpty ? "" : "; origin: \(asked.joined(separator: ", "))"
        guard let response else { return "error\(origin)" }
        let body = String(decoding: response.body, as: UTF8.self)
        return
            "\(response.status) \(response.outcome) age \(response.age ?? -1) #\(response.serial ?? 0) "
            + "update #\(response.update ?? 0) \(body)\(response.isWhole ? "" : " cut")\(origin)"
    }
}

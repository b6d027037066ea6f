#if Foundation
import HTTPClient
import HTTPClientReports
import HTTPClientTesting
import SocketTransport

extension EntryPoints {
    /// Calls with observers, recorders, a cookie jar and stubs.
    func watching(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let stubs = HTTPStubs {
            HTTPStub("http://a.test/asked") { request in .text(request.method.rawValue) }
            HTTPStub("http://a.test/busy", answers: [.status(.serviceUnavailable), .text("free")])
            HTTPStub("http://a.test/locked", answers: [.status(.locked), .text("open")])
        }
        let log = HTTPEventLog()
        let counters = HTTPCounters()
        let archive = HTTPArchiveRecorder()
        let jar = CookieJar()
        let tasks = Locked(0)
        let client = HTTPClient().with {
            $0.stubs = stubs
            $0.observers = [log, counters, archive]
            $0.cookies = .jar(jar)
            $0.validators = [
                HTTPClosureValidator { outcome, _, _ in
                    switch try? outcome.get().status {
                    case .serviceUnavailable: .retry(.afterTask { _ in tasks.withLock { $0 += 1 } })
                    case .locked:
                        .retry(
                            .afterRequest("http://a.test/asked") { _, _ in
                                tasks.withLock { $0 += 1 }
                            }
                        )
                    default: .accept
                    }
                }
            ]
        }
        jar.set("a", "1", for: try URI("http://a.test/"))
        checks["stub"] = try await client.send("http://a.test/asked").text == "GET"
        checks["after a task"] = try await client.send("http://a.test/busy").text == "free"
        checks["after a request"] = try await client.send("http://a.test/locked").text == "open"
        checks["tasks"] = tasks.withLock { $0 } == 2
        checks["calls"] = stubs.calls.count == 6
        checks["counters"] = counters.snapshot.calls == 3 && counters.snapshot.retries == 2
        checks["archive"] = !archive.encoded().isEmpty
        log.finish()
        var ended = 0
        for await event in log {
            if case .ended = event.step { ended += 1 }
        }
        checks["log"] = ended == 3
        checks["jar"] = stubs.calls.first?.request.headers[.cookie] == "a=1"
        try stubs.verifyAllUsed()
        return checks.failed
    }
}
#endif

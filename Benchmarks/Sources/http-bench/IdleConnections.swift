import CMemory
import Glibc
import HTTPClient
import Synchronization

/// What the connections of mode idle cost while they are in the pool.
struct IdleFigures: Sendable {
    /// The KiB that the process has allocated for each connection.
    var kibibytes: Double
    /// The milliseconds of CPU time that all connections take in a second.
    var cpuMilliseconds: Double
}

/// The connections of mode idle: `count` requests hold one connection each, until all have one.
final class IdleConnections: Sendable {
    private let client: HTTPClient
    private let request: HTTPRequest
    private let count: Int
    /// The number of requests that have a response or have failed.
    private let opened = Atomic(0)
    private static let measuredSeconds = 2

    init(client: HTTPClient, request: HTTPRequest, count: Int) {
        self.client = client
        self.request = request
        self.count = count
    }

    /// Sends the request of a connection, and reads its body after all others have their heads.
    nonisolated(nonsending) func open() async throws(HTTPError) -> UInt64 {
        let body: HTTPBodyStream
        do throws(HTTPError) {
            body = try await client.stream(request).body
            opened.add(1, ordering: .relaxed)
        } catch {
            opened.add(1, ordering: .relaxed)
            throw error
        }
        while opened.load(ordering: .relaxed) < count {
            try? await Task.sleep(for: .milliseconds(10))
        }
        var bytes: UInt64 = 0
        for try await chunk in body { bytes += UInt64(chunk.count) }
        return bytes
    }

    /// Measures the idle connections; `before` is the memory of the client with one connection.
    func figures(allocatedBefore before: Int) async -> IdleFigures {
        let idle = await client.pool.snapshot().idle
        guard idle > count * 9 / 10 else { fail("only \(idle) of \(count) connections are idle") }
        let kibibytes = Double(allocated_bytes() - before) / 1024 / Double(idle - 1)
        let start = resourceUse()
        try? await Task.sleep(for: .seconds(Self.measuredSeconds))
        let end = resourceUse()
        let cpu =
            seconds(end.ru_utime) - seconds(start.ru_utime) + seconds(end.ru_stime)
            - seconds(start.ru_stime)
        return IdleFigures(
            kibibytes: kibibytes,
            cpuMilliseconds: cpu * 1000 / Double(Self.measuredSeconds)
        )
    }
}

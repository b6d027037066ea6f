import HTTPClient
import HTTPTestServer
import SocketTransport
import Support

/// A server of one resource with ranges and a strong entity tag, whose responses a test can replace.
struct RangeServer: Sendable {
    /// A request for the resource.
    struct Asked: Sendable {
        /// The number of the request, from 0.
        let number: Int
        let connection: Int
        /// The bytes that it asks for; nil for the whole resource.
        let range: Range<Int>?
        /// The value of If-Range.
        let condition: String?
        let acceptEncoding: String?
    }

    let server: HTTPTestServer
    private let log: Log

    private final class Log: Sendable {
        let asked = Locked<[Asked]>([])
    }

    var url: String { server.url + "/file" }
    var asked: [Asked] { log.asked.withLock { $0 } }
    /// The requested ranges in order of their starts; nil for the whole resource comes last.
    var ranges: [Range<Int>?] {
        let all = asked.map(\.range)
        return all.compactMap { $0 }.sorted { $0.lowerBound < $1.lowerBound }
            + all.filter { $0 == nil }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - content: the resource.
    ///   - etag: its entity tag.
    ///   - tls: the TLS setting.
    ///   - replace: returns the response to a request in place of the correct one; nil for that one.
    static func start(
        _ content: [UInt8],
        etag: String = "\"v1\"",
        tls: HTTPTestServer.TLS = .off,
        _ replace: @escaping @Sendable (Asked) async -> HTTPTestServer.Response? = { _ in nil }
    ) async throws -> RangeServer {
        let log = Log()
        let server = try await HTTPTestServer.start(tls: tls) { request in
            let asked = log.asked.withLock { asked in
                let new = Asked(
                    number: asked.count,
                    connection: request.connection,
                    range: range(of: request, content.count),
                    condition: request.headers["If-Range"],
                    acceptEncoding: request.headers["Accept-Encoding"]
                )
                asked.append(new)
                return new
            }
            if let response = await replace(asked) { return response }
            guard let range = asked.range, asked.condition ?? etag == etag else {
                return .bytes(content).header("ETag", etag)
            }
            return part(range, of: content, etag: etag)
        }
        return RangeServer(server: server, log: log)
    }

    /// Returns the response with a part.
    static func part(
        _ range: Range<Int>,
        of content: [UInt8],
        etag: String? = "\"v1\"",
        total: String? = nil
    ) -> HTTPTestServer.Response {
        let total = total ?? "\(content.count)"
        let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        let response = HTTPTestServer.Response.bytes(Array(content[range]), status: 206)
            .header("Content-Range", text)
        return etag.map { response.header("ETag", $0) } ?? response
    }

    private static func range(of request: HTTPTestServer.Request, _ size: Int) -> Range<Int>? {
        guard let text = request.headers["Range"] else { return nil }
        let ends = text.dropFirst("bytes=".count).split(separator: "-").map { Int($0) }
        guard let first = ends[0] else { return nil }
        guard ends.count == 2, let last = ends[1] else { return first..<size }
        return first..<min(last + 1, size)
    }
}

/// A point where responses wait until the test lets them continue.
final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Lets all waiting responses continue, and later ones pass.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

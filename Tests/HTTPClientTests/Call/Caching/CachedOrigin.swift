import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Wire

/// A server and clients with a cache, whose wall clock changes only when the test advances it.
final class CachedOrigin: Sendable {
    /// The wall clock in seconds since 1970.
    private let time = WallClock()
    let server: HTTPTestServer

    /// - Parameter answer: returns the response to a request; its Date is that of the clock.
    init(
        _ answer:
            @escaping @Sendable (HTTPTestServer.Request) async throws -> HTTPTestServer.Response
    ) async throws {
        server = try await HTTPTestServer.start { [time] request in
            var response = try await answer(request)
            let now = time.seconds.withLock { $0 }
            response.headers[.date] = HTTPDate(secondsSince1970: now).description
            return response
        }
    }

    /// Creates a server that answers with the number of the request, and with header fields.
    static func counting(_ headers: [FieldName: String]) async throws -> CachedOrigin {
        let number = Locked(0)
        return try await CachedOrigin { _ in
            let now = number.withLock { number in
                number += 1
                return number
            }
            return .text("\(now)", headers)
        }
    }

    /// Creates a server that redirects each path but `/new`, permanently; both responses may be stored.
    static func redirecting() async throws -> CachedOrigin {
        try await CachedOrigin { request in
            if request.path == "/new" { return .text("new", [.cacheControl: "max-age=60"]) }
            var response = HTTPTestServer.Response.redirect(to: "/new", status: .movedPermanently)
            response.headers[.cacheControl] = "max-age=60"
            return response
        }
    }

    /// Creates a client with a cache in memory.
    func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.cache = .memory()
        change(&configuration)
        return HTTPClient(configuration, clock: time.clock, seed: 1)
    }

    /// Advances the wall clock.
    func advance(_ seconds: Int) { time.seconds.withLock { $0 += seconds } }

    /// The number of requests that the server received.
    var count: Int { server.requests.count }
}

extension HTTPTestServer.Response {
    /// Returns a text with header fields.
    static func text(
        _ text: String,
        _ headers: [FieldName: String],
        status: HTTPStatus = .ok
    ) -> HTTPTestServer.Response {
        var response = HTTPTestServer.Response.text(text, status: status)
        for (name, value) in headers { response.headers[name] = value }
        return response
    }
}

import HTTPTestServer
import Synchronization

/// The origin of the service: a server that counts its requests.
final class CatalogOrigin: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// The number of requests by path.
    var requests: [String: Int] { counts.withLock { $0 } }

    func respond(to request: HTTPTestServer.Request) -> HTTPTestServer.Response {
        let number = counts.withLock { counts in
            counts[request.path, default: 0] += 1
            return counts[request.path] ?? 0
        }
        switch request.path {
        case "/products":
            // Slow, so that the simultaneous requests of the service arrive in the meantime.
            return .text("tea, coffee").header(.cacheControl, "max-age=60")
                .delayed(by: .milliseconds(300))
        case "/prices":
            // The first version is stale at once, and may be used for a minute while it is validated.
            return .text("tea 2.4\(number)").header(.etag, "\"\(number)\"")
                .header(
                    .cacheControl,
                    number == 1 ? "max-age=0, stale-while-revalidate=60" : "max-age=60"
                )
        case "/stock":
            // Each use must be confirmed, which costs a response without content.
            let response =
                request.headers[.ifNoneMatch] == "\"s\""
                ? HTTPTestServer.Response.status(.notModified) : .text("tea 7")
            return response.header(.cacheControl, "no-cache").header(.etag, "\"s\"")
        default:
            return .text("order \(number)").header(.cacheControl, "no-store")
        }
    }
}

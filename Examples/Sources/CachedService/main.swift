// A service that asks its origin as rarely as the origin permits: the cache of the client is in memory. Each line has
// the path, the status of the cache (RFC 9211) and the content.
//
//     swift run --package-path Examples CachedService
import Glibc
import HTTPClient
import HTTPTestServer

let origin = CatalogOrigin()
let server = try await HTTPTestServer.start { origin.respond(to: $0) }

var configuration = try HTTPClient.Configuration(baseURL: server.url)
configuration.cache = .memory(maxBytes: 16 << 20)
let client = HTTPClient(configuration)
// Equal requests that arrive at the same time reach the origin as one.
client.cache?.coalesces = true

func get(_ path: String) async throws {
    let response = try await client.send(path)
    print("/\(path): \(response.cacheStatus?.description ?? "no cache"): \(response.text)")
}

/// Waits until the client has validated the prices in the background.
func waitForNewPrices(_ cache: HTTPCache) async throws {
    let end = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < end,
        try !cache.responses.contains(where: { $0.head.headers[.etag] == "\"2\"" })
    {
        try await Task.sleep(for: .milliseconds(5))
    }
}

do {
    // Twenty users need the products at the same time.
    let calls = (0..<20).map { _ in client.start("products") }
    var outcomes: [HTTPResponse.CacheStatus.Outcome?] = []
    for call in calls { outcomes.append(try await call.value.cacheStatus?.outcome) }
    let asked = outcomes.count { $0 == .miss }
    print("/products, 20 times: \(asked) asked the origin, \(20 - asked) used its response")
    try await get("products")

    // The second call gets the stale prices without waiting, and the third one the new prices.
    try await get("prices")
    try await get("prices")
    if let cache = client.cache { try await waitForNewPrices(cache) }
    try await get("prices")

    for path in ["stock", "stock", "order", "order"] { try await get(path) }

    if let cache = client.cache {
        let size = try cache.statistics
        print("the cache has \(size.entryCount) responses, \(size.byteCount) bytes")
    }
    let counts = origin.requests.sorted { $0.key < $1.key }
    let list = counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print("the origin received \(server.requests.count) requests: \(list)")
} catch {
    print("failed: \(error)")
    exit(1)
}

import HTTPClient
import HTTPTypes
import Logging
import ServiceLifecycle
import Tracing
import UnixSignals

// The code of the article on integrations; scripts/check-traits compares the two.

func snippets(_ client: HTTPClient, _ server: some Service, _ logger: Logger) async throws {
    var configuration = HTTPClient.Configuration()
    configuration.observers.append(HTTPLogObserver(Logger(label: "api")))
    configuration.observers.append(HTTPMetricsObserver())
    configuration.interceptors.append(HTTPTracingInterceptor())
    let group = ServiceGroup(
        services: [HTTPClientService(client), server],
        gracefulShutdownSignals: [.sigterm],
        logger: logger
    )
    try await group.run()
    let request = HTTPTypes.HTTPRequest(
        method: .get,
        scheme: "https",
        authority: "api.example.com",
        path: "/users"
    )
    let response = try await client.send(HTTPClient.Request(request))
    let theirs = try HTTPTypes.HTTPResponse(response.head)
    _ = try HTTPFields(response.trailers)
    _ = (configuration, theirs)
    let page = try await client.send("http://bücher.example/")
    print(page.url)  // http://xn--bcher-kva.example/
}

// .package(url: "…", branch: "main", traits: [.defaults, "Logging", "Tracing"])
// .package(url: "…", branch: "main", traits: [.defaults, "IDN"])

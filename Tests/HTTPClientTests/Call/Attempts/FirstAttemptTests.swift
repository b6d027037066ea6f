import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// An interceptor that changes nothing, but counts as a suspending policy.
private struct PassThroughInterceptor: HTTPInterceptor {
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult { try await next(request) }
}

private final class Steps: HTTPObserver {
    private let list = Locked<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        let text =
            switch step {
            case .began: "began"
            case .prepared(let request): "prepared \(request.url) \(request.headers[.cookie] ?? "")"
            case .sending(let head): "sending \(head.method) \(head.headers[.cookie] ?? "")"
            case .received(let response): "received \(response.status.code)"
            case .failed(let error): "failed \(error.kind)"
            case .redirected(let redirect): "redirected to \(redirect.location.text)"
            case .retrying(let number, _): "retrying \(number)"
            case .ended(.success(let response)): "ended \(response.status.code)"
            case .ended(.failure(let error)): "ended \(error.kind)"
            default: "other"
            }
        list.withLock { $0.append("\(text) (\(context.retryCount))") }
    }
}

/// Tests that calls with and without suspending policies behave the same.
@Suite(.timeLimit(.minutes(10))) struct FirstAttemptTests {
    /// Returns the observable behavior of calls with a client: the steps, and the end of each call.
    private func story(
        _ requests: [HTTPRequest],
        takesLongWay: Bool,
        isBlocking: Bool = false
    ) async -> [String] {
        let steps = Steps()
        var validator = HTTPDefaultValidator(accepting: .successful)
        validator.strategy = .immediate
        var configuration = HTTPClient.Configuration()
        configuration.validators = [validator]
        configuration.observers = [steps]
        configuration.retries.maxRetries = 1
        configuration.cookies = .automatic
        if takesLongWay { configuration.interceptors = [PassThroughInterceptor()] }
        let client = HTTPClient(configuration)
        var ends: [String] = []
        for request in requests {
            let result: Result<HTTPResponse, HTTPError> =
                isBlocking
                ? await onThread {
                    do throws(HTTPError) {
                        return .success(try client.blocking.send(request))
                    } catch {
                        return .failure(error)
                    }
                } : await client.start(request).result
            switch result {
            case .success(let response):
                let reasons = response.metrics.attempts.map { "\($0.reason)" }
                ends.append("\(response.status.code) \(response.text) \(reasons)")
            case .failure(let error):
                ends.append("\(error.kind) \(error.metrics.attempts.map { "\($0.reason)" })")
            }
        }
        return steps.all + ends
    }

    @Test(arguments: [false, true])
    func `a call without suspending policies behaves like one with them`(
        isBlocking: Bool
    ) async throws {
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/old": .redirect(to: "/new", status: .movedPermanently)
            case "/ring": .redirect(to: "/ring", status: .found)
            case "/set":
                .text("set").header(.setCookie, "a=1").header(.setCookie, "b=2; Path=/new")
            case "/busy": .status(.serviceUnavailable)
            case "/missing": .status(.notFound)
            case "/cut": .text("hello, world").truncated(to: 4)
            case "/gone": .reset
            default: .text("\(request.path) \(request.headers[.cookie] ?? "none")")
            }
        }
        let port = try UnreachablePorts.refusing()
        let paths = [
            "", "/old", "/set", "/new", "/old", "/ring", "/busy", "/missing", "/cut", "/gone",
        ]
        var requests = paths.map { HTTPRequest(server.url + $0) }
        requests.append(HTTPRequest(server.url + "/new", headers: [.cookie: "own=1; a=3"]))
        requests.append(HTTPRequest(.post, server.url + "/busy"))
        requests.append(HTTPRequest("http://127.0.0.1:\(port)/"))
        requests.append(HTTPRequest("no URL"))
        requests.append(HTTPRequest(server.url, headers: ["x": "a\u{1}"]))
        let short = await story(requests, takesLongWay: false, isBlocking: isBlocking)
        let long = await story(requests, takesLongWay: true, isBlocking: isBlocking)
        #expect(short == long)
        // The compared steps are not empty.
        #expect(short.contains("sending GET b=2; a=1 (0)") && short.contains("retrying 1 (0)"))
        #expect(short.contains { $0.hasPrefix("200 /new b=2; a=1") })
    }

    @Test func `a queue admits calls without suspending policies in turn`() async throws {
        let server = try await HTTPTestServer.start { .text($0.path) }
        let steps = Steps()
        let client = HTTPClient().with {
            $0.observers = [steps]
            $0.queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        }
        let texts = try await withThrowingTaskGroup { group in
            for _ in 0..<5 {
                group.addTask { try await client.send(HTTPRequest(server.url + "/a")).text }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == ["/a", "/a", "/a", "/a", "/a"])
        // The calls that waited have two further steps.
        #expect(steps.all.filter { !$0.hasPrefix("other") }.count == 25)
    }
}

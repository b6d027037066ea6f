#if Foundation
import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport

private struct EntryProvider: HTTPCredentialProvider {
    @concurrent func credentials(
        for challenge: HTTPAuthentication.ChallengeContext
    ) async throws -> HTTPCredentials? {
        HTTPCredentials(user: "ada", password: "secret")
    }
}

private final class EntryNotes: Sendable {
    private let list = Locked<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ note: String) { list.withLock { $0.append(note) } }
}

/// An interceptor that retries its request once and records its stages.
private struct EntryInterceptor: HTTPStagedInterceptor {
    let notes: EntryNotes

    func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {
        notes.add("prepare")
    }

    func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryOptions.Decision {
        notes.add("process")
        return context.retryCount == 0 ? .retry : .proceed
    }
}

private struct EntryObserver: HTTPObserver {
    let notes: EntryNotes

    func observe(_ step: HTTPStep, _ context: HTTPContext) { notes.add("step") }
}

extension EntryPoints {
    /// Calls with policies, configured together and one by one.
    func policies(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/old": return .redirect(to: "/new", status: .found)
            case "/login": return .text("token")
            case "/guarded":
                return request.headers["X-Token"] == "token"
                    ? .text("in") : .status(.unauthorized)
            case "/basic" where request.headers[.authorization] == nil:
                return .status(.unauthorized).header(.wwwAuthenticate, "Basic realm=\"r\"")
            default: return .text(request.path)
            }
        }
        let url = server.url
        let notes = EntryNotes()
        let steps = EntryNotes()
        let client = HTTPClient().with {
            $0.interceptors = [EntryInterceptor(notes: notes)]
            $0.observers = [EntryObserver(notes: steps)]
            $0.transformers = [HTTPResponseTransformer { response, _ in response.body += [33] }]
            $0.validators = [HTTPClosureValidator { _, _, _ in .accept }]
            $0.timeouts.total = .seconds(60)
        }
        checks["staged"] = try await client.send(HTTPRequest(url + "/a")).text == "/a!"
        checks["stages"] = notes.all == ["prepare", "process", "prepare", "process"]
        checks["observed"] = steps.all.count == 9
        let custom = HTTPRequest(url + "/old").with {
            $0.redirectMode = .custom { _, next in next }
        }
        checks["redirect"] = try await self.client.send(custom).text == "/new"
        let streamed = try await self.client.stream(custom)
        checks["streamed redirect"] = try await streamed.body.collect() == Array("/new".utf8)
        let login = HTTPRefreshValidator { _, _, _ in
            HTTPRequest(url + "/login")
        } onReceive: { response, request in
            request.headers["X-Token"] = response.text
        }
        let guarded = HTTPRequest(url + "/guarded")
        checks["request instead"] =
            try await self.client.send(guarded.validator(login)).text == "in"
        let task = HTTPRefreshValidator { _, _, _ in
            "token"
        } apply: { token, request in
            request.headers["X-Token"] = token
        }
        checks["task instead"] = try await self.client.send(guarded.validator(task)).text == "in"
        let asked = HTTPRequest(url + "/basic").authentication(.provider(EntryProvider()))
        checks["provider"] = try await self.client.send(asked).text == "/basic"
        let tokens = HTTPTokenSource { _ in "fresh" }
        checks["token"] = try await tokens.token() == "fresh"
        let bearer = HTTPRequest(url + "/b").authentication(.bearer(tokens))
        checks["bearer"] = try await self.client.send(bearer).text == "/b"
        checks["blocking"] =
            await onThread { try? client.blocking.send(HTTPRequest(url + "/a")).text } == "/a!"
        await server.stop()
        return checks.failed
    }
}
#endif

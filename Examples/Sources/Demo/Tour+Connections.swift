import Glibc
import HTTPClient
import HTTPTestServer

/// The steps about connections, time and threads.
extension Tour {
    @Sendable func reuse(_ log: @escaping Log) async throws {
        let client = HTTPClient()
        let request = HTTPRequest(servers.plain.url + "/user")
        let first = try await client.send(request)
        let second = try await client.send(request)
        for response in [first, second] {
            let metrics = response.metrics
            log(
                "GET /user → connection \(metrics.connectionID), used \(metrics.priorUses) times"
                    + " before, local port \(metrics.localPort.map(String.init) ?? "?")"
            )
        }
        try require(
            first.metrics.connectionID == second.metrics.connectionID && second.metrics.isReused,
            "the second request went over the connection of the first"
        )
        let seen = servers.plain.requests.suffix(2).map(\.connection)
        log("the server saw both on its connection \(seen.first ?? 0)")
        try require(seen.count == 2 && seen.first == seen.last, "the server saw one connection")
    }

    @Sendable func timeout(_ log: @escaping Log) async throws {
        var request = HTTPRequest(servers.plain.url + "/stall")
        request.timeouts = HTTPTimeouts(total: .milliseconds(150))
        let start = ContinuousClock.now
        do {
            _ = try await client.send(request)
        } catch {
            let took = ContinuousClock.now - start
            log("GET /stall → \(error) after \(took.formattedMilliseconds)")
            guard case .timedOut = error.kind else { throw error }
            try require(took >= .milliseconds(150) && took < .seconds(2), "it came in time")
            return
        }
        throw Report.Failure("a server that never answers was waited for")
    }

    @Sendable func cancellation(_ log: @escaping Log) async throws {
        let request = HTTPRequest(servers.plain.url + "/stall")
        let before = servers.plain.requests.count
        let call = Task { [client] in try await client.send(request) }
        // Cancel only after the server received the request, so that there is a request to cancel.
        while servers.plain.requests.count == before { try await Task.sleep(for: .milliseconds(1)) }
        let start = ContinuousClock.now
        call.cancel()
        switch await call.result {
        case .success: throw Report.Failure("a cancelled call was answered")
        case .failure(let error):
            let took = (ContinuousClock.now - start).formattedMilliseconds
            log("GET /stall → \(error), \(took) after cancel()")
            guard case .cancelled = (error as? HTTPError)?.kind else { throw error }
        }
        let next = try await client.send(HTTPRequest(servers.plain.url + "/user"))
        log("the client is still usable: GET /user → \(next.status)")
        try require(next.status == .ok, "the client stays usable")
    }

    @Sendable func blocking(_ log: @escaping Log) async throws {
        let request = HTTPRequest(servers.plain.url + "/user")
        let client = client
        let result: Result<HTTPResponse, any Error> = await withCheckedContinuation { done in
            PlainThread.run {
                done.resume(returning: Result { try client.blocking.send(request) })
            }
        }
        let response = try result.get()
        log("blocking.send: GET /user → \(response.status), \(response.body.count) bytes")
        try require(response.status == .ok, "the blocking call was answered")
        do {
            _ = try client.blocking.send(request)
            throw Report.Failure("a blocking call inside a task was not refused")
        } catch let error as HTTPError {
            log("inside a task it is refused: \(error.kind)")
        }
    }
}

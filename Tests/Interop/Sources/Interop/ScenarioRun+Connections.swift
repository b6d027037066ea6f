internal import Foundation
internal import HTTPClient

/// Scenarios about connections.
extension ScenarioRun {
    /// All kinds of exchanges share one connection, if the server keeps it open at all.
    func keepAlive() async throws {
        var last: (step: String, id: UInt64)?
        for (step, request) in keepAliveRequests {
            let response = try await client.send(request)
            // The client retries a request if the server closes the idle connection without notice.
            let replays = response.metrics.replays
            try check(replays <= (server.keepsAlive ? 0 : 1), "\(step): \(replays) replays")
            if let last {
                let mayReuse = server.keepsAlive && !server.closesAfter.contains(last.step)
                let isSame = response.metrics.connectionID == last.id
                try check(
                    isSame == mayReuse,
                    "\(step) \(isSame ? "is on the connection of" : "has a new connection after") "
                        + last.step
                )
            }
            last = (step, response.metrics.connectionID)
        }
    }

    /// The steps of the scenario that the server supports.
    private var keepAliveRequests: [(String, HTTPRequest)] {
        var requests: [(String, HTTPRequest)] = []
        func add(_ step: String, _ scenario: Scenario, _ request: HTTPRequest) {
            guard server.supported.contains(scenario) else { return }
            requests.append((step, request))
            requests.append(("get after \(step)", HTTPRequest(server.url("small"))))
        }
        add("get", .wholeFile, HTTPRequest(server.url("file")))
        add("head", .head, HTTPRequest(server.url("file"), method: .head))
        var range = HTTPRequest(server.url("file"))
        range.headers["range"] = "bytes=10-19"
        add("range", .range, range)
        // Any version of the file matches.
        var conditional = HTTPRequest(server.url("file"))
        conditional.headers["if-none-match"] = "*"
        add("conditional", .conditional, conditional)
        let body = pattern(10_000)
        add(
            "echo-fixed",
            .fixedEcho,
            HTTPRequest(server.url("echo"), method: .post, body: .bytes(body))
        )
        add("echo-chunked", .chunkedEcho, chunkedRequest([5000, 5000], body))
        add("stream", .stream, HTTPRequest(server.url("stream")))
        add("no-content", .noContent, HTTPRequest(server.url("empty")))
        var redirect = HTTPRequest(server.url("redirect"))
        redirect.redirectMode = .refuse
        add("redirect", .redirect, redirect)
        add("missing", .missing, HTTPRequest(server.url("missing")))
        return requests
    }

    /// `Connection: close` closes the connection, and the next request opens another.
    func closing() async throws {
        for _ in 0..<2 {
            let before = try await getSmall().metrics.connectionID
            var request = HTTPRequest(server.url("file"))
            request.headers[.connection] = "close"
            try expectBody(try await client.send(request), file)
            let idle = await client.pool.snapshot().idle
            try check(idle == 0, "\(idle) connections are idle")
            let after = try await getSmall().metrics.connectionID
            try check(before != after, "the connection was used again")
        }
    }

    /// Concurrent callers each receive their own response.
    func parallel() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    for _ in 0..<3 {
                        if number.isMultiple(of: 2) {
                            try await getSmall()
                        } else {
                            let response = try await client.send(HTTPRequest(server.url("file")))
                            try expectBody(response, file)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A blocking call receives the same responses.
    func blocking() async throws {
        let result = await withCheckedContinuation { continuation in
            Thread {
                continuation.resume(returning: Result { try block() })
            }
            .start()
        }
        try result.get()
    }

    private func block() throws {
        for _ in 0..<3 {
            try expectBody(try client.blocking.send(HTTPRequest(server.url("file"))), file)
        }
        guard server.supported.contains(.fixedEcho) else { return }
        let body = pattern(100_000)
        let request = HTTPRequest(server.url("echo"), method: .post, body: .bytes(body))
        try expectBody(try client.blocking.send(request), body)
    }

    /// The same over TLS, with verification of the certificate.
    func tls() async throws {
        guard let url = server.tlsURL else { throw MismatchError("it has no port with TLS") }
        let request = HTTPRequest(url + server.target("file"))
        let first = try await client.send(request)
        try expectBody(first, file)
        try check(first.metrics.tls != nil, "no TLS was negotiated")
        let second = try await client.send(request)
        try expectBody(second, file)
        try check(
            second.metrics.isReused == server.keepsAlive,
            "reused: \(second.metrics.isReused)"
        )
        if server.supported.contains(.fixedEcho), !server.tlsFilesOnly {
            let body = pattern(300_000)
            let post = HTTPRequest(url + server.target("echo"), method: .post, body: .bytes(body))
            try expectBody(try await client.send(post), body)
        }
        if server.supported.contains(.stream), !server.tlsFilesOnly {
            let stream = try await client.send(HTTPRequest(url + server.target("stream")))
            try expectBody(stream, Self.streamed)
        }
        do {
            let other = try await HTTPClient().send(request)
            throw MismatchError(
                "a certificate without a trusted issuer was accepted: \(other.status)"
            )
        } catch let error as HTTPError {
            guard case .tlsFailed = error.kind else { throw error }
        }
    }
}

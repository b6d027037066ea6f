internal import HTTPClient

/// Scenarios in which the client sends a body.
extension ScenarioRun {
    /// Bodies with a length are echoed unchanged.
    func fixedEcho() async throws {
        for count in [0, 1, 1000, 65_536, 1_000_003] {
            let body = pattern(count)
            let request = HTTPRequest(server.url("echo"), method: .post, body: .bytes(body))
            try expectBody(try await client.send(request), body)
        }
        try await getSmall()
    }

    /// Bodies without a length, sent in chunks, are echoed unchanged.
    func chunkedEcho() async throws {
        for pieces in [[], [1], [10, 100, 1000, 10_000, 1], Array(repeating: 33_333, count: 30)] {
            let body = pattern(pieces.reduce(0, +))
            try expectBody(try await client.send(chunkedRequest(pieces, body)), body)
        }
        try await getSmall()
    }

    /// Returns a request whose body has no announced length.
    func chunkedRequest(_ sizes: [Int], _ body: [UInt8]) -> HTTPRequest {
        let stream = AsyncStream { continuation in
            var rest = body[...]
            for size in sizes {
                continuation.yield(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            continuation.finish()
        }
        return HTTPRequest(server.url("echo"), method: .post, body: .stream(stream))
    }

    /// A file is echoed unchanged.
    func fileEcho() async throws {
        let path = "\(plan.folder)/files/file.bin"
        let whole = HTTPRequest(server.url("echo"), method: .post, body: .file(path))
        try expectBody(try await client.send(whole), file)
        let part = HTTPRequest(
            server.url("echo"),
            method: .post,
            body: .file(path, range: 100..<100_100)
        )
        try expectBody(try await client.send(part), Array(file[100..<100_100]))
    }

    /// With `Expect: 100-continue` the body follows the 100, or the end of the wait for it.
    func expect() async throws {
        let body = pattern(300_000)
        var request = HTTPRequest(server.url("echo"), method: .post, body: .bytes(body))
        request.headers["expect"] = "100-continue"
        for _ in 0..<2 {
            let response = try await client.send(request)
            try expectBody(response, body)
            let informational = response.informational.map(\.status.code)
            try check(
                informational == (server.continues ? [100] : []),
                "informational responses \(informational)"
            )
        }
        try await getSmall()
    }

    /// A response that arrives before the body was read is returned.
    func refusal() async throws {
        let body = [UInt8](repeating: 120, count: server.refusedBytes)
        for _ in 0..<3 {
            let request = HTTPRequest(server.url("refuse"), method: .post, body: .bytes(body))
            let response = try await client.send(request)
            try check(
                server.refusals.contains(response.status.code),
                "status \(response.status.code)"
            )
            try await getSmall()
        }
    }

    /// With `Expect: 100-continue` a rejected body is not sent.
    func earlyRefusal() async throws {
        let body = [UInt8](repeating: 120, count: server.refusedBytes)
        var request = HTTPRequest(server.url("refuse"), method: .post, body: .bytes(body))
        request.headers["expect"] = "100-continue"
        for _ in 0..<2 {
            let response = try await client.send(request)
            try check(
                server.refusals.contains(response.status.code),
                "status \(response.status.code)"
            )
            try check(response.informational.isEmpty, "100 came first")
            let sent = response.metrics.bytesSent
            try check(sent < 64 << 10, "\(sent) bytes were sent")
            try await getSmall()
        }
    }
}

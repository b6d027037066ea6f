internal import Foundation
internal import HTTPClient

/// Scenarios in which the client reads a body.
extension ScenarioRun {
    /// A file arrives completely, both collected and in pieces.
    func wholeFile() async throws {
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(server.url("file")))
            try expectBody(response, file)
            try await getSmall()
        }
        let streamed = try await client.stream(HTTPRequest(server.url("file")))
        let body = try await streamed.body.collect()
        try check(body == file, Self.difference(body, file))
    }

    /// The response to HEAD has the fields of GET and no body.
    func head() async throws {
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(server.url("file"), method: .head))
            try expectBody(response, [])
            if let length = response.headers.contentLength {
                try check(length == file.count, "content-length \(length)")
            }
            try await getSmall()
        }
    }

    /// A range returns a part of the file; a range beyond its end returns none.
    func range() async throws {
        for (range, part) in [
            ("bytes=0-9", file[0..<10]), ("bytes=1000-69999", file[1000..<70_000]),
            ("bytes=\(file.count - 500)-", file[(file.count - 500)...]),
        ] {
            var request = HTTPRequest(server.url("file"))
            request.headers["range"] = range
            let response = try await client.send(request)
            try expectBody(response, status: 206, Array(part))
            let wanted = "bytes \(part.startIndex)-\(part.endIndex - 1)/\(file.count)"
            let found = response.headers["content-range"]
            try check(found == wanted, "content-range \(found ?? "is missing") to \(range)")
        }
        var request = HTTPRequest(server.url("file"))
        request.headers["range"] = "bytes=\(file.count)-"
        // Hummingbird 2.28.1 announces an empty part, but sends bytes after it.
        request.headers[.connection] = "close"
        do {
            let response = try await client.send(request)
            // Some servers ignore such a range.
            let statuses: Set<Int> = [200, 400, 416]
            try check(statuses.contains(response.status.code), "status \(response.status.code)")
        } catch let error as HTTPError {
            // webfs and Hummingbird answer 206 with a last position that is before the first.
            guard error.kind == .rangeMismatch(.missingContentRange) else { throw error }
        }
        try await getSmall()
    }

    /// A conditional request for an unchanged file is answered with 304.
    func conditional() async throws {
        let first = try await client.send(HTTPRequest(server.url("file")))
        try expectBody(first, file)
        var count = 0
        for (validator, condition) in [
            ("etag", "if-none-match"), ("last-modified", "if-modified-since"),
        ] {
            guard let value = first.headers[FieldName(validator)] else { continue }
            count += 1
            var request = HTTPRequest(server.url("file"))
            request.headers[FieldName(condition)] = value
            try expectBody(try await client.send(request), status: 304, [])
            try await getSmall()
        }
        try check(count > 0, "neither ETag nor Last-Modified")
    }

    /// A download has the content of the file.
    func download() async throws {
        let path = "\(plan.folder)/download-\(server.name)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try await client.download(HTTPRequest(server.url("file")), to: path)
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        try check(bytes == file, Self.difference(bytes, file))
    }

    /// The output of a CGI program is read, whatever its line endings.
    func cgi() async throws {
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(server.url("cgi")))
            try expectBody(response, Array("hello from CGI\n".utf8))
            let method = response.headers["x-method"]
            try check(method == "GET", "x-method: \(method ?? "is missing")")
            try await getSmall()
        }
        guard server.supported.contains(.fixedEcho) else { return }
        let body = pattern(10_000)
        let post = HTTPRequest(server.url("cgi-echo"), method: .post, body: .bytes(body))
        try expectBody(try await client.send(post), body)
    }

    /// The body of the target `stream`.
    ///
    /// Piece n has n dots, so the sizes of the chunks have every hexadecimal digit.
    static let streamed = (0..<100).flatMap { number in
        Array("piece \(number)\(String(repeating: ".", count: number))\n".utf8)
    }

    /// A body of unknown length arrives in pieces, in chunks or until the connection closes.
    func stream() async throws {
        let wanted = Self.streamed
        for _ in 0..<2 {
            let response = try await client.stream(HTTPRequest(server.url("stream")))
            try check(response.status == .ok, "status \(response.status.code)")
            var body: [UInt8] = []
            for try await piece in response.body { body += piece }
            try check(body == wanted, Self.difference(body, wanted))
        }
        try expectBody(try await client.send(HTTPRequest(server.url("stream"))), wanted)
        try await getSmall()
    }

    /// A body that is dropped before its end does not affect later requests.
    func dropped() async throws {
        for _ in 0..<3 {
            let response = try await client.stream(HTTPRequest(server.url("file")))
            for try await piece in response.body {
                try check(
                    piece[...] == file.prefix(piece.count),
                    "other bytes than those of the file"
                )
                break
            }
            try await getSmall()
        }
    }

    /// A 204 has no body.
    func noContent() async throws {
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(server.url("empty")))
            try expectBody(response, status: 204, [])
            try await getSmall()
        }
    }

    /// A redirect is followed, or returned if the caller wants that.
    func redirect() async throws {
        let followed = try await client.send(HTTPRequest(server.url("redirect")))
        // A server that redirects only folders answers with a listing.
        if followed.url.path.hasSuffix("/") {
            try check(
                followed.text.contains("small.txt"),
                "no listing: \(followed.text.prefix(200))"
            )
        } else {
            try expectBody(followed, small)
        }
        try check(followed.redirects.count == 1, "\(followed.redirects.count) redirects")
        var request = HTTPRequest(server.url("redirect"))
        request.redirectMode = .refuse
        let response = try await client.send(request)
        try check([301, 302].contains(response.status.code), "status \(response.status.code)")
        try check(response.location != nil, "no location")
        try await getSmall()
    }

    /// A 404 is a response.
    func missing() async throws {
        for method in [HTTPMethod.get, .head, .get] {
            let response = try await client.send(HTTPRequest(server.url("missing"), method: method))
            try check(response.status == .notFound, "status \(response.status.code)")
            try await getSmall()
        }
    }
}

/// Returns bytes with a period of 251, so that a shift by a power of two is detected.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

extension HTTPTestServer.Response {
    // MARK: - Good answers

    /// A status without content.
    public static func status(
        _ status: HTTPStatus,
        headers: HTTPHeaders = [:]
    ) -> HTTPTestServer.Response {
        HTTPTestServer.Response(status, headers, .bytes([]))
    }

    /// Sends the client elsewhere.
    ///
    /// - Parameters:
    ///   - location: the value of Location, absolute or relative.
    ///   - status: default 302.
    /// - Returns: a response without content.
    public static func redirect(
        to location: String,
        status: HTTPStatus = .found
    ) -> HTTPTestServer.Response {
        .status(status, headers: [.location: location])
    }

    /// Text as UTF-8.
    public static func text(
        _ text: String,
        status: HTTPStatus = .ok
    ) -> HTTPTestServer.Response {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// JSON text.
    public static func json(
        _ text: String,
        status: HTTPStatus = .ok
    ) -> HTTPTestServer.Response {
        .bytes(Array(text.utf8), contentType: "application/json", status: status)
    }

    /// Bytes as they are.
    ///
    /// - Parameters:
    ///   - bytes: the content; may be empty.
    ///   - contentType: default `application/octet-stream`; nil sends no Content-Type.
    ///   - status: default 200.
    /// - Returns: a response with Content-Length.
    public static func bytes(
        _ bytes: [UInt8],
        contentType: String? = "application/octet-stream",
        status: HTTPStatus = .ok
    ) -> HTTPTestServer.Response {
        var headers: HTTPHeaders = [:]
        headers[.contentType] = contentType
        return HTTPTestServer.Response(status, headers, .bytes(bytes))
    }

    /// What the server saw of a request, as JSON.
    ///
    /// An object with `method`, `target`, `query` (an object, decoded; of repeats the last),
    /// `headers` (an object; repeats joined by a comma), `body` (text) and `connection` (the number of
    /// the connection).
    public static func echo(_ request: HTTPTestServer.Request) -> HTTPTestServer.Response {
        .json(EchoDocument.text(of: request))
    }

    /// Pieces of text, each in a chunk of its own and sent at once (RFC 9112 §7.1).
    ///
    /// - Parameters:
    ///   - pieces: empty ones are left out.
    ///   - pause: between two pieces. Default none.
    /// - Returns: a response with status 200.
    public static func chunks(
        _ pieces: [String],
        every pause: Duration = .zero
    ) -> HTTPTestServer.Response {
        .chunks(pieces.map { Array($0.utf8) }, every: pause)
    }

    /// Pieces of bytes, each in a chunk of its own and sent at once (RFC 9112 §7.1).
    ///
    /// - Parameters:
    ///   - pieces: empty ones are left out.
    ///   - pause: between two pieces. Default none.
    /// - Returns: a response with status 200.
    public static func chunks(
        _ pieces: [[UInt8]],
        every pause: Duration = .zero
    ) -> HTTPTestServer.Response {
        .stream { writer in
            for (index, piece) in pieces.enumerated() {
                if index > 0, pause > .zero { try await Task.sleep(for: pause) }
                try await writer.write(piece)
            }
        }
    }

    /// The elements of a sequence, each in a chunk of its own, as they come.
    ///
    /// The sequence is read as fast as the client reads. An error it throws closes the connection
    /// before the last chunk, which the client sees as a truncated body.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces
    ) -> HTTPTestServer.Response where Pieces.Element == [UInt8] {
        .stream { writer in
            for try await piece in pieces { try await writer.write(piece) }
        }
    }

    /// What a closure writes, each write in a chunk of its own.
    ///
    /// To a client of HTTP/1.0 the body is sent without chunks and ends with the connection.
    ///
    /// - Parameter body: runs on Swift's concurrent pool; an error it throws closes the connection
    ///   before the last chunk, which the client sees as a truncated body.
    /// - Returns: a response with status 200.
    public static func stream(
        _ body: @escaping @concurrent @Sendable (HTTPTestServer.BodyWriter) async throws -> Void
    ) -> HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .stream(body))
    }

    // MARK: - Failures

    /// Closes the connection without an answer.
    public static var close: HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .close)
    }

    /// Resets the connection (RST) without an answer.
    public static var reset: HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .reset)
    }

    /// Never answers; the connection stays open until the client closes it or the server stops.
    public static var stall: HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .stall)
    }

    /// Bytes in place of a response, head and all; then closes the connection.
    ///
    /// Nothing is checked or added, so this sends whatever a broken server would.
    public static func raw(_ text: String) -> HTTPTestServer.Response {
        .raw(Array(text.utf8))
    }

    /// Bytes in place of a response, head and all; then closes the connection.
    ///
    /// Nothing is checked or added, so this sends whatever a broken server would.
    public static func raw(_ bytes: [UInt8]) -> HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .raw(bytes))
    }

    /// Bytes in place of a response, then others below TLS, then the end of the connection without
    /// close-notify; for tests of this package.
    package static func closedAbruptly(
        _ bytes: [UInt8],
        plaintext: [UInt8] = []
    ) -> HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .closedAbruptly(bytes, plaintext: plaintext))
    }
}

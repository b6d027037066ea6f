public import Wire

extension HTTPStub.Response {
    // MARK: - Good answers

    /// A status without content.
    ///
    /// - Parameters:
    ///   - status: a final one.
    ///   - headers: default none.
    /// - Returns: the response.
    public static func status(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> Self {
        Self(status, headers, .bytes([]))
    }

    /// Text as UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> Self {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// A JSON value; one that is not JSON becomes `null`.
    public static func json(_ value: HTTPJSON, status: HTTPStatus = .ok) -> Self {
        let bytes = try? JSONEncoding.encode(value)
        return .bytes(bytes ?? Array("null".utf8), contentType: "application/json", status: status)
    }

    /// A JSON literal with variables in it, its members in the order written.
    public static func json(_ literal: HTTPJSON.Literal?, status: HTTPStatus = .ok) -> Self {
        .json(literal?.json ?? .null, status: status)
    }

    /// JSON text, sent as it is.
    ///
    /// A literal in quotes is such a text: `.json(#"{"name": "Ada"}"#)` is an object. A value that is
    /// text is `.json(.string("Ada"))`.
    public static func json(_ text: String, status: HTTPStatus = .ok) -> Self {
        .json(text: text, status: status)
    }

    /// JSON text, sent as it is.
    public static func json(text: String, status: HTTPStatus = .ok) -> Self {
        .bytes(Array(text.utf8), contentType: "application/json", status: status)
    }

    /// Bytes as they are.
    ///
    /// - Parameters:
    ///   - bytes: the content; may be empty.
    ///   - contentType: default `application/octet-stream`; nil sends no Content-Type.
    ///   - status: default 200.
    /// - Returns: the response.
    public static func bytes(
        _ bytes: [UInt8],
        contentType: String? = "application/octet-stream",
        status: HTTPStatus = .ok
    ) -> Self {
        var headers: HTTPHeaders = [:]
        headers[.contentType] = contentType
        return Self(status, headers, .bytes(bytes))
    }

    /// What a file holds when it is asked for.
    ///
    /// - Parameters:
    ///   - path: of a file of at most 64 MiB; when it cannot be read the call fails with
    ///     `.fileFailed`.
    ///   - contentType: default `application/octet-stream`.
    ///   - status: default 200.
    /// - Returns: the response.
    public static func file(
        _ path: String,
        contentType: String = "application/octet-stream",
        status: HTTPStatus = .ok
    ) -> Self {
        Self(status, [.contentType: contentType], .file(path: path))
    }

    /// Sends the client elsewhere.
    ///
    /// - Parameters:
    ///   - location: the value of Location, absolute or relative.
    ///   - status: default 302.
    /// - Returns: a response without content.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> Self {
        .status(status, headers: [.location: location])
    }

    /// Pieces of text, each in a chunk of its own and sent at once (RFC 9112 §7.1).
    ///
    /// - Parameters:
    ///   - pieces: empty ones are left out.
    ///   - pause: between two pieces. Default none.
    /// - Returns: a response with status 200.
    public static func chunks(_ pieces: [String], every pause: Duration = .zero) -> Self {
        let pieces = pieces.map { Array($0.utf8) }.filter { !$0.isEmpty }
        return Self(.ok, [:], .chunks(pieces, every: pause))
    }

    /// The request's own content, with its fields but for those about the connection, and status 200.
    public static var echo: Self { Self(.ok, [:], .echo) }

    // MARK: - Failures

    /// The call fails like this; nothing is sent, so ``HTTPError/isRetrySafe`` is true.
    ///
    /// Of a closure that has got the request it fails when all was sent. ``close`` and ``reset`` fail
    /// as servers do.
    public static func error(_ kind: HTTPError.Kind) -> Self { Self(.ok, [:], .error(kind)) }

    /// Closes the connection without an answer.
    public static var close: Self { raw([]) }

    /// Resets the connection without an answer.
    public static var reset: Self { raw([]).truncated(after: 0, by: .reset) }

    /// Never answers; the connection stays open until the client closes it.
    public static var stall: Self { raw([]).truncated(after: 0, by: .stall) }

    /// Text in place of a response, head and all; then closes the connection.
    ///
    /// Nothing is checked or added, so this sends whatever a broken server would.
    public static func raw(_ text: String) -> Self { raw(Array(text.utf8)) }

    /// Bytes in place of a response, head and all; then closes the connection.
    ///
    /// Nothing is checked or added, so this sends whatever a broken server would.
    public static func raw(_ bytes: [UInt8]) -> Self { Self(.ok, [:], .raw(bytes)) }
}

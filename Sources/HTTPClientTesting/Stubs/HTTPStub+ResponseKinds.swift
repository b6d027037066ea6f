public import HTTPClient
public import Wire

extension HTTPStub.Response {
    // MARK: - Successful responses

    /// Returns a response without content.
    ///
    /// - Parameters:
    ///   - status: a final status.
    ///   - headers: the header fields. Default none.
    /// - Returns: the response.
    public static func status(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> Self {
        Self(status, headers, .bytes([]))
    }

    /// Returns a response with UTF-8 text.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> Self {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Returns a response with a JSON value; a value that JSON cannot represent becomes `null`.
    public static func json(_ value: HTTPJSON, status: HTTPStatus = .ok) -> Self {
        let bytes = try? JSONEncoding.encode(value)
        return .bytes(bytes ?? Array("null".utf8), contentType: "application/json", status: status)
    }

    /// Returns a response with a JSON literal, which may contain variables; members keep their
    /// order.
    public static func json(_ literal: HTTPJSON.Literal?, status: HTTPStatus = .ok) -> Self {
        .json(literal?.json ?? .null, status: status)
    }

    /// Returns a response with JSON text, which is sent unchanged.
    ///
    /// A string literal is such a text: `.json(#"{"name": "Ada"}"#)` is an object. For a JSON value
    /// that is a string, use `.json(.string("Ada"))`.
    public static func json(_ text: String, status: HTTPStatus = .ok) -> Self {
        .json(text: text, status: status)
    }

    /// Returns a response with JSON text, which is sent unchanged.
    public static func json(text: String, status: HTTPStatus = .ok) -> Self {
        .bytes(Array(text.utf8), contentType: "application/json", status: status)
    }

    /// Returns a response with bytes, which are sent unchanged.
    ///
    /// - Parameters:
    ///   - bytes: the content; may be empty.
    ///   - contentType: the content type. Default `application/octet-stream`; nil sends no Content-Type.
    ///   - status: the status. Default 200.
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

    /// Returns a response with the content of a file, read at the time of the request.
    ///
    /// - Parameters:
    ///   - path: a file of at most 64 MiB; if it cannot be read, the call fails with `.fileFailed`.
    ///   - contentType: the content type. Default `application/octet-stream`.
    ///   - status: the status. Default 200.
    /// - Returns: the response.
    public static func file(
        _ path: String,
        contentType: String = "application/octet-stream",
        status: HTTPStatus = .ok
    ) -> Self {
        Self(status, [.contentType: contentType], .file(path: path))
    }

    /// Returns a redirect.
    ///
    /// - Parameters:
    ///   - location: the value of Location, absolute or relative.
    ///   - status: the status. Default 302.
    /// - Returns: a response without content.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> Self {
        .status(status, headers: [.location: location])
    }

    /// Returns a chunked response; each piece of text is sent as one chunk (RFC 9112 §7.1).
    ///
    /// - Parameters:
    ///   - pieces: the chunks; empty ones are omitted.
    ///   - pause: the time between two pieces. Default none.
    /// - Returns: a response with status 200.
    public static func chunks(_ pieces: [String], every pause: Duration = .zero) -> Self {
        .chunks(pieces.map { Array($0.utf8) }, every: pause)
    }

    /// Returns a chunked response; each piece is sent as one chunk (RFC 9112 §7.1).
    ///
    /// - Parameters:
    ///   - pieces: the chunks; empty ones are omitted.
    ///   - pause: the time between two pieces. Default none.
    /// - Returns: a response with status 200.
    public static func chunks(_ pieces: [[UInt8]], every pause: Duration = .zero) -> Self {
        Self(.ok, [:], .chunks(pieces.filter { !$0.isEmpty }, every: pause))
    }

    /// A response with the request's content and header fields, except connection fields; status
    /// 200.
    public static var echo: Self { Self(.ok, [:], .echo) }

    // MARK: - Failures

    /// Returns a failure: the call throws this error before it sends anything.
    ///
    /// `HTTPError.isRetrySafe` is therefore true. If a closure returns the failure, the call throws it
    /// after the whole request was sent. ``close`` and ``reset`` fail as servers do.
    public static func error(_ kind: HTTPError.Kind) -> Self { Self(.ok, [:], .error(kind)) }

    /// A failure: the connection is closed without a response.
    public static var close: Self { raw([]) }

    /// A failure: the connection is reset without a response.
    public static var reset: Self { raw([]).truncated(after: 0, by: .reset) }

    /// A failure: no response is sent, and the connection stays open until the client closes it.
    public static var stall: Self { raw([]).truncated(after: 0, by: .stall) }

    /// Returns text that is sent in place of a response and its head; then the connection is closed.
    ///
    /// Nothing is checked or added, so it can send anything that a broken server might send.
    public static func raw(_ text: String) -> Self { raw(Array(text.utf8)) }

    /// Returns bytes that are sent in place of a response and its head; then the connection is closed.
    ///
    /// Nothing is checked or added, so it can send anything that a broken server might send.
    public static func raw(_ bytes: [UInt8]) -> Self { Self(.ok, [:], .raw(bytes)) }
}

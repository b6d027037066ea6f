internal import SocketTransport

extension HTTPTestServer.Response {
    // MARK: - Successful responses

    /// Returns a response with a status and no content.
    public static func status(
        _ status: HTTPStatus,
        headers: HTTPHeaders = [:]
    ) -> HTTPTestServer.Response {
        HTTPTestServer.Response(status, headers, .bytes([]))
    }

    /// Returns a redirect.
    ///
    /// - Parameters:
    ///   - location: the value of Location, absolute or relative.
    ///   - status: the status; 302 by default.
    /// - Returns: a response without content.
    public static func redirect(
        to location: String,
        status: HTTPStatus = .found
    ) -> HTTPTestServer.Response {
        .status(status, headers: [.location: location])
    }

    /// Returns a response with text in UTF-8.
    public static func text(
        _ text: String,
        status: HTTPStatus = .ok
    ) -> HTTPTestServer.Response {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Returns a response with JSON text.
    public static func json(
        _ text: String,
        status: HTTPStatus = .ok
    ) -> HTTPTestServer.Response {
        .bytes(Array(text.utf8), contentType: "application/json", status: status)
    }

    /// Returns a response with JSON text, as ``json(_:status:)`` does; the label tells text from a value.
    public static func json(text: String, status: HTTPStatus = .ok) -> HTTPTestServer.Response {
        .json(text, status: status)
    }

    /// Returns a response with these bytes.
    ///
    /// - Parameters:
    ///   - bytes: the content; may be empty.
    ///   - contentType: the Content-Type; `application/octet-stream` by default; nil sends none.
    ///   - status: the status; 200 by default.
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

    /// Returns a response with the content of a file, which is read immediately.
    ///
    /// If the file cannot be read, is not regular or has more than 64 MiB, the response has the status 500 and the
    /// reason as text. For a larger file, use ``stream(_:)-(Pieces)``.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - contentType: the content type. Default `application/octet-stream`; nil sends no Content-Type.
    ///   - status: the status. Default 200.
    /// - Returns: the response.
    public static func file(
        _ path: String,
        contentType: String? = "application/octet-stream",
        status: HTTPStatus = .ok
    ) -> HTTPTestServer.Response {
        func failed(_ reason: String) -> HTTPTestServer.Response {
            .text("\(path) cannot be sent: \(reason)", status: .internalServerError)
        }
        do throws(FileReader.ReadError) {
            let file = try FileReader(path: path)
            guard file.length <= Self.maxFileBytes else {
                return failed("it has more than \(Self.maxFileBytes) bytes")
            }
            let bytes = try file.read(file.length, at: 0)
            return .bytes(bytes, contentType: contentType, status: status)
        } catch {
            return failed(error.reason)
        }
    }

    private static let maxFileBytes = 64 << 20

    /// Returns a response that describes the request as JSON.
    ///
    /// It is an object with these members:
    /// - `method` and `target`
    /// - `query`: an object with the decoded items; the last value of a repeated name is used
    /// - `headers`: an object; the values of repeated fields are joined with commas
    /// - `body`: the body as text
    /// - `connection`: the number of the connection
    public static func echo(_ request: HTTPTestServer.Request) -> HTTPTestServer.Response {
        .json(EchoDocument.text(of: request))
    }

    /// Returns a response whose text is sent in pieces.
    ///
    /// Each piece is sent at once, in its own chunk (RFC 9112 §7.1).
    ///
    /// - Parameters:
    ///   - pieces: the pieces; empty ones are omitted.
    ///   - pause: the delay between two pieces; none by default.
    /// - Returns: a response with status 200.
    public static func chunks(
        _ pieces: [String],
        every pause: Duration = .zero
    ) -> HTTPTestServer.Response {
        .chunks(pieces.map { Array($0.utf8) }, every: pause)
    }

    /// Returns a response whose bytes are sent in pieces.
    ///
    /// Each piece is sent at once, in its own chunk (RFC 9112 §7.1).
    ///
    /// - Parameters:
    ///   - pieces: the pieces; empty ones are omitted.
    ///   - pause: the delay between two pieces; none by default.
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

    /// Returns a response that sends each element of a sequence in its own chunk, as it arrives.
    ///
    /// The sequence is read as fast as the client reads. An error that it throws closes the
    /// connection before the last chunk, so the client sees a truncated body.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces
    ) -> HTTPTestServer.Response where Pieces.Element == [UInt8] {
        .stream { writer in
            for try await piece in pieces { try await writer.write(piece) }
        }
    }

    /// Returns a response whose body a closure writes; each write is sent in its own chunk.
    ///
    /// To an HTTP/1.0 client the body is sent without chunks and ends when the connection closes.
    ///
    /// - Parameter body: runs on Swift's concurrent pool. An error that it throws closes the
    ///   connection before the last chunk, so the client sees a truncated body.
    /// - Returns: a response with status 200.
    public static func stream(
        _ body: @escaping @concurrent @Sendable (HTTPTestServer.BodyWriter) async throws -> Void
    ) -> HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .stream(body))
    }

    // MARK: - Failures

    /// A failure that closes the connection without a response.
    public static var close: HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .close)
    }

    /// A failure that resets the connection (RST) without a response.
    public static var reset: HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .reset)
    }

    /// A failure that sends no response.
    ///
    /// The connection stays open until the client closes it or the server stops.
    public static var stall: HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .stall)
    }

    /// Returns a failure that sends this text in place of head and body, then closes the
    /// connection.
    ///
    /// The server checks and adds nothing, so the text can contain anything that a broken server
    /// would send.
    public static func raw(_ text: String) -> HTTPTestServer.Response {
        .raw(Array(text.utf8))
    }

    /// Returns a failure that sends these bytes in place of head and body, then closes the
    /// connection.
    ///
    /// The server checks and adds nothing, so the bytes can be anything that a broken server would
    /// send.
    public static func raw(_ bytes: [UInt8]) -> HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .raw(bytes))
    }

    /// Returns a failure that sends raw bytes, and ends TCP without TLS close-notify.
    ///
    /// The bytes of `plaintext` follow, outside TLS. For tests of this package.
    package static func closedAbruptly(
        _ bytes: [UInt8],
        plaintext: [UInt8] = []
    ) -> HTTPTestServer.Response {
        HTTPTestServer.Response(.ok, [:], .closedAbruptly(bytes, plaintext: plaintext))
    }
}

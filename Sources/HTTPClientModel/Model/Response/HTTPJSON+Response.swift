internal import Wire

extension HTTPJSON {
    /// Parses JSON text strictly according to RFC 8259.
    ///
    ///     let json = try HTTPJSON(parsing: #"{"user": {"name": "Ada"}}"#)
    ///     print(json["user"]["name"].string ?? "unknown")
    ///
    /// The parser repairs nothing. It rejects comments, trailing commas, a byte order mark, anything
    /// after the value, bytes that are not UTF-8, and unpaired surrogates.
    ///
    /// Whole numbers become ``integer(_:)`` or ``unsigned(_:)`` where they fit. All others become the
    /// nearest ``number(_:)``, including `-0` and numbers with a fraction or an exponent. A number larger
    /// than any `Double` is rejected.
    ///
    /// Members keep their order. Members that share a name are all kept, because the standard leaves to
    /// readers which one counts.
    ///
    /// - Parameters:
    ///   - bytes: the whole text, in UTF-8.
    ///   - maxDepth: the maximum nesting of arrays and objects. Default 128: deeper than real formats, and
    ///     safe for code that walks the value recursively. Values above 512, which is also the limit for
    ///     writing, count as 512.
    /// - Throws: `.invalidRequest(.json(reason))` with the byte and path of the error.
    public init(parsing bytes: Span<UInt8>, maxDepth: Int = 128) throws(HTTPError) {
        do throws(ParsingError) {
            try self.init(reading: bytes, maxDepth: maxDepth)
        } catch {
            throw HTTPError(invalid: .json(error))
        }
    }

    /// Parses JSON text; see ``init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    public init(parsing bytes: [UInt8], maxDepth: Int = 128) throws(HTTPError) {
        try self.init(parsing: bytes.span, maxDepth: maxDepth)
    }

    /// Parses JSON text; see ``init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    public init(parsing text: String, maxDepth: Int = 128) throws(HTTPError) {
        try self.init(parsing: Array(text.utf8).span, maxDepth: maxDepth)
    }
}

extension HTTPResponse {
    /// Parses the body as JSON of any shape (RFC 8259).
    ///
    ///     let name = try response.json()["user"]["name"].string
    ///
    /// The body is always parsed as UTF-8, the only charset of JSON; Content-Type is ignored.
    ///
    /// - Parameter maxDepth: the limit on nested arrays and objects. Default 128, as in
    ///   ``HTTPJSON/init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    /// - Returns: the value.
    /// - Throws: `.decodingFailed` with the byte and path of the error and the start of the body;
    ///   ``HTTPError/underlying`` is the ``HTTPJSON/ParsingError``.
    public func json(maxDepth: Int = 128) throws(HTTPError) -> HTTPJSON {
        do throws(HTTPJSON.ParsingError) {
            return try HTTPJSON(reading: body, maxDepth: maxDepth)
        } catch {
            throw self.error(
                .decodingFailed(reason: DecodingErrorDescription.reason(error, in: body))
            )
            .changed {
                $0.underlying = error
            }
        }
    }
}

extension HTTPError {
    /// Parses the received body of a rejected response as JSON of any shape.
    ///
    /// - Throws: `.decodingFailed` with the byte and path of the error and the start of
    ///   ``partialBody``; its ``underlying`` is the ``HTTPJSON/ParsingError``.
    public func json() throws(HTTPError) -> HTTPJSON {
        do throws(HTTPJSON.ParsingError) {
            return try HTTPJSON(reading: partialBody)
        } catch {
            throw undecodable(error)
        }
    }

    /// Returns the error for a received body that cannot be decoded.
    package func undecodable(_ underlying: any Error) -> HTTPError {
        HTTPError(
            .decodingFailed(reason: DecodingErrorDescription.reason(underlying, in: partialBody)),
            phase: .decoding,
            request: request,
            metrics: metrics,
            head: head,
            informational: informational,
            proxyHeads: proxyHeads,
            partialBody: partialBody,
            underlying: underlying
        )
    }
}

extension HTTPJSON: HTTPDecodableResponse {
    /// The Accept field for JSON.
    public static var accept: String? { HTTPRequest.jsonAccept }

    /// Parses the body as ``HTTPResponse/json(maxDepth:)`` does.
    public static func decode(_ response: HTTPResponse) throws -> HTTPJSON {
        try response.json()
    }
}

extension HTTPResponseParser where Value == HTTPJSON {
    /// Returns a parser for JSON of any shape, which keeps the order of members.
    ///
    /// - Parameters:
    ///   - type: the type, usually inferred.
    ///   - statuses: the expected statuses. Default 2xx.
    /// - Returns: a parser that accepts `application/json`.
    public static func json(
        _ type: HTTPJSON.Type = HTTPJSON.self,
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<HTTPJSON> {
        .decodable(type, expecting: statuses)
    }
}

extension HTTPRequest {
    /// The Accept field of requests for JSON.
    package static var jsonAccept: String { "application/json, application/*+json;q=0.9" }
}

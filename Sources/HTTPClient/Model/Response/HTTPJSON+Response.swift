internal import Wire

extension HTTPResponse {
    /// Reads the body as JSON of any shape (RFC 8259).
    ///
    ///     let name = try response.json()["user"]["name"].string
    ///
    /// It is read as UTF-8, as JSON has no other charset, whatever Content-Type says.
    ///
    /// - Parameter maxDepth: how many arrays and objects may lie within each other. Default 128, as
    ///   in ``HTTPJSON/init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    /// - Returns: the value.
    /// - Throws: `.decodingFailed` with the byte and the path of the fault and the start of the
    ///   body; ``HTTPError/underlying`` is the ``HTTPJSONError``.
    public func json(maxDepth: Int = 128) throws(HTTPError) -> HTTPJSON {
        do throws(HTTPJSONError) {
            return try HTTPJSON(parsing: body, maxDepth: maxDepth)
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
    /// Reads what came of the body of a response that was refused, as JSON of any shape.
    ///
    /// - Throws: `.decodingFailed` with the byte and the path of the fault and the start of
    ///   ``partialBody``; its ``underlying`` is the ``HTTPJSONError``.
    public func json() throws(HTTPError) -> HTTPJSON {
        do throws(HTTPJSONError) {
            return try HTTPJSON(parsing: partialBody)
        } catch {
            throw undecodable(error)
        }
    }

    /// Makes the error of a body that was received and cannot be read.
    func undecodable(_ underlying: any Error) -> HTTPError {
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
    /// Asks for JSON.
    public static var accept: String? { HTTPRequest.jsonAccept }

    /// Reads the body as ``HTTPResponse/json(maxDepth:)`` does.
    public static func decode(_ response: HTTPResponse) throws -> HTTPJSON {
        try response.json()
    }
}

extension HTTPResponseParser where Value == HTTPJSON {
    /// The body as JSON of any shape, with its members in their order.
    ///
    /// - Parameters:
    ///   - type: the type; mostly found by itself.
    ///   - statuses: with which there is such a body. Default 2xx.
    /// - Returns: a parser that asks for `application/json`.
    public static func json(
        _ type: HTTPJSON.Type = HTTPJSON.self,
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<HTTPJSON> {
        .decodable(type, expecting: statuses)
    }
}

extension HTTPRequest {
    /// What is accepted where JSON is wanted.
    static var jsonAccept: String { "application/json, application/*+json;q=0.9" }
}

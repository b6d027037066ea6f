internal import Wire

extension HTTPResponseParser where Value == String {
    /// The body as text, in the charset that Content-Type names.
    ///
    /// Throws `.undecodableText`, as ``HTTPResponse/string(in:)``.
    public static var text: HTTPResponseParser<String> {
        .decodable()
    }

    /// The body as text, as ``text`` reads it, of a response with one of these statuses.
    public static func text(expecting statuses: HTTPStatusSet) -> HTTPResponseParser<String> {
        .decodable(expecting: statuses)
    }
}

extension HTTPResponseParser where Value == [UInt8] {
    /// The body as it is, decoded from its content coding.
    public static var bytes: HTTPResponseParser<[UInt8]> {
        HTTPResponseParser { $0.body }
    }

    /// The body as it is, as ``bytes``, of a response with one of these statuses.
    public static func bytes(expecting statuses: HTTPStatusSet) -> HTTPResponseParser<[UInt8]> {
        HTTPResponseParser(expecting: statuses) { $0.body }
    }
}

extension HTTPResponseParser where Value == HTTPHeaders {
    /// The field section alone, as for HEAD.
    public static var headers: HTTPResponseParser<HTTPHeaders> {
        HTTPResponseParser { $0.headers }
    }

    /// The field section alone, of a response with one of these statuses.
    public static func headers(
        expecting statuses: HTTPStatusSet
    ) -> HTTPResponseParser<HTTPHeaders> {
        HTTPResponseParser(expecting: statuses) { $0.headers }
    }
}

extension HTTPResponseParser where Value == Void {
    /// Nothing: the status is all that matters.
    public static func void(
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<Void> {
        HTTPResponseParser(expecting: statuses) { _ in }
    }
}

extension HTTPResponseParser where Value == HTTPResponse {
    /// The response itself, whatever its status.
    public static var passthrough: HTTPResponseParser<HTTPResponse> {
        HTTPResponseParser(expecting: .any) { $0 }
    }

    /// The response itself, when it has one of these statuses.
    public static func passthrough(
        expecting statuses: HTTPStatusSet
    ) -> HTTPResponseParser<HTTPResponse> {
        HTTPResponseParser(expecting: statuses) { $0 }
    }
}

extension HTTPResponseParser where Value: HTTPDecodableResponse {
    /// A value that knows how to read responses.
    ///
    /// - Parameters:
    ///   - type: the type; mostly found by itself.
    ///   - statuses: with which `type` is asked. Default 2xx.
    /// - Returns: a parser that asks for ``HTTPDecodableResponse/accept``.
    public static func decodable(
        _ type: Value.Type = Value.self,
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<Value> {
        HTTPResponseParser(accept: Value.accept, expecting: statuses) { try Value.decode($0) }
    }
}

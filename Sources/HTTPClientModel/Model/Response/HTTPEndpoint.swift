public import Wire

/// A request together with the parser of its response.
///
///     extension HTTPEndpoint where Value == User {
///         static func user(_ id: Int) -> Self {
///             HTTPEndpoint(HTTPRequest("/users/\(id)"), .json())
///         }
///     }
///     let ada = try await client.fetch(.user(7))
///
/// An endpoint is a plain value that can be stored, copied, changed and called any number of times.
/// A call sends ``HTTPResponseParser/accept`` unless the request already has an Accept field.
public struct HTTPEndpoint<Value: Sendable>: HTTPRequestProtocol, Sendable {
    /// The request to send.
    public var request: HTTPRequest

    /// The parser of the response.
    public var parser: HTTPResponseParser<Value>

    /// Creates an endpoint from a request and a parser.
    public init(_ request: HTTPRequest, _ parser: HTTPResponseParser<Value>) {
        self.request = request
        self.parser = parser
    }

    /// Creates an endpoint from a method, a URL and a parser.
    public init(_ method: HTTPMethod, _ url: String, _ parser: HTTPResponseParser<Value>) {
        self.init(HTTPRequest(method, url), parser)
    }

    /// Creates an endpoint from a request and a closure that reads the response.
    ///
    ///     let count = HTTPEndpoint("/users") { response in
    ///         Int(response.headers["X-Total-Count"] ?? "") ?? 0
    ///     }
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - statuses: the expected statuses; all others throw. Default 2xx.
    ///   - read: receives the complete response. An ``HTTPError`` that it throws reaches the caller
    ///     unchanged; other errors become ``HTTPError/underlying``.
    public init(
        _ request: HTTPRequest,
        expecting statuses: HTTPStatusSet = .successful,
        reading read: @escaping @Sendable (HTTPResponse) throws -> Value
    ) {
        self.init(request, HTTPResponseParser(expecting: statuses, read))
    }

    /// The endpoint itself.
    public var endpoint: HTTPEndpoint<Value> { self }

    /// Returns an endpoint that transforms the value of this one.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) -> HTTPEndpoint<Other> {
        HTTPEndpoint<Other>(request, parser.map(transform))
    }

    /// The request to send, with the parser's Accept field if the request has none.
    package var sentRequest: HTTPRequest { request.accepting(parser.accept) }
}

extension HTTPEndpoint where Value: HTTPDecodableResponse {
    /// Creates an endpoint for a type that can be created from a response; 2xx is expected.
    public init(_ request: HTTPRequest, _ type: Value.Type = Value.self) {
        self.init(request, .decodable(type))
    }

    /// Creates an endpoint for a type that can be created from a response; 2xx is expected.
    public init(_ method: HTTPMethod, _ url: String, _ type: Value.Type = Value.self) {
        self.init(method, url, .decodable(type))
    }
}

extension HTTPRequest {
    /// Returns the request with this Accept field, unless it already has one.
    package func accepting(_ accept: String?) -> HTTPRequest {
        guard let accept, !headers.contains(.accept) else { return self }
        var copy = self
        copy.headers.append(.accept, accept)
        return copy
    }

    /// Returns an endpoint that parses the response with this parser.
    public func returning<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>
    ) -> HTTPEndpoint<Value> {
        HTTPEndpoint(self, parser)
    }
}

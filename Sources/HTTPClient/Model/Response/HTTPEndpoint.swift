public import Wire

/// Holds a request together with what its response becomes.
///
///     extension HTTPEndpoint where Value == User {
///         static func user(_ id: Int) -> Self {
///             HTTPEndpoint(HTTPRequest("/users/\(id)"), .json())
///         }
///     }
///     let ada = try await client.call(.user(7))
///
/// A plain value: it can be kept, copied, changed and run any number of times. Running it sends
/// ``HTTPResponseParser/accept`` unless the request has an Accept field of its own.
public struct HTTPEndpoint<Value: Sendable>: HTTPRequestProtocol, Sendable {
    /// What to ask for.
    public var request: HTTPRequest

    /// What the response becomes.
    public var parser: HTTPResponseParser<Value>

    /// Joins a request and a parser.
    public init(_ request: HTTPRequest, _ parser: HTTPResponseParser<Value>) {
        self.request = request
        self.parser = parser
    }

    /// Joins a request of a method and a URL, and a parser.
    public init(_ method: HTTPMethod, _ url: String, _ parser: HTTPResponseParser<Value>) {
        self.init(HTTPRequest(method, url), parser)
    }

    /// Joins a request and a closure that reads the response.
    ///
    ///     let count = HTTPEndpoint("/users") { response in
    ///         Int(response.headers["X-Total-Count"] ?? "") ?? 0
    ///     }
    ///
    /// - Parameters:
    ///   - request: what to ask for.
    ///   - statuses: with which the closure is called; all others throw. Default 2xx.
    ///   - read: gets the complete response. What it throws is ``HTTPError/underlying``, but for an
    ///     ``HTTPError``, which reaches the caller as it is.
    public init(
        _ request: HTTPRequest,
        expecting statuses: HTTPStatusSet = .successful,
        reading read: @escaping @Sendable (HTTPResponse) throws -> Value
    ) {
        self.init(request, HTTPResponseParser(expecting: statuses, read))
    }

    /// Returns an endpoint that makes something of this one's value.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) -> HTTPEndpoint<Other> {
        HTTPEndpoint<Other>(request, parser.map(transform))
    }

    /// The request as it is sent: with the parser's Accept when it has none of its own.
    var sentRequest: HTTPRequest { request.accepting(parser.accept) }
}

extension HTTPEndpoint where Value: HTTPDecodableResponse {
    /// Makes the endpoint of a value that knows how to read responses; 2xx is expected.
    public init(_ request: HTTPRequest, _ type: Value.Type = Value.self) {
        self.init(request, .decodable(type))
    }

    /// Makes the endpoint of a value that knows how to read responses; 2xx is expected.
    public init(_ method: HTTPMethod, _ url: String, _ type: Value.Type = Value.self) {
        self.init(method, url, .decodable(type))
    }
}

extension HTTPRequest {
    /// The same request, which accepts that unless it says itself what it does.
    func accepting(_ accept: String?) -> HTTPRequest {
        guard let accept, !headers.contains(.accept) else { return self }
        var copy = self
        copy.headers.append(.accept, accept)
        return copy
    }

    /// Returns the endpoint that makes a value of the response.
    public func returning<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>
    ) -> HTTPEndpoint<Value> {
        HTTPEndpoint(self, parser)
    }
}

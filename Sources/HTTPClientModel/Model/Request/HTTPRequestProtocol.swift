public import Wire

// To add a modifier that changes only the URL, open this file; for header fields `HTTPRequestProtocol+Headers`, for the
// body `HTTPRequestProtocol+Body`. The test is `HTTPRequestProtocolTests`.

/// A type that is or contains a request, and so has the chainable modifiers.
///
/// Each modifier returns a changed copy and leaves the original unchanged:
///
///     let request = HTTPRequest("users")
///         .method(.post)
///         .header(.acceptLanguage, "it")
///         .timeout(.seconds(5))
///
/// No modifier fails. If the result is invalid, sending the request fails.
public protocol HTTPRequestProtocol {
    /// The type of the value that a started call returns.
    ///
    /// Default ``HTTPResponse``.
    associatedtype Value: Sendable = HTTPResponse

    /// The request that the modifiers change.
    var request: HTTPRequest { get set }

    /// The request with the parser of its response.
    var endpoint: HTTPEndpoint<Value> { get }
}

extension HTTPRequestProtocol where Value == HTTPResponse {
    /// The request with a parser that returns every response.
    public var endpoint: HTTPEndpoint<HTTPResponse> { HTTPEndpoint(request, .passthrough) }
}

extension HTTPRequest: HTTPRequestProtocol {
    /// The request itself.
    public var request: HTTPRequest {
        get { self }
        _modify { yield &self }
    }
}

extension HTTPRequestProtocol {
    /// Returns a copy of the request, or an endpoint with such a copy, with the changes of a closure.
    ///
    ///     let request = HTTPRequest("https://example.com/").with {
    ///         $0.priority = .high
    ///         $0.redirectMode = .refuse
    ///     }
    ///
    /// - Parameter change: sets properties of the request.
    /// - Returns: the copy.
    /// - Throws: only what the closure throws.
    public func with<Failure: Error>(
        _ change: (inout HTTPRequest) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        var copy = self
        try change(&copy.request)
        return copy
    }

    // MARK: - Method and URL

    /// Returns a copy with another method.
    public func method(_ method: HTTPMethod) -> Self { with { $0.method = method } }

    /// Returns a copy with another URL: absolute, or relative to the client's base URL.
    ///
    /// - Parameter url: text, a ``URI``, a `URL`, or a request, of which only the URL is used.
    /// - Returns: the copy.
    public func url(_ url: some HTTPRequestConvertible) -> Self {
        with { $0.setURL(of: url.httpRequest) }
    }

    /// Returns a copy with another URL: absolute, or relative to the client's base URL.
    public func route(_ route: String) -> Self { with { $0.url = route } }

    /// Returns a copy with another path; the rest of the URL stays the same.
    public func path(_ path: String) -> Self { with { $0.path = path } }

    // MARK: - Query

    /// Returns a copy with parameters added at the end of the query.
    ///
    ///     request.query(["type": "poi", "max": 5, "tags": ["a", "b"]])
    ///
    /// - Parameters:
    ///   - parameters: names and values in order; an empty array adds nothing.
    ///   - style: the format of arrays, Booleans and dates.
    /// - Returns: the copy. If a value has no text form, sending the request fails.
    public func query(
        _ parameters: HTTPParameters,
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> Self {
        with { $0.add(parameters: parameters, style: style) }
    }

    /// Returns a copy with one parameter added at the end of the query.
    ///
    /// - Parameters:
    ///   - name: the name, percent-encoded as needed.
    ///   - value: the value; null and nil add the name alone.
    /// - Returns: the copy.
    public func query(_ name: String, _ value: some HTTPParameters.Convertible) -> Self {
        query(HTTPParameters([HTTPParameters.Element(name, value.parameterValue)]))
    }

    /// Returns a copy with items added at the end of the query.
    public func query(_ items: [HTTPQueryItem]) -> Self {
        with { $0.add(queryItems: items) }
    }

    // MARK: - Content

    /// Returns a copy with another body.
    public func body(_ body: HTTPBody) -> Self { with { $0.body = body } }
}

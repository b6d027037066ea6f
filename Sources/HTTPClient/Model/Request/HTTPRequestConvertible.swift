public import Wire

/// A request, or a URL of which a GET can be made.
///
/// Functions that send take any of these: an ``HTTPRequest``, text (`String`, `Substring`), a ``URI`` and, with
/// the trait Foundation, a `URL`. Text and URLs in variables are sent like literals:
///
///     let url = "https://api.example.com/users/\(id)"
///     let response = try await client.send(url)
///
/// Text is read as ``HTTPRequest/init(_:method:headers:body:)-(String,_,_,_)`` reads it. Text that is not a URL
/// makes a request that fails when it is sent, with `.invalidRequest(.url(…))`.
///
/// Types of your own can conform, for example one that lists the requests of a service:
///
///     enum Orders: HTTPRequestConvertible {
///         case all
///         case delete(Int)
///
///         var httpRequest: HTTPRequest {
///             switch self {
///             case .all: HTTPRequest("orders")
///             case .delete(let id): HTTPRequest(.delete, "orders/\(id)")
///             }
///         }
///     }
///     let orders = try await client.fetch([Order].self, from: Orders.all)
public protocol HTTPRequestConvertible: Sendable {
    /// The request to send.
    var httpRequest: HTTPRequest { get }
}

extension HTTPRequest: HTTPRequestConvertible {
    /// The request itself.
    public var httpRequest: HTTPRequest { self }
}

extension String: HTTPRequestConvertible {
    /// A GET of the URL that the text is.
    public var httpRequest: HTTPRequest { HTTPRequest(self) }
}

extension Substring: HTTPRequestConvertible {
    /// A GET of the URL that the text is.
    public var httpRequest: HTTPRequest { HTTPRequest(String(self)) }
}

extension URI: HTTPRequestConvertible {
    /// A GET of the URI.
    public var httpRequest: HTTPRequest { HTTPRequest(self) }
}

// The functions that most programs call for every request have a second form for requests, and for literals, which
// are requests themselves: what they call is known at compile time and costs nothing.
extension HTTPClient {
    /// Sends a GET of a URL, or any value that makes a request, and collects the response.
    ///
    ///     let url = "https://api.example.com/users/\(id)"
    ///     let response = try await client.send(url)
    ///
    /// - Throws: as ``send(_:)-(HTTPRequest)``.
    @_disfavoredOverload
    public func send(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPResponse {
        try await send(request.httpRequest)
    }

    /// Sends a GET of a URL, or any value that makes a request, and returns as soon as the head of the response is
    /// there.
    ///
    /// - Throws: as ``stream(_:)-(HTTPRequest)``.
    @_disfavoredOverload
    public func stream(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        try await stream(request.httpRequest)
    }

    /// Sends a GET of a URL, or any value that makes a request, and collects the response while the calling thread
    /// waits.
    ///
    /// - Throws: as ``sendBlocking(_:)-(HTTPRequest)``.
    @_disfavoredOverload
    public func sendBlocking(
        _ request: some HTTPRequestConvertible
    ) throws(HTTPError) -> HTTPResponse {
        try sendBlocking(request.httpRequest)
    }
}

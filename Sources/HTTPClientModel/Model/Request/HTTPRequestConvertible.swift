public import Wire

/// A type that can be sent as a request, such as a URL.
///
/// Functions that send a request accept any of these: an ``HTTPRequest``, text (`String`,
/// `Substring`), a ``URI`` and, with the package trait `Foundation`, a `URL`. Text and URLs make a
/// GET request:
///
///     let url = "https://api.example.com/users/\(id)"
///     let response = try await client.send(url)
///
/// Text is parsed as ``HTTPRequest/init(_:method:headers:body:)`` parses it. Text that
/// is not a URL makes a request that fails with `.invalidRequest(.url(…))` when it is sent.
///
/// Your own types can conform too, for example one that lists the requests of a service:
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

/// A type whose values are URLs; ``HTTPRequest/init(_:method:headers:body:)`` takes one.
///
/// These conform: text (`String`, `Substring`), ``URI`` and, with the package trait `Foundation`, `URL`. The
/// ``HTTPRequestConvertible/httpRequest`` of another type must be a GET: the initializers replace its method, its header
/// fields and its body.
public protocol HTTPURLConvertible: HTTPRequestConvertible {}

extension String: HTTPURLConvertible {
    /// A GET request for the URL in the text.
    public var httpRequest: HTTPRequest { HTTPRequest(HTTPRequest.Target(self)) }
}

extension Substring: HTTPURLConvertible {
    /// A GET request for the URL in the text.
    public var httpRequest: HTTPRequest { String(self).httpRequest }
}

extension URI: HTTPURLConvertible {
    /// A GET request for the URI.
    public var httpRequest: HTTPRequest { HTTPRequest(HTTPRequest.Target.uri(self)) }
}

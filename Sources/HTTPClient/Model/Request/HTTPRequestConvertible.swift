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
/// Text is parsed as ``HTTPRequest/init(_:method:headers:body:)-(String,_,_,_)`` parses it. Text that
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

extension String: HTTPRequestConvertible {
    /// A GET request for the URL in the text.
    public var httpRequest: HTTPRequest { HTTPRequest(self) }
}

extension Substring: HTTPRequestConvertible {
    /// A GET request for the URL in the text.
    public var httpRequest: HTTPRequest { HTTPRequest(String(self)) }
}

extension URI: HTTPRequestConvertible {
    /// A GET request for the URI.
    public var httpRequest: HTTPRequest { HTTPRequest(self) }
}

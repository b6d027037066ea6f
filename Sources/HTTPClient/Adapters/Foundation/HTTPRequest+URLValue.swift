#if Foundation
public import FoundationEssentials
public import Wire

extension HTTPRequest {
    /// Creates a request from a URL.
    ///
    /// A relative URL with its own base is resolved against that base. Without one it is relative
    /// to the client's base URL.
    ///
    /// - Parameters:
    ///   - url: the URL. A URL that is valid in Foundation but not in HTTP causes an error when the
    ///     request is sent.
    ///   - method: the method. Default GET.
    ///   - headers: the header fields. Default: only the client's.
    ///   - body: the body. Default: none.
    public init(
        _ url: URL,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(url.absoluteString, method: method, headers: headers, body: body)
    }

    /// Creates a request from a method and a URL.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the URL, as in ``init(_:method:headers:body:)-(URL,_,_,_)``.
    ///   - headers: the header fields. Default: only the client's.
    ///   - body: the body. Default: none.
    public init(
        _ method: HTTPMethod,
        _ url: URL,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(url, method: method, headers: headers, body: body)
    }

    /// Creates a request from a method and a URL.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the URL, as in ``init(_:method:headers:body:)-(String,_,_,_)``.
    ///   - headers: the header fields. Default: only the client's.
    ///   - body: the body. Default: none.
    public init(
        method: HTTPMethod,
        _ url: URL,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(url, method: method, headers: headers, body: body)
    }
}

extension HTTPRequestProtocol {
    /// Returns a copy with another URL.
    public func url(_ url: URL) -> Self { self.url(url.absoluteString) }
}
#endif

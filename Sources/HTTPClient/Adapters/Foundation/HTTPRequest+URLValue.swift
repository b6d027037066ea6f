#if Foundation
public import FoundationEssentials
public import Wire

extension HTTPRequest {
    /// Makes a request from a URL.
    ///
    /// A relative one with a base of its own is resolved against that; without one it is relative to
    /// the client's base URL.
    ///
    /// - Parameters:
    ///   - url: what Foundation reads and HTTP does not is said when the request is sent.
    ///   - method: default GET.
    ///   - headers: default none but the client's.
    ///   - body: default none.
    public init(
        _ url: URL,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(url.absoluteString, method: method, headers: headers, body: body)
    }

    /// Makes a request of a method and a URL.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: as in ``init(_:method:headers:body:)-(URL,_,_,_)``.
    ///   - headers: default none but the client's.
    ///   - body: default none.
    public init(
        _ method: HTTPMethod,
        _ url: URL,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(url, method: method, headers: headers, body: body)
    }

    /// Makes a request of a method and a URL.
    ///
    /// - Parameters:
    ///   - method: what to do with the resource.
    ///   - url: as in ``init(_:method:headers:body:)-(String,_,_,_)``.
    ///   - headers: default none but the client's.
    ///   - body: default none.
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
    /// Changes the URL.
    public func url(_ url: URL) -> Self { self.url(url.absoluteString) }
}
#endif

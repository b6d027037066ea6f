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

extension URL: HTTPRequestConvertible {
    /// A GET of the URL.
    public var httpRequest: HTTPRequest { HTTPRequest(self) }
}

extension HTTPClient {
    /// Creates a client that resolves the relative URLs of its requests against a base URL.
    ///
    /// - Parameters:
    ///   - baseURL: an absolute URL.
    ///   - configuration: the initial configuration. Default ``HTTPClientConfiguration/default``.
    ///   - change: a closure that modifies the configuration. Default: no change.
    /// - Throws: the same errors as ``HTTPClientConfiguration/init(baseURL:)-(String)``.
    public convenience init(
        baseURL: URL,
        configuration: Configuration = .default,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws(HTTPError) {
        try self.init(
            baseURL: baseURL.absoluteString,
            configuration: configuration,
            change
        )
    }
}

extension HTTPClientConfiguration {
    /// Creates the default configuration with a base URL (``HTTPClientSettings/baseURL``).
    ///
    /// - Parameter baseURL: an absolute URL.
    /// - Throws: the same errors as ``init(baseURL:)-(String)``.
    public init(baseURL: URL) throws(HTTPError) {
        try self.init(baseURL: baseURL.absoluteString)
    }
}

extension URL: HTTPFilePath {
    /// The path of a file URL.
    ///
    /// - Throws: `.fileFailed` if the scheme is not `file:`.
    public var httpFilePath: String {
        get throws(HTTPError) {
            guard isFileURL else {
                let reason = "the URL is not a file URL"
                let kind = HTTPError.Kind.fileFailed(path: absoluteString, .create, reason: reason)
                throw HTTPError(kind, phase: .preparing)
            }
            return path
        }
    }
}
#endif

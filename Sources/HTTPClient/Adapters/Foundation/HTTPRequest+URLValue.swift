#if Foundation
public import FoundationEssentials

extension URL: HTTPURLConvertible {
    /// A GET of the URL.
    ///
    /// A relative URL with its own base is resolved against that base. Without one it is relative to the client's
    /// base URL.
    public var httpRequest: HTTPRequest { absoluteString.httpRequest }
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

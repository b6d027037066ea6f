#if Foundation
public import FoundationEssentials

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
#endif

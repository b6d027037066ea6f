#if Foundation
public import FoundationEssentials

extension HTTPClient {
    /// Makes a client whose requests name what lies below a URL.
    ///
    /// - Parameters:
    ///   - baseURL: absolute.
    ///   - configuration: default ``Configuration/default``.
    ///   - change: gets the configuration, to change more of it. Default: it stays as it is.
    /// - Throws: as ``Configuration/init(baseURL:)-(String)``.
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

extension HTTPClient.Configuration {
    /// Makes the default configuration with a base URL (``HTTPClient/Settings/baseURL``).
    ///
    /// - Parameter baseURL: absolute.
    /// - Throws: as ``init(baseURL:)-(String)``.
    public init(baseURL: URL) throws(HTTPError) {
        try self.init(baseURL: baseURL.absoluteString)
    }
}
#endif
